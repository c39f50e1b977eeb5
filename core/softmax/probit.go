package softmax

import (
	"fmt"
	"math"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// Probit approximates the softmax by the multivariate probit function of the
// paper with equal correlations (Yang and Yang 2023, Sec. 2),
//
//	s_j(z) ≈ Φ_{n−1}(λ(z_j − z_τ), τ ≠ j; 0, Σ_0),   Σ_0 = (1−ρ)I + ρ11ᵀ.
//
// Lambda must be positive and finite, 0 ≤ Rho < 1. At ρ = ½, the natural value,
// y = argmax_j (λz_j + ε_j) with ε_j ~ N(0, ½): the p_j add up to one and E is
// symmetric, which holds at no other ρ. A Probit is a value without references, safe
// for concurrent use.
type Probit struct {
	Lambda, Rho float64
}

// Validate returns an error that names what is allowed if λ or ρ is out of
// range, which is the same for any number of classes.
func (p Probit) Validate(int) error {
	if !(p.Lambda > 0) || math.IsInf(p.Lambda, 1) || !(p.Rho >= 0 && p.Rho < 1) {
		return fmt.Errorf("softmax: probit with λ = %g, ρ = %g; need 0 < λ < ∞ and 0 ≤ ρ < 1", p.Lambda, p.Rho)
	}
	return nil
}

// Moments implements [Approximation]. The Gaussian moments of Prop. 3.1(2), values and
// derivatives of Φ_{n−1}, are each one integral over the common part of the noise:
//
//	p_j  = ∫ f_j Π_{τ≠j} F_τ dt
//	E_ji = λ ∫ f_j g_i Π_{τ≠i,j} F_τ dt
//
//	f_j = density of N(λm_j, ρ + λ²v_j)
//	F_τ = distribution function of N(λm_τ, 1−ρ + λ²v_τ),  g_τ = F_τ'
//
// All n means and n² pairs share the Q ≈ 30 … 60 nodes of one trapezoidal rule; Q
// grows with the logarithm of the ratio of the variances, and like 1/√(1−ρ) as
// ρ → 1. The absolute error is below 1e-11. Moments panics if the lengths do not match,
// if a mean is not finite or a variance negative, or if λ or ρ is out of range.
func (p Probit) Moments(dst *Moments, mean, variance []float64) {
	if err := p.Validate(len(mean)); err != nil {
		panic(err.Error())
	}
	dst.check(mean, variance)
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	w.probit.moments(dst, p, mean, variance, step(len(mean)))
}

// addNodes adds what the nodes t of a block contribute to the integrals of
// [Probit.Moments],
//
//	p_j += W f_j/F_j,   E_ji += λ W (f_j/F_j) (g_i/F_i),   W = dt Π_τ F_τ.
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
		for i, c := range cdf {
			cdf[i] = max(c, least)
			f[i] = gauss.PDF(x[i]) / cdf[i]
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

// addNode adds what one node t contributes to the integrals of class j alone, where mass
// is f_j dt:
//
//	p_j += mass Π_{τ≠j} F_τ,   E_ji += λ mass (g_i/F_i) Π_{τ≠j} F_τ.
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
