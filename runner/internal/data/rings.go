package data

import (
	"math"
	"math/rand/v2"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/internal/kernel"
)

// rings has K equally probable classes, circles round the origin of the radii
// R_k = (k+1)/K:
//
//	x = ρ (cos θ, sin θ),  ρ = R_k + σε,  ε ~ N(0, 1),  θ ~ U[0, 2π), class k.
//
// ρ may be negative, so r = |x| has a folded normal density, and
//
//	P(class k | x) ∝ φ((r−R_k)/σ) + φ((r+R_k)/σ) ∝ exp(−R_k²/(2σ²)) cosh(r R_k/σ²).
//
// The ratio of two of these grows with r in favour of the larger ring, so class k−1
// gives way to class k at one radius l_k. These radii increase with k (as a test
// shows), so class k is the most probable one from l_k to u_k = l_{k+1}, where
// l_0 = 0 and u_{K−1} = ∞, and
//
//	Bayes error = (1/K) Σ_k P(|R_k + σε| ∉ [l_k, u_k]),
//
// to a relative error of 1e-12. At K = 3 and σ = 0.05 it is 5.7e-4.
func rings(g Generator) *Task {
	return &Task{
		Classes: g.Rings,
		Region:  square(1 + 3*g.Noise),
		draw: func(x []float64, rnd *rand.Rand) int {
			class := rnd.IntN(g.Rings)
			sin, cos := math.Sincos(2 * math.Pi * rnd.Float64())
			r := g.radius(class) + g.Noise*random.Normal(rnd)
			x[0], x[1] = r*cos, r*sin
			return class
		},
		probabilities: func(dst, x []float64) bool {
			r := kernel.Hypot(x[0], x[1])
			for k := range dst {
				dst[k] = g.logRing(k, r)
			}
			normalize(dst)
			return true
		},
		BayesError: func() float64 {
			var sum float64
			for k := range g.Rings {
				low, high := 0., math.Inf(1)
				if k > 0 {
					low = g.ringBoundary(k-1, k)
				}
				if k+1 < g.Rings {
					high = g.ringBoundary(k, k+1)
				}
				a := g.radius(k)
				within := gauss.CDF((low-a)/g.Noise) - gauss.CDF((-low-a)/g.Noise) // P(|R_k + σε| < low)
				sum += within + gauss.CDF((a-high)/g.Noise) + gauss.CDF((-high-a)/g.Noise)
			}
			return sum / float64(g.Rings)
		},
	}
}

func (g Generator) radius(k int) float64 { return float64(k+1) / float64(g.Rings) }

// logRing returns log[2 exp(−R_k²/(2σ²)) cosh(r R_k/σ²)], the log density of class k at
// the radius r up to a term without k.
func (g Generator) logRing(k int, r float64) float64 {
	a, precision := g.radius(k), 1/(g.Noise*g.Noise)
	return (r-a/2)*a*precision + math.Log1p(kernel.Exp(-2*r*a*precision))
}

// ringBoundary returns the radius at which class j < k gives way to class k. It is above
// the middle of R_j and R_k, where without the fold it would be, by σ² log 2/(R_k − R_j)
// at most, as log cosh s is between s − log 2 and s.
func (g Generator) ringBoundary(j, k int) float64 {
	low := (g.radius(j) + g.radius(k)) / 2
	high := low + g.Noise*g.Noise*math.Ln2/(g.radius(k)-g.radius(j))
	return bisect(low, high, func(r float64) bool { return g.logRing(k, r) < g.logRing(j, r) })
}
