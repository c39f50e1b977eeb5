package softmax

import (
	"fmt"
	"math"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// Probit approximates the softmax by the multivariate probit function of the paper with equal correlations
// (Yang and Yang 2023, Sec. 2), s_j(z) ≈ Φ_{n−1}(λ(z_j − z_τ), τ ≠ j; 0, Σ_0) with Σ_0 = (1−ρ)I + ρ11ᵀ.
// Lambda must be positive and finite, 0 ≤ Rho < 1. Only at ρ = ½, where y = argmax_j (λz_j + ε_j) with ε_j ~
// N(0, ½), the p_j add up to one and E is symmetric. It is safe for concurrent use.
type Probit struct {
	Lambda, Rho float64
}

// Validate returns an error if λ or ρ is out of range.
func (p Probit) Validate(int) error {
	if !(p.Lambda > 0) || math.IsInf(p.Lambda, 1) || !(p.Rho >= 0 && p.Rho < 1) {
		return fmt.Errorf("softmax: probit with λ = %g, ρ = %g; need 0 < λ < ∞ and 0 ≤ ρ < 1", p.Lambda, p.Rho)
	}
	return nil
}

// Moments implements [Approximation]. The Gaussian moments of Prop. 3.1(2), values and derivatives of
// Φ_{n−1}, are each one integral over the common part of the noise. With the density f_j of N(λm_j, ρ +
// λ²v_j), and the distribution function F_τ of N(λm_τ, 1−ρ + λ²v_τ) and its density g_τ,
//
//	p_j = ∫ f_j Π_{τ≠j} F_τ dt,   E_ji = λ ∫ f_j g_i Π_{τ≠i,j} F_τ dt,
//
// by a trapezoidal rule of 30 to 60 shared nodes; their number grows with the logarithm of the ratio of the
// variances, and like 1/√(1−ρ) as ρ → 1. The absolute error is below 1e-11. Moments panics as [Exact.Moments]
// does, and if λ or ρ is out of range.
func (p Probit) Moments(dst *Moments, mean, variance []float64) {
	if err := p.Validate(len(mean)); err != nil {
		panic(err.Error())
	}
	dst.check(mean, variance)
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	w.probit.moments(dst, p, mean, variance, step(len(mean)))
}

// addNodes adds a block of nodes t to the integrals of [Probit.Moments], with W = dt Π_τ F_τ: p_j += W
// f_j/F_j, E_ji += λ W (f_j/F_j) (g_i/F_i). By the choice of the lowest node only one F_k may underflow. Then
// all terms without f_k are negligible, and any small number may replace F_k.
func (w *probitTable) addNodes(dst *Moments, lambda float64) {
	const smallest = 1e-150
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
		kernel.Densities(f, x)
		for i, c := range cdf {
			cdf[i] = max(c, smallest)
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

// arguments sets x, class × node, to (t − μ_j) perScale_j for all nodes t.
func (w *probitTable) arguments(x, perScale []float64) {
	for j, mu := range w.mu {
		r := perScale[j]
		for b, t := range w.node {
			x[b] = (t - mu) * r
		}
		x = x[len(w.node):]
	}
}

// addNode adds one node t to the integrals of class j: p_j += c, E_ji += λ c g_i/F_i, c = mass Π_{τ≠j} F_τ.
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
	for i := range row {
		row[i] += lambda * mass * w.perOwn[i] * mills[i]
	}
	if row != nil {
		row[j] = 0
	}
}

func (w *probitTable) moments(dst *Moments, p Probit, mean, variance []float64, step float64) {
	n := len(mean)
	w.forClasses(n)
	fit(n, &w.common, &w.own, &w.perCommon, &w.perOwn)
	fit(mostNodes*n, &w.x, &w.f, &w.cdf)
	w.step = step
	w.factors(p, mean, variance)
	dst.Zero()
	// On shared nodes the narrowest f_j sets the step for all.
	if w.narrow < max(1/float64(n), 0.02) {
		w.integrateEach(dst, p.Lambda)
		return
	}
	lo, gap := w.lower()
	hi := lo
	for j, mu := range w.mu {
		hi = max(hi, mu+reach*w.common[j])
	}
	for nodes := newMesh(lo, hi, w.minOwn, w.narrow, gap, w.step); nodes.left > 0; {
		w.next(&nodes)
		w.addNodes(dst, p.Lambda)
	}
	dst.mirror(w.uniform)
}

// probitTable has tables, class × node, of g_j/F_j and f_j/F_j without the factors 1/own_j and 1/common_j.
type probitTable struct {
	momentBlock
	f      []float64 // f_j/F_j
	cdf, x []float64 // F_j, and its arguments

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
		w.own[j] = scale(1-p.Rho, p.Lambda, v)
		if w.common[j] = w.own[j]; !w.uniform {
			w.common[j] = scale(p.Rho, p.Lambda, v)
		}
		w.perCommon[j], w.perOwn[j] = 1/w.common[j], 1/w.own[j]
		w.below[j] = reach * max(w.common[j], w.own[j])
		w.narrow = min(w.narrow, w.common[j]/w.own[j])
		w.minOwn = min(w.minOwn, w.own[j])
	}
	w.locate(p.Lambda, mean)
}

func scale(a, lambda, v float64) float64 {
	return kernel.Hypot(math.Sqrt(a), lambda*math.Sqrt(v))
}

// integrateEach computes the moments of each class on separate nodes, for some f_j much narrower than every
// F_τ (small ρ and small v) or a point mass.
func (w *probitTable) integrateEach(dst *Moments, lambda float64) {
	for j, mu := range w.mu {
		lo, s := w.lowest(j), w.common[j]
		if mu+reach*s <= lo {
			continue // p_j and E_j· are below the accuracy of the rule
		}
		row := dst.row(j)
		if s == 0 {
			w.addNode(dst, row, j, mu, 1, lambda)
			continue
		}
		// The distance d from the mean keeps its digits however small s.
		for nodes := newMesh(max(lo-mu, -reach*s), reach*s, min(s, w.minOwn), 1, 0, w.step); nodes.left > 0; {
			d, dt := nodes.next()
			w.addNode(dst, row, j, mu+d, dt*gauss.PDF(d/s)/s, lambda)
		}
	}
}

var logTail = kernel.Log(1e-14) // log of the mass that may be cut

// lower returns the point below which no integrand has relevant mass, and the distance from the lowest node
// to the bound of the one class that may lie beyond reach, zero if ρ ≤ ½. Below t, p_j loses at most Π_τ
// Φ((t−μ_τ)/S_τ) with S the larger scale. All F_τ but one are above Φ(−reach), to keep g_τ/F_τ finite.
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
	n := len(w.mu)
	x, mills, cdf := w.x[:n], w.g[:n], w.cdf[:n]
	t := newtonBelow(w.lowest(-1), logTail, func(t float64) (log, gradient float64) {
		for j, mu := range w.mu {
			x[j] = (t - mu) / max(w.common[j], w.own[j]) // not below −reach
		}
		kernel.Truncated(mills, w.f[:n], cdf, x)
		for j, h := range mills {
			gradient += h / max(w.common[j], w.own[j])
		}
		return logProduct(cdf), gradient
	})
	lo = max(t, second)
	// At most reach·(common − own), without cancellation.
	most := reach * w.excess / (w.common[top] + w.own[top])
	return lo, max(0, min(first-lo, most))
}

