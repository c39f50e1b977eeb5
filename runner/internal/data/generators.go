package data

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/internal/kernel"
)

// plane returns a task in the plane whose examples have one distribution.
func plane(classes int, region Region, draw func(x []float64, rnd *rand.Rand) (class int)) *Task {
	return &Task{
		Inputs: 2, Classes: classes, Region: region,
		draw: func(_ int, x []float64, rnd *rand.Rand) int { return draw(x, rnd) },
	}
}

func polar(x []float64, r, angle float64) {
	sin, cos := math.Sincos(angle)
	x[0], x[1] = r*cos, r*sin
}

// rings has three equally probable classes, circles around the origin:
//
//	x = ρ (cos θ, sin θ),  ρ = (k+1)/3 + σε,  ε ~ N(0, 1),  θ ~ U[0, 2π), class k.
func rings(g Generator) *Task {
	return plane(3, square(1+3*g.Noise), func(x []float64, rnd *rand.Rand) int {
		class := rnd.IntN(3)
		angle := 2 * math.Pi * rnd.Float64()
		polar(x, float64(class+1)/3+g.Noise*random.Normal(rnd), angle)
		return class
	})
}

// spirals has A equally probable classes, the arms of a spiral (the task of the Stanford course CS231n):
//
//	x = r (cos θ, sin θ),  r ~ U(0, 1],  θ = 4r + 2πk/A + σε,  ε ~ N(0, 1), class k.
func spirals(g Generator) *Task {
	return plane(g.Arms, square(1), func(x []float64, rnd *rand.Rand) int {
		class := rnd.IntN(g.Arms)
		r := 1 - rnd.Float64()
		polar(x, r, 4*r+2*math.Pi*float64(class)/float64(g.Arms)+g.Noise*random.Normal(rnd))
		return class
	})
}

// moons has two equally probable classes, interleaving half circles of radius 1:
//
//	x = m_k(θ) + σ (ε₁, ε₂),  θ ~ U[0, π],  ε_i ~ N(0, 1),
//	m₀(θ) = (cos θ, sin θ),  m₁(θ) = (1 − cos θ, ½ − sin θ).
func moons(g Generator) *Task {
	region := Region{
		Low:  [2]float64{-1 - 3*g.Noise, -0.5 - 3*g.Noise},
		High: [2]float64{2 + 3*g.Noise, 1 + 3*g.Noise},
	}
	return plane(2, region, func(x []float64, rnd *rand.Rand) int {
		class := rnd.IntN(2)
		polar(x, 1, math.Pi*rnd.Float64())
		if class == 1 {
			x[0], x[1] = 1-x[0], 0.5-x[1]
		}
		addNoise(x, g.Noise, rnd)
		return class
	})
}

func uniform(x []float64, half float64, rnd *rand.Rand) {
	for i := range x {
		x[i] = half * (2*rnd.Float64() - 1)
	}
}

// sectors has K classes with linear scores in evenly spaced directions, which a network without hidden layers
// and bias can represent: x ~ U[−2, 2]², P(class k | x) ∝ exp(u_k·x/σ), u_k = (cos 2πk/K, sin 2πk/K).
func sectors(g Generator) *Task {
	sin, cos := make([]float64, g.Arms), make([]float64, g.Arms)
	for k := range sin {
		sin[k], cos[k] = math.Sincos(2 * math.Pi * float64(k) / float64(g.Arms))
	}
	probabilities := func(dst, x []float64) bool {
		for k := range dst {
			dst[k] = (cos[k]*x[0] + sin[k]*x[1]) / g.Noise
		}
		top := floats.Max(dst)
		for k, z := range dst {
			dst[k] = kernel.Exp(z - top)
		}
		floats.Scale(1/kernel.Sum(dst), dst)
		return true
	}
	t := plane(g.Arms, square(2), func(x []float64, rnd *rand.Rand) int {
		uniform(x, 2, rnd)
		p := make([]float64, g.Arms)
		probabilities(p, x)
		return pick(p, rnd.Float64())
	})
	t.Probabilities = probabilities
	return t
}

// pick returns the k with p₀ + … + p_{k−1} ≤ u < p₀ + … + p_k, but for rounding.
func pick(p []float64, u float64) (k int) {
	for ; k < len(p)-1 && u >= p[k]; k++ {
		u -= p[k]
	}
	return k
}

// wedges is the task of the paper's experiment (Yang and Yang 2023, Sec. 5, Eq. (f)), uniform on [−2, 2]²:
// class 1 above both diagonals, class 2 below both, and class 3, two opposite wedges, to the left and right.
// The layout is reconstructed from the paper's numbers, not copied from the equation. On the diagonals there
// are no probabilities. Three linear scores without bias, as in the paper's network, are at most 75 %
// accurate: each is largest in a convex cone, and a cone that intersects both wedges of class 3 contains all
// between them. An average over random weights does not have this bound.
func wedges(Generator) *Task {
	t := plane(3, square(2), func(x []float64, rnd *rand.Rand) int {
		class := NoClass
		for class == NoClass {
			uniform(x, 2, rnd)
			class = wedge(x)
		}
		return class
	})
	gap := math.NaN()
	t.Boundary = [2][]float64{{-2, 2, gap, -2, 2}, {-2, 2, gap, 2, -2}}
	t.Probabilities = func(dst, x []float64) bool {
		class := wedge(x)
		if class != NoClass {
			clear(dst)
			dst[class] = 1
		}
		return class != NoClass
	}
	return t
}

// wedge returns the class of a point, from 0, or NoClass on a diagonal.
func wedge(x []float64) int {
	switch d := math.Abs(x[1]) - math.Abs(x[0]); {
	case d == 0:
		return NoClass
	case d < 0:
		return 2
	case x[1] > 0:
		return 0
	}
	return 1
}

// logistic is a task for one neuron, after Huber, "Bayesian Perceptron: Towards fully Bayesian Neural
// Networks" (CDC 2020): x ~ U[−5, 5]², P(class 1 | x) = 1/(1 + exp(−s/σ)), s = 0.6 x₁ + 0.8 x₂. At σ = 1 the
// best rule, the sign of the score s, has an error of 15.9 %.
func logistic(g Generator) *Task {
	logit := func(x []float64) float64 { return (0.6*x[0] + 0.8*x[1]) / g.Noise }
	t := plane(2, square(5), func(x []float64, rnd *rand.Rand) int {
		uniform(x, 5, rnd)
		if rnd.Float64()*(1+kernel.Exp(-logit(x))) < 1 {
			return 1
		}
		return 0
	})
	t.Probabilities = func(dst, x []float64) bool {
		z := logit(x)
		dst[0], dst[1] = 1/(1+kernel.Exp(z)), 1/(1+kernel.Exp(-z))
		return true
	}
	return t
}

// xor has four equally probable clusters, one at each corner of a square: x = (s₁, s₂) + σ (ε₁, ε₂), s_i = ±1
// with probability ½, ε_i ~ N(0, 1), class 0 if s₁ s₂ = 1, class 1 if s₁ s₂ = −1. The best rule, the sign of
// x₁ x₂, has an error of 1.23 % at σ = 0.4.
func xor(g Generator) *Task {
	return plane(2, square(1+3*g.Noise), func(x []float64, rnd *rand.Rand) int {
		corner := rnd.IntN(4) // a bit for each sign
		x[0], x[1] = float64(2*(corner&1)-1), float64(corner&2-1)
		addNoise(x, g.Noise, rnd)
		return corner&1 ^ corner>>1
	})
}
