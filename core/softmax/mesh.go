package softmax

import (
	"math"

	"closedform/core/kernel"
)

// The integrands are entire functions that decay like a Gaussian at both ends, for
// which the trapezoidal rule converges faster than any power of the step (Trefethen
// and Weideman 2014). It is left to choose where to cut, and how to follow scales
// that may differ by orders of magnitude.

const (
	// tail is the mass that may be cut at the lower end.
	tail = 1e-14
	// reach is the quantile at which a single normal distribution is cut:
	// Φ(−7.7) = 7e-15.
	reach = 7.7
)

// lower returns the point below which no integrand has a mass worth counting.
//
// What p_j loses below t is at most Φ((t−μ_j)/common_j) Π_{τ≠j} F_τ(t), hence at most
// Π_τ Φ((t−μ_τ)/S_τ) with S the larger of the two scales. The second bound, that all
// F_τ but one be above Φ(−reach), keeps g_τ/F_τ of all classes but one finite at
// every node. The gap is the distance from the lowest node to the bound of that one,
// zero if ρ ≤ ½.
func (w *probitTable) lower() (lo, gap float64) {
	t, first, second, top := math.Inf(-1), math.Inf(-1), math.Inf(-1), 0
	for j, mu := range w.mu {
		t = max(t, w.lowest(j))
		switch bound := mu - reach*w.own[j]; {
		case bound > first:
			first, second, top = bound, first, j
		case bound > second:
			second = bound
		}
	}
	n := len(w.mu)
	x, mills, cdf := w.x[:n], w.g[:n], w.cdf[:n]
	t = newtonBelow(t, kernel.Log(tail), func(t float64) (log, gradient float64) {
		for j, mu := range w.mu {
			x[j] = (t - mu) / max(w.common[j], w.own[j]) // at least −reach
		}
		kernel.Truncated(mills, w.f[:n], cdf, x)
		for j, h := range mills {
			gradient += h / max(w.common[j], w.own[j])
		}
		return logProduct(cdf), gradient
	})
	lo = max(t, second)
	// Since lo ≥ lowest(top), the gap is at most reach·(common − own), here
	// without cancellation.
	most := reach * w.excess / (w.common[top] + w.own[top])
	return lo, max(0, min(first-lo, most))
}

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

// lowest returns the point below which class j alone makes the product
// negligible.
func (w *probitTable) lowest(j int) float64 {
	return w.mu[j] - reach*max(w.common[j], w.own[j])
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
	du := h * s * narrow / kernel.Hypot(a, gap)
	return sinhMesh(lo, hi, a, du)
}

// sinhMesh covers [lo, hi] with the nodes lo + a sinh(k du).
func sinhMesh(lo, hi, a, du float64) mesh {
	grow := kernel.Exp(du)
	x := (hi - lo) / a
	asinh := kernel.Log(x + kernel.Hypot(1, x))
	left := int(math.Ceil(asinh/du)) + 1
	return mesh{lo: lo, a: a, du: du, up: 1, down: 1, grow: grow, shrink: 1 / grow, left: left}
}

// more reports whether nodes are left. Nodes taken beyond the last one have a
// negligible integrand and do no harm.
func (m *mesh) more() bool { return m.left > 0 }

// next returns a node and its weight dt.
func (m *mesh) next() (t, dt float64) {
	t, dt = m.lo+0.5*m.a*(m.up-m.down), 0.5*m.a*m.du*(m.up+m.down)
	m.up *= m.grow
	m.down *= m.shrink
	m.left--
	return t, dt
}

// step returns the distance of the nodes in units of the smallest scale that
// keeps the error of the rule below 1e-12, fitted to the worst case
// (TestStepIsFineEnough): n equal classes.
func step(n int) float64 { return 0.5 * refine(n, 1) }

// refine returns the factor by which the product of n distribution functions needs
// smaller steps than that of two, if they are those of variables of which a share of
// the variance is normal: the largest of n normal variables has a distribution that is
// narrower by about √log n, that of n Gumbel variables has not.
func refine(n int, normal float64) float64 {
	return 1 / (1 + 0.38*kernel.Log(0.5*float64(n))*normal)
}
