package softmax

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/gauss"
	"closedform/core/kernel"
)

// Probit approximates the softmax by the multivariate probit function of the
// paper with equal correlations (Yang and Yang 2023, Sec. 2),
//
//	s_j(z) ≈ Φ_{n−1}(λ(z_j − z_τ), τ ≠ j; 0, Σ_0),   Σ_0 = (1−ρ)I + ρ11ᵀ,
//
// whose Gaussian moments (Prop. 3.1(2)) are values and derivatives of Φ_{n−1}.
// With equal correlations each of them is one integral over the common part of
// the noise: for
//
//	f_j = density of N(λm_j, ρ + λ²v_j)
//	F_τ = distribution function of N(λm_τ, 1−ρ + λ²v_τ),  g_τ = F_τ'
//
// they are
//
//	p_j  = ∫ f_j Π_{τ≠j} F_τ dt
//	E_ji = λ ∫ f_j g_i Π_{τ≠i,j} F_τ dt.
//
// All n means and n² pairs share the Q ≈ 30 … 60 nodes of one trapezoidal rule; Q
// grows with the logarithm of the ratio of the variances, and like 1/√(1−ρ) as
// ρ → 1. The absolute error is below 1e-11.
//
// Lambda must be positive and finite, 0 ≤ Rho < 1. At ρ = ½, the natural value,
// y = argmax_j (λz_j + ε_j) with ε_j ~ N(0, ½): the p_j add up to one and E is
// symmetric, which holds at no other ρ.
type Probit struct {
	Lambda, Rho float64
}

// Validate returns an error that names what is allowed if λ or ρ is out of
// range.
func (p Probit) Validate() error {
	if !(p.Lambda > 0) || math.IsInf(p.Lambda, 1) || !(p.Rho >= 0 && p.Rho < 1) {
		return fmt.Errorf("softmax: probit with λ = %g, ρ = %g; need 0 < λ < ∞ and 0 ≤ ρ < 1", p.Lambda, p.Rho)
	}
	return nil
}

// Moments implements [Approximation]. It panics if the lengths do not match, if
// a mean is not finite or a variance negative, or if λ or ρ is out of range.
func (p Probit) Moments(dst *Moments, mean, variance []float64) {
	if err := p.Validate(); err != nil {
		panic(err.Error())
	}
	dst.check(mean, variance)
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	w.probit.moments(dst, p, mean, variance, step(len(mean)))
}

// moments is Moments with nodes at the distance step.
func (w *probitTable) moments(dst *Moments, p Probit, mean, variance []float64, step float64) {
	n := len(mean)
	fit(n, &w.mu, &w.common, &w.own, &w.perCommon, &w.perOwn)
	w.forClasses(n)
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

	mu                []float64 // λm_j, counted from where the integrals may start
	common, perCommon []float64 // √(ρ + λ²v_j), scale of f_j, and its inverse
	own, perOwn       []float64 // √(1−ρ + λ²v_j), scale of F_j and g_j, and its inverse

	narrow  float64 // min_j common_j/own_j, at most 1
	minOwn  float64 // min_j own_j
	excess  float64 // common² − own² = 2ρ − 1
	step    float64 // distance of the nodes
	uniform bool    // common = own (ρ = ½), hence f = g
}

func (w *probitTable) factors(p Probit, mean, variance []float64) {
	top := slices.Max(mean)
	w.narrow, w.minOwn, w.excess, w.uniform = 1, math.Inf(1), 2*p.Rho-1, p.Rho == 0.5
	start := math.Inf(-1)
	for j, v := range variance {
		w.mu[j] = p.Lambda * (mean[j] - top) // −Inf where the difference overflows: a class that never wins
		w.common[j] = scale(p.Rho, p.Lambda, v)
		w.own[j] = scale(1-p.Rho, p.Lambda, v)
		w.perCommon[j], w.perOwn[j] = 1/w.common[j], 1/w.own[j]
		w.narrow = min(w.narrow, w.common[j]/w.own[j])
		w.minOwn = min(w.minOwn, w.own[j])
		start = max(start, w.lowest(j))
	}
	// Small scales matter near the lower end only (see newMesh). Counted from
	// there, nodes next to a class of small scale keep their digits even if the
	// scale of another is larger by a hundred orders of magnitude.
	for j := range w.mu {
		w.mu[j] -= start
	}
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
	for nodes := newMesh(lo, hi, w.minOwn, w.narrow, gap, w.step); nodes.more(); {
		w.next(&nodes)
		w.addNodes(dst, lambda)
	}
	mirror(dst.E.RawMatrix(), w.uniform)
}

