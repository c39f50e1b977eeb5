package softmax

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/gauss"
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
	fit(n, &w.mu, &w.common, &w.own, &w.perOwn, &w.cdf)
	fit(block*n, &w.f, &w.g)
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
	mu      []float64 // λm_j, counted from where the integrals may start
	common  []float64 // √(ρ + λ²v_j), scale of f_j
	own     []float64 // √(1−ρ + λ²v_j), scale of F_j and g_j
	perOwn  []float64 // 1/own_j
	f, g    []float64 // f_j/F_j and g_j/F_j at the nodes of a block: node × class
	cdf     []float64 // F_j at one node
	narrow  float64   // min_j common_j/own_j, at most 1
	minOwn  float64   // min_j own_j
	excess  float64   // common² − own² = 2ρ − 1
	step    float64   // distance of the nodes
	uniform bool      // common = own (ρ = ½), hence f = g
}

func (w *probitTable) factors(p Probit, mean, variance []float64) {
	top := slices.Max(mean)
	w.narrow, w.minOwn, w.excess, w.uniform = 1, math.Inf(1), 2*p.Rho-1, p.Rho == 0.5
	start := math.Inf(-1)
	for j, v := range variance {
		w.mu[j] = p.Lambda * (mean[j] - top) // −Inf where the difference overflows: a class that never wins
		w.common[j] = scale(p.Rho, p.Lambda, v)
		w.own[j] = scale(1-p.Rho, p.Lambda, v)
		w.perOwn[j] = 1 / w.own[j]
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
	return math.Hypot(math.Sqrt(a), lambda*math.Sqrt(v))
}

// integrateShared computes all moments on one set of nodes.
func (w *probitTable) integrateShared(dst *Moments, lambda float64) {
	lo, gap := w.lower()
	hi := lo
	for j, mu := range w.mu {
		hi = max(hi, mu+reach*w.common[j])
	}
	e := dst.E.RawMatrix()
	for nodes := newMesh(lo, hi, w.minOwn, w.narrow, gap, w.step); nodes.more(); {
		var weight [block]float64
		for b := range block {
			t, dt := nodes.next()
			weight[b] = w.tabulate(b, t, dt, dst.P)
		}
		for b := range weight {
			weight[b] *= lambda
		}
		addPairs(e, weight, w.f, w.g, w.uniform)
	}
	if w.uniform {
		mirror(e)
		return
	}
	for j := range w.mu {
		e.Data[j*e.Stride+j] = 0
	}
}

// tabulate fills row b of the tables f and g for the node t of weight dt, adds
// the node's contribution to p, and returns the weight W such that its
// contribution to E_ji is λ W f_j g_i.
//
// The plain form, W = dt ΠF, f_j = f_j/F_j, fails where an F_j underflows. By the
// choice of the lowest node that is only the smallest, F_k, which is left out of the
// product: √F_k is shared out between the factors.
func (w *probitTable) tabulate(b int, t, dt float64, p []float64) float64 {
	n := len(w.mu)
	f, g, cdf := w.f[b*n:(b+1)*n], w.g[b*n:(b+1)*n], w.cdf[:n]
	k, smallest, product := 0, math.Inf(1), dt
	for j, mu := range w.mu {
		r := w.perOwn[j]
		pdf, c := gauss.PDFCDF((t - mu) * r)
		g[j] = pdf * r
		cdf[j] = c
		if c < smallest {
			if j > 0 {
				product *= smallest
			}
			k, smallest = j, c
		} else {
			product *= c
		}
	}
	if w.uniform {
		copy(f, g)
	} else {
		for j, mu := range w.mu {
			f[j] = gauss.PDF((t-mu)/w.common[j]) / w.common[j]
		}
	}
	root := max(math.Sqrt(smallest), 1e-150)
	for j, c := range cdf {
		r := root / c
		if j == k {
			r = 1 / root
		}
		f[j] *= r
		g[j] *= r
		p[j] += product * root * f[j]
	}
	return product
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
	for i, mu := range w.mu {
		if i != j {
			pdf, cdf := gauss.PDFCDF((t - mu) / w.own[i])
			mass *= cdf
			w.g[i] = pdf / (cdf * w.own[i])
		}
	}
	dst.P[j] += mass
	for i := range row {
		if i != j {
			row[i] += lambda * mass * w.g[i]
		}
	}
}
