package softmax

import (
	"math"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// moments is Moments with nodes at the distance step.
func (w *probitTable) moments(dst *Moments, p Probit, mean, variance []float64, step float64) {
	n := len(mean)
	w.forClasses(n)
	fit(n, &w.common, &w.own, &w.perCommon, &w.perOwn)
	fit(mostNodes*n, &w.x, &w.f, &w.cdf)
	w.step = step
	w.factors(p, mean, variance)
	clear(dst.P)
	dst.E.Zero()
	// On shared nodes the narrowest f_j sets the step for all: 1/narrow times as
	// many nodes, against n times as many distribution functions.
	if w.narrow < max(1/float64(n), 0.02) {
		w.integrateEach(dst, p.Lambda)
	} else {
		w.integrateShared(dst, p.Lambda)
	}
}

// probitTable holds the factors of the integrands at one block of nodes.
type probitTable struct {
	momentBlock           // g: g_j/F_j but for the factor 1/own_j
	f           []float64 // likewise f_j/F_j
	cdf, x      []float64 // F_j, and arguments

	common, perCommon []float64 // √(ρ + λ²v_j), scale of f_j, and its inverse
	own, perOwn       []float64 // √(1−ρ + λ²v_j), scale of F_j and g_j, and its inverse

	narrow  float64 // min_j common_j/own_j, at most 1
	minOwn  float64 // min_j own_j
	excess  float64 // common² − own² = 2ρ − 1
	step    float64 // distance of the nodes
	uniform bool    // common = own (ρ = ½), hence f = g
}

func (w *probitTable) factors(p Probit, mean, variance []float64) {
	w.narrow, w.minOwn, w.excess, w.uniform = 1, math.Inf(1), 2*p.Rho-1, p.Rho == 0.5
	for j, v := range variance {
		w.common[j] = scale(p.Rho, p.Lambda, v)
		w.own[j] = scale(1-p.Rho, p.Lambda, v)
		w.perCommon[j], w.perOwn[j] = 1/w.common[j], 1/w.own[j]
		w.below[j] = reach * max(w.common[j], w.own[j])
		w.narrow = min(w.narrow, w.common[j]/w.own[j])
		w.minOwn = min(w.minOwn, w.own[j])
	}
	w.locate(p.Lambda, mean)
}

// scale returns √(a + λ²v) without overflow.
func scale(a, lambda, v float64) float64 {
	return kernel.Hypot(math.Sqrt(a), lambda*math.Sqrt(v))
}

// integrateShared computes all moments on one set of nodes.
func (w *probitTable) integrateShared(dst *Moments, lambda float64) {
	lo, gap := w.lower()
	hi := lo
	for j, mu := range w.mu {
		hi = max(hi, mu+reach*w.common[j])
	}
	for nodes := newMesh(lo, hi, w.minOwn, w.narrow, gap, w.step); nodes.left > 0; {
		w.next(&nodes)
		w.addNodes(dst, lambda)
	}
	mirror(dst.E.RawMatrix(), w.uniform)
}

// integrateEach computes the moments of each class on nodes of its own, where some
// f_j is much narrower than every F_τ (small ρ and small v) or a point mass.
func (w *probitTable) integrateEach(dst *Moments, lambda float64) {
	for j, mu := range w.mu {
		lo, s := w.lowest(j), w.common[j]
		if mu+reach*s <= lo {
			continue // p_j and E_j· are below the accuracy of the rule
		}
		row := dst.E.RawRowView(j)
		if s == 0 {
			w.addNode(dst, row, j, mu, 1, lambda)
			continue
		}
		// In the distance d from the mean, which keeps its digits however small s.
		for nodes := newMesh(max(lo-mu, -reach*s), reach*s, min(s, w.minOwn), 1, 0, w.step); nodes.left > 0; {
			d, dt := nodes.next()
			w.addNode(dst, row, j, mu+d, dt*gauss.PDF(d/s)/s, lambda)
		}
	}
}

// lower returns the point below which no integrand has a mass worth counting.
//
// What p_j loses below t is at most Φ((t−μ_j)/common_j) Π_{τ≠j} F_τ(t), hence at most
// Π_τ Φ((t−μ_τ)/S_τ) with S the larger of the two scales. The second bound, that all
// F_τ but one be above Φ(−reach), keeps g_τ/F_τ of all classes but one finite at
// every node. The gap is the distance from the lowest node to the bound of that one,
// zero if ρ ≤ ½.
func (w *probitTable) lower() (lo, gap float64) {
	first, second, top := math.Inf(-1), math.Inf(-1), 0
	for j, mu := range w.mu {
		switch bound := mu - reach*w.own[j]; {
		case bound > first:
			first, second, top = bound, first, j
		case bound > second:
			second = bound
		}
	}
	const tail = 1e-14 // mass that may be cut
	n := len(w.mu)
	x, mills, cdf := w.x[:n], w.g[:n], w.cdf[:n]
	t := newtonBelow(w.lowest(-1), kernel.Log(tail), func(t float64) (log, gradient float64) {
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
	// As lo ≥ mu − below of the top, the gap is at most reach·(common − own), here
	// without cancellation.
	most := reach * w.excess / (w.common[top] + w.own[top])
	return lo, max(0, min(first-lo, most))
}

// step returns the distance of the nodes in units of the smallest scale that
// keeps the error of the rule below 1e-12, fitted to the worst case
// (TestStepIsFineEnough): n equal classes.
func step(n int) float64 { return 0.5 * refine(n, 1) }