// addNodes adds the contributions of a block of nodes, W f_j to p_j and λ W f_j g_i to E_ji
// with W = dt ΠF and f_j and g_i divided by F_j and F_i.
//
// By the choice of the lowest node only one F_k may underflow, where all terms without
// f_k are negligible: any small number may stand for it.
func (w *probitTable) addNodes(dst *Moments, lambda float64) {
	const least = 1e-150
	size := len(w.mu) * len(w.node)
	x, f, g, cdf := w.x[:size], w.f[:size], w.g[:size], w.cdf[:size]
	w.arguments(x, w.perOwn)
	kernel.Truncated(g, f, cdf, x)
	factor := w.perOwn
	if w.uniform {
		f = g
	} else {
		factor = w.perCommon
		w.arguments(x, factor)
		kernel.PDFCDF(f, x, x)
		for i, c := range cdf {
			cdf[i] = max(c, least)
			f[i] /= cdf[i]
		}
	}
	for ; len(cdf) > 0; cdf = cdf[len(w.node):] {
		for b := range w.weight {
			w.weight[b] *= cdf[b]
		}
	}
	w.add(dst, f, factor, w.perOwn, lambda)
}

// arguments sets x to (t − λm_j) perScale_j for all nodes t.
func (w *probitTable) arguments(x, perScale []float64) {
	for j, mu := range w.mu {
		r := perScale[j]
		for b, t := range w.node {
			x[b] = (t - mu) * r
		}
		x = x[len(w.node):]
	}
}

// integrateEach computes the moments of each class on nodes of its own, where some
// f_j is much narrower than every F_τ (small ρ and small v) or a point mass.
func (w *probitTable) integrateEach(dst *Moments, lambda float64) {
	for j, mu := range w.mu {
		lo := math.Inf(-1)
		for i, m := range w.mu {
			if i != j {
				lo = max(lo, m-reach*w.own[i])
			}
		}
		s := w.common[j]
		if mu+reach*s <= lo {
			continue // p_j and E_j· are below the accuracy of the rule
		}
		row := dst.E.RawRowView(j)
		if s == 0 {
			w.addNode(dst, row, j, mu, 1, lambda)
			continue
		}
		// In the distance d from the mean, which keeps its digits however small s.
		for nodes := newMesh(max(lo-mu, -reach*s), reach*s, min(s, w.minOwn), 1, 0, w.step); nodes.more(); {
			d, dt := nodes.next()
			w.addNode(dst, row, j, mu+d, dt*gauss.PDF(d/s)/s, lambda)
		}
	}
}

// addNode adds mass × Π_{τ≠j} F_τ(t) to p_j and its derivatives to E_j·.
func (w *probitTable) addNode(dst *Moments, row []float64, j int, t, mass, lambda float64) {
	n := len(w.mu)
	x, mills, cdf := w.x[:n], w.g[:n], w.cdf[:n]
	for i, mu := range w.mu {
		x[i] = (t - mu) * w.perOwn[i]
	}
	kernel.Truncated(mills, w.f[:n], cdf, x)
	cdf[j] = 1
	for _, c := range cdf {
		mass *= c
	}
	dst.P[j] += mass
	for i, h := range mills {
		row[i] += lambda * mass * w.perOwn[i] * h
	}
	row[j] = 0
}
