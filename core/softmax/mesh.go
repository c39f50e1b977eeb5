package softmax

import (
	"math"

	"closedform/internal/kernel"
)

// The integrands are entire functions that decay like a Gaussian at both ends, for which the
// trapezoidal rule converges faster than any power of the step (Trefethen and Weideman 2014).

// reach is the quantile at which a single normal distribution is cut: Φ(−7.7) = 7e-15.
const reach = 7.7

// newtonBelow takes three steps of Newton's method towards the root of log f =
// level from a t below it. As log f is concave and increasing, none goes beyond.
func newtonBelow(t, level float64, f func(t float64) (log, gradient float64)) float64 {
	for range 3 {
		log, gradient := f(t)
		if !(log < level) {
			break
		}
		t += (level - log) / gradient
	}
	return t
}

// logProduct returns the logarithm of the product of numbers from 2e-308 to 1.
func logProduct(x []float64) (log float64) {
	product := 1.0
	for _, x := range x {
		if product*x < 1e-300 {
			log += kernel.Log(product)
			product = 1
		}
		product *= x
	}
	return log + kernel.Log(product)
}

// mesh runs through the nodes of the trapezoidal rule in u for the integral
// over t = lo + a sinh(u) from lo to hi.
//
// A class with scale s has its transition within ±reach·s of its mean, which is at
// most reach·s above the lowest node, where the product of all F_τ is negligible.
// Hence at distance d from the lowest node only scales of at least d/(2·reach) are
// still to be resolved, and the step may grow: a sinh(u) with a = 2·reach·s_min is
// almost linear over the reach of the smallest scale and exponential beyond.
//
// For ρ < ½ the f_j are narrower than the F_j, by the factor narrow. For ρ > ½ the
// class with the largest mean may lie beyond reach, as nothing but the wide f_j cuts
// g_i off in E_ji: the step stays small over the gap.
type mesh struct {
	lo, a, du    float64
	up, down     float64 // exp(±u) of the next node
	grow, shrink float64 // exp(±du)
	left         int     // nodes
}

// newMesh covers [lo, hi] with steps of h, in units of the smallest scale: that
// of an F_j is s, and narrow ≤ 1 the smallest ratio of those of f_j and F_j.
func newMesh(lo, hi, s, narrow, gap, h float64) mesh {
	a := max(2*reach*s, gap)
	return sinhMesh(lo, hi, a, h*s*narrow/kernel.Hypot(a, gap))
}

// sinhMesh covers [lo, hi] with the nodes lo + a sinh(k du).
func sinhMesh(lo, hi, a, du float64) mesh {
	grow := kernel.Exp(du)
	x := (hi - lo) / a
	asinh := kernel.Log(x + kernel.Hypot(1, x))
	left := int(math.Ceil(asinh/du)) + 1
	return mesh{lo: lo, a: a, du: du, up: 1, down: 1, grow: grow, shrink: 1 / grow, left: left}
}

// next returns a node and its weight dt. Nodes taken beyond the last one have a
// negligible integrand and do no harm.
func (m *mesh) next() (t, dt float64) {
	t, dt = m.lo+0.5*m.a*(m.up-m.down), 0.5*m.a*m.du*(m.up+m.down)
	m.up *= m.grow
	m.down *= m.shrink
	m.left--
	return t, dt
}

// refine returns the factor by which the product of n distribution functions needs
// smaller steps than that of two, if they are those of variables of which a share of
// the variance is normal: the largest of n normal variables has a distribution that is
// narrower by about √log n, that of n Gumbel variables has not.
func refine(n int, normal float64) float64 {
	return 1 / (1 + 0.38*kernel.Log(0.5*float64(n))*normal)
}
