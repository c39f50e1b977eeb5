package softmax

import (
	"math"

	"closedform/internal/kernel"
)

// Exact computes the moments of the softmax itself, by quadrature. It is safe for concurrent use.
type Exact struct {
	// Fast uses fewer nodes: the absolute error is below 1e-8. It has no effect beyond 100 classes.
	Fast bool
}

const mostFast = 100 // largest number of classes for Fast

// Moments implements [Approximation]. With independent g_j ~ Gumbel(0, 1), s_j(z) is the probability that z_j
// + g_j is the largest of all (Gumbel 1954; Yellott 1977). With F_j and f_j the CDF and density of z_j + g_j
//
//	p_j  = ∫ f_j Π_{τ≠j} F_τ dt
//	E_ji = ∫ f_j f_i Π_{τ≠i,j} F_τ dt,
//
// the integrals of [Probit.Moments] with Gumbel noise, by a trapezoidal rule of 60 to 130 nodes, more if
// variances differ by orders of magnitude. The absolute error is below 1e-11; E = Eᵀ to rounding. Moments
// panics if lengths do not match, a mean or variance is not finite, or a variance is negative.
func (e Exact) Moments(dst *Moments, mean, variance []float64) {
	dst.check(mean, variance)
	rule := accurate
	if e.Fast && len(mean) <= mostFast {
		rule = fast
	}
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	w.exact.moments(dst, mean, variance, rule)
}

// addNodes adds a block of nodes t to the integrals of [Exact.Moments], with W = dt Π_τ F_τ: p_j += W
// f_j/F_j, E_ji += W (f_j/F_j) (f_i/F_i).
func (w *exactTable) addNodes(dst *Moments) {
	q := len(w.node)
	log := w.log[:q]
	clear(log)
	for j, mu := range w.mu {
		row := w.g[j*q : (j+1)*q]
		for b, t := range w.node {
			l, r := w.series[j].logCDF(t - mu)
			log[b] += l
			row[b] = r
		}
	}
	kernel.ExpAll(log, log)
	for b, p := range log {
		w.weight[b] *= p
	}
	w.add(dst, w.g, w.ones, w.ones, 1)
}

type exactRule struct {
	step   float64 // distance of the nodes, in units of the smallest √(1+v)
	spread float64 // distance over which the nodes are evenly spaced, in units of the smallest √(1+v)
	tail   float64 // mass that may be cut at the lower end
	right  float64 // quantile where the Gumbel distribution is cut
}

// Halving these steps changes no test case by more than a tenth of the stated error.
var (
	accurate = exactRule{step: 0.3, spread: 6, tail: 1e-15, right: gumbelHigh}
	fast     = exactRule{step: 0.4, spread: 4, tail: 1e-11, right: 24}
)

type exactTable struct {
	momentBlock
	log    [mostNodes]float64
	ones   []float64
	scale  []float64 // √v_j
	series []gumbelSeries
}

// set prepares the distributions F_j, and returns the point above which the integrands are negligible.
func (w *exactTable) set(mean, variance []float64, rule exactRule) (hi float64) {
	if n := len(mean); len(w.mu) != n {
		w.forClasses(n)
		fit(n, &w.scale, &w.ones)
		for i := range w.ones {
			w.ones[i] = 1
		}
		w.series = make([]gumbelSeries, n)
	}
	for j, v := range variance {
		w.scale[j] = math.Sqrt(v)
		w.below[j] = reach*w.scale[j] - gumbelLow
	}
	w.locate(1, mean)
	for j, s := range w.scale { // 1 − F_j is at most exp(s²/2) times that of the Gumbel distribution
		hi = max(hi, w.mu[j]+min(reach, 0.5*s)*s+rule.right)
	}
	lo := w.lowest(-1) // 0 up to rounding
	for j, mu := range w.mu {
		w.series[j].set(w.scale[j], lo-mu, hi-mu)
	}
	return hi
}

func (w *exactTable) moments(dst *Moments, mean, variance []float64, rule exactRule) {
	hi := w.set(mean, variance, rule)
	n := len(w.mu)
	lo, smallest := w.lower(rule.tail), math.Inf(1)
	for _, s := range w.scale {
		smallest = min(smallest, kernel.Hypot(1, s))
	}
	dst.Zero()
	spread := rule.spread * smallest
	normal := 1 - 1/(smallest*smallest) // v/(1+v) of the smallest v
	for nodes := sinhMesh(lo, hi, spread, rule.step*refine(n, normal)/rule.spread); nodes.left > 0; {
		w.next(&nodes)
		w.addNodes(dst)
	}
	dst.mirror(true)
}

// lower returns a point below which the integrands have a mass of at most tail; that of all p_j is Π F_τ.
func (w *exactTable) lower(tail float64) float64 {
	return newtonBelow(w.lowest(-1), kernel.Log(tail), func(t float64) (log, gradient float64) {
		for j, mu := range w.mu {
			l, r := w.series[j].logCDF(t - mu)
			log += l
			gradient += r
		}
		return log, gradient
	})
}
