package stability

import (
	"math"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// twoClasses is the λ of the probit of two classes whose logits have the variance v. Σ_y has one number,
// in closed form: with V = 2v and the gap m of the means,
//
//	c = λ/√(1+λ²V),  x = cm,  Var y = Φ(x)Φ(−x) − cφ(x) = φ(x)(h(x) − c).
//
// Var y is positive if and only if c < h(x), see [flattest]. The correlation ρ does not occur.
type twoClasses float64

// slope returns c, the λ that the variance leaves.
func (lambda twoClasses) slope(v float64) float64 {
	return float64(lambda) / kernel.Hypot(1, float64(lambda)*math.Sqrt(2*v))
}

// variance returns Var y at a gap.
func (lambda twoClasses) variance(gap, v float64) float64 {
	c := lambda.slope(v)
	return gauss.PDF(c*gap) * (flattest(c*gap) - c)
}

// boundary returns the gap from which on Var y is not positive, 0 if it is not at any gap.
func (lambda twoClasses) boundary(v float64) float64 {
	c := lambda.slope(v)
	return flattestInverse(c) / c
}

// variances returns those at which the boundary is drawn, at four points for each step of the grid, from
// the lowest of the map at which there is one: Var y is not positive at the gap 0 up to the root of
// c = h(0) = √(2π)/4.
func (lambda twoClasses) variances(of spec) []float64 {
	low, high := max(of.Variance[0], 4/math.Pi-1/float64(2*lambda*lambda)), of.Variance[1]
	if low >= high {
		return nil
	}
	return spaced(low, high, 4*(of.Grid-1)+1)
}

// flattest returns h(x) = Φ(x)Φ(−x)/φ(x), the slope c at which Var y is 0. It falls from √(2π)/4 at
// 0 like 1/|x|.
func flattest(x float64) float64 {
	x = math.Abs(x)
	return gauss.CDF(x) / gauss.InverseMills(-x)
}

// flattestInverse returns the x ≥ 0 with h(x) = c, by bisection down to neighbouring numbers. It is 0
// for c ≥ h(0), and for a c below h(0) by no more than the rounding error of a slope-matched λ, which
// is h(0): there x is of the order of the root of that error.
func flattestInverse(c float64) float64 {
	const rounding = 4e-15
	if c >= flattest(0)*(1-rounding) {
		return 0
	}
	lo, hi := 0.0, 1/c // h(x) < 1/x
	for range 100 {
		if x := lo + (hi-lo)/2; flattest(x) > c {
			lo = x
		} else {
			hi = x
		}
	}
	return lo + (hi-lo)/2
}
