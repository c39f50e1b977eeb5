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
	// many nodes, against n times as many distribution functions. For ρ > ½ they would have
	// to begin far below, as nothing but the wide f_j cuts the g_i of the largest mean off.
	if p.Rho > 0.5 || w.narrow < max(1/float64(n), 0.02) {
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
	step    float64 // distance of the nodes
	uniform bool    // common = own (ρ = ½), hence f = g
}

func (w *probitTable) factors(p Probit, mean, variance []float64) {
	w.narrow, w.minOwn, w.uniform = 1, math.Inf(1), p.Rho == 0.5
	for j, v := range variance {
		w.common[j] = scale(p.Rho, p.Lambda, v)
		w.own[j] = scale(1-p.Rho, p.Lambda, v)
		w.perCommon[j], w.perOwn[j] = 1/w.common[j], 1/w.own[j]
		w.below[j] = reach * w.own[j]
		w.narrow = min(w.narrow, w.common[j]/w.own[j])
		w.minOwn = min(w.minOwn, w.own[j])
	}
	w.locate(p.Lambda, mean)
}

// scale returns √(a + λ²v) without overflow.
func scale(a, lambda, v float64) float64 {
	return kernel.Hypot(math.Sqrt(a), lambda*math.Sqrt(v))
}

// integrateShared computes all moments on one set of nodes, for ρ ≤ ½.
func (w *probitTable) integrateShared(dst *Moments, lambda float64) {
	lo := w.lower()
	hi := lo
	for j, mu := range w.mu {
		hi = max(hi, mu+reach*w.common[j])
	}
	for nodes := newMesh(lo, hi, w.minOwn, w.narrow, w.step); nodes.more(); {
		w.next(&nodes)
		w.addNodes(dst, lambda)
	}
	mirror(dst.E.RawMatrix(), w.uniform)
}

// integrateEach computes the moments of each class on nodes of its own: f_j may be much
// narrower than every F_τ (small ρ and small v), even a point mass, or wider.
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
		for nodes := newMesh(max(lo-mu, -reach*s), reach*s, min(s, w.minOwn), 1, w.step); nodes.more(); {
			d, dt := nodes.next()
			w.addNode(dst, row, j, mu+d, dt*gauss.PDF(d/s)/s, lambda)
		}
	}
}

// lower returns the point below which no integrand has a mass worth counting: for ρ ≤ ½ what
// p_j loses below t is at most Φ((t−μ_j)/common_j) Π_{τ≠j} F_τ(t) ≤ Π_τ F_τ(t).
func (w *probitTable) lower() float64 {
	const tail = 1e-14 // mass that may be cut
	n := len(w.mu)
	x, mills, cdf := w.x[:n], w.g[:n], w.cdf[:n]
	return newtonBelow(w.lowest(-1), kernel.Log(tail), func(t float64) (log, gradient float64) {
		for j, mu := range w.mu {
			x[j] = (t - mu) / w.own[j] // at least −reach
		}
		kernel.Truncated(mills, w.f[:n], cdf, x)
		for j, h := range mills {
			gradient += h / w.own[j]
		}
		return logProduct(cdf), gradient
	})
}

// step returns the distance of the nodes in units of the smallest scale that
// keeps the error of the rule below 1e-12, fitted to the worst case
// (TestStepIsFineEnough): n equal classes.
func step(n int) float64 { return 0.5 * refine(n, 1) }