// step returns the distance of the nodes in units of the smallest scale: the error is below 1e-12 in the
// worst case, n equal classes (TestStepIsFineEnough).
func step(n int) float64 { return 0.5 * refine(n, 1) }

// SlopeLambda returns the λ at which the probit with correlation ρ has the slope of the softmax of n classes
// at the origin, ∂s_j/∂(z_j−z_i) = 1/n²: λ_n = 1/(n² φ(0) P_{n−2}), where P_k = ∫ φ(x) Φ(√ρ x)^k dx is the
// probability that k normal variables with pairwise correlation ρ/(1+ρ) are all negative. λ_n is +Inf where
// P_{n−2} underflows, beyond n = 1000 at ρ = 0. It panics unless n ≥ 2, 0 ≤ ρ < 1.
func SlopeLambda(n int, rho float64) float64 {
	if n < 2 || !(rho >= 0 && rho < 1) {
		panic(fmt.Sprintf("softmax: slope-matched λ for n = %d, ρ = %g; need n ≥ 2 and 0 ≤ ρ < 1", n, rho))
	}
	const h, cut = 1.0 / 16, 9.0
	root := math.Sqrt(rho)
	var orthant float64
	for x := -cut; x <= cut; x += h {
		orthant += h * gauss.PDF(x) * kernel.Exp(float64(n-2)*gauss.LogCDF(root*x))
	}
	return 1 / (float64(n) * float64(n) * gauss.PDF(0) * orthant)
}
