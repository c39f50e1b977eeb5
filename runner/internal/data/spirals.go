package data

import (
	"math"
	"math/rand/v2"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/internal/kernel"
)

const winding = 4 // radians by which an arm turns up to the unit circle

// spirals has A equally probable classes, the arms of a spiral (the task of the
// Stanford course CS231n):
//
//	x = r (cos θ, sin θ),  r ~ U(0, 1],  θ = 4r + 2πk/A + σε,  ε ~ N(0, 1), class k.
//
// At radius r and polar angle φ the angles to the arms are
// δ_k = φ − 4r − 2πk/A, and the class has the density of the wrapped normal:
//
//	P(class k | x) ∝ Σ_m exp(−(δ_k + 2πm)²/(2σ²)),
//
// 1/A each at the origin. The best rule is the nearest arm at any radius, and
//
//	Bayes error = 2 Σ_{m≥0} Φ(−(2πm + π/A)/σ) − Φ(−(2π(m+1) − π/A)/σ),
//
// to a relative error of 1e-12; at A = 3 and σ = 0.12, 2.6e-18.
func spirals(g Generator) *Task {
	return &Task{
		Classes: g.Arms,
		Region:  square(1),
		draw: func(x []float64, rnd *rand.Rand) int {
			class := rnd.IntN(g.Arms)
			r := 1 - rnd.Float64()
			sin, cos := math.Sincos(winding*r + g.arm(class) + g.Noise*random.Normal(rnd))
			x[0], x[1] = r*cos, r*sin
			return class
		},
		probabilities: func(dst, x []float64) bool {
			r := kernel.Hypot(x[0], x[1])
			turned := math.Atan2(x[1], x[0]) - winding*r
			for k := range dst {
				dst[k] = 0
				if r > 0 {
					dst[k] = logWrappedNormal(math.Remainder(turned-g.arm(k), 2*math.Pi), g.Noise)
				}
			}
			normalize(dst)
			return true
		},
		BayesError: func() float64 {
			var sum float64
			half := math.Pi / float64(g.Arms)
			for m := 0.; ; m++ {
				term := gauss.CDF(-(2*math.Pi*m+half)/g.Noise) - gauss.CDF(-(2*math.Pi*(m+1)-half)/g.Noise)
				if term == 0 {
					return 2 * sum
				}
				sum += term
			}
		},
	}
}

// arm returns the polar angle at which arm k leaves the origin.
func (g Generator) arm(k int) float64 { return 2 * math.Pi * float64(k) / float64(g.Arms) }

// logWrappedNormal returns log Σ_m exp(−(δ+2πm)²/(2σ²)) for |δ| ≤ π.
func logWrappedNormal(delta, sigma float64) float64 {
	// Relative to the term m = 0, which is the largest.
	sum := 1.
	for m := 1.; ; m++ {
		right := kernel.Exp(-2 * math.Pi * m * (math.Pi*m + delta) / (sigma * sigma))
		left := kernel.Exp(-2 * math.Pi * m * (math.Pi*m - delta) / (sigma * sigma))
		sum += right + left
		if right+left < 1e-17*sum {
			return kernel.Log(sum) - delta*delta/(2*sigma*sigma)
		}
	}
}
