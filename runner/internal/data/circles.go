package data

import (
	"math"
	"math/rand/v2"

	"closedform/core/random"
)

func polar(x []float64, r, angle float64) {
	sin, cos := math.Sincos(angle)
	x[0], x[1] = r*cos, r*sin
}

// rings has three equally probable classes, circles around the origin:
//
//	x = ρ (cos θ, sin θ),  ρ = (k+1)/3 + σε,  ε ~ N(0, 1),  θ ~ U[0, 2π), class k.
func rings(g Generator) *Task {
	return &Task{
		Classes: 3,
		Region:  square(1 + 3*g.Noise),
		draw: func(x []float64, rnd *rand.Rand) int {
			class := rnd.IntN(3)
			angle := 2 * math.Pi * rnd.Float64()
			polar(x, float64(class+1)/3+g.Noise*random.Normal(rnd), angle)
			return class
		},
	}
}

// spirals has A equally probable classes, the arms of a spiral (the task of the Stanford course CS231n):
//
//	x = r (cos θ, sin θ),  r ~ U(0, 1],  θ = 4r + 2πk/A + σε,  ε ~ N(0, 1), class k.
func spirals(g Generator) *Task {
	return &Task{
		Classes: g.Arms,
		Region:  square(1),
		draw: func(x []float64, rnd *rand.Rand) int {
			class := rnd.IntN(g.Arms)
			r := 1 - rnd.Float64()
			polar(x, r, 4*r+2*math.Pi*float64(class)/float64(g.Arms)+g.Noise*random.Normal(rnd))
			return class
		},
	}
}

// moons has two equally probable classes, interleaving half circles of radius 1:
//
//	x = m_k(θ) + σ (ε₁, ε₂),  θ ~ U[0, π],  ε_i ~ N(0, 1),
//	m₀(θ) = (cos θ, sin θ),  m₁(θ) = (1 − cos θ, ½ − sin θ).
func moons(g Generator) *Task {
	return &Task{
		Classes: 2,
		Region: Region{
			Low:  [2]float64{-1 - 3*g.Noise, -0.5 - 3*g.Noise},
			High: [2]float64{2 + 3*g.Noise, 1 + 3*g.Noise},
		},
		draw: func(x []float64, rnd *rand.Rand) int {
			class := rnd.IntN(2)
			polar(x, 1, math.Pi*rnd.Float64())
			if class == 1 {
				x[0], x[1] = 1-x[0], 0.5-x[1]
			}
			addNoise(x, g.Noise, rnd)
			return class
		},
	}
}
