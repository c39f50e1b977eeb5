package meanfield

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// owenRule integrates Owen's function by Gauss and Legendre's rule on [0, 1],
// with a relative error below 1e-13.
type owenRule struct {
	node, weight [32]float64
}

func newOwenRule() *owenRule {
	var r owenRule
	quad.Legendre{}.FixedLocations(r.node[:], r.weight[:], 0, 1)
	return &r
}

// secondMoments returns log Var Φ(x) and log E Φ(x)(1−Φ(x)) for normal x of
// standard deviation sd, given t = E x/√(1+sd²). With Owen's function (1956)
//
//	T(t, a) = 1/(2π) ∫_0^a exp(−t²(1+u²)/2)/(1+u²) du,   a = 1/√(1+2sd²),
//
// they are 2(T(t, 1) − T(t, a)) and 2T(t, a): integrals of a positive function,
// where Φ(t) − 2T − Φ(t)² would cancel. They are −Inf for sd = 0 and sd = ∞.
func (r *owenRule) secondMoments(t, sd float64) (spread, mixed float64) {
	root := math.Hypot(1, math.Sqrt2*sd)
	// 1 − a without cancellation.
	rest := math.Sqrt2 * sd / root * (math.Sqrt2 * sd / (1 + root))
	return r.logIntegral(t, 1/root, rest), r.logIntegral(t, 0, 1/root)
}

// logIntegral returns the logarithm of 2(T(t, a+length) − T(t, a)), where
// a + length ≤ 1.
func (r *owenRule) logIntegral(t, a, length float64) float64 {
	t = math.Abs(t)
	if t > 5 {
		// Beyond here the integrand has fallen by e⁻⁴⁰.
		reach := math.Sqrt(80) / t
		length = min(length, reach*reach/(math.Hypot(a, reach)+a))
	}
	var sum float64
	for i, node := range r.node {
		x := length * node
		u := a + x
		sum += r.weight[i] * math.Exp(-t*t*x*(a+0.5*x)) / (1 + u*u)
	}
	return math.Log(sum*length/math.Pi) - 0.5*t*t*(1+a*a)
}
