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
