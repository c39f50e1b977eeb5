package meanfield

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// Pairwise is the mean-field approximation of Lu, Ie and Sha (2020, "Mean-field
// approximation to Gaussian-softmax integral with application to uncertainty
// estimation", arXiv 2006.07584). It writes the softmax with pairwise sigmoids
// σ, replaces each by its mean, and that by MacKay's binary formula:
//
//	s_k = 1 / (2 − n + Σ_{i≠k} 1/σ(z_k − z_i))
//	p_k = 1 / (1 + Σ_{i≠k} exp(−(m_k − m_i)/T_ki)),   T_ki = √(1 + π/8 · c_ki)
//
//	Order 0   c_ki = v_k               z_i at its mean: p_k = softmax_k(m/T_k)
//	Order 1   c_ki = v_k + v_i         z_i and z_k independent
//	Order 2   c_ki = v_k + v_i − 2Cov(z_k, z_i)
//
// Logits are independent here, so that orders 1 and 2 are the same. For n = 2 they are
// MacKay's binary formula σ((m_1−m_2)/√(1+π/8(v_1+v_2))). Σp ≠ 1 beyond n = 2 (at
// order 0 even there).
type Pairwise struct {
	Order int // 0, 1 or 2

	noCov
	noCross
}

// Moments implements [softmax.Approximation]; E is NaN. It also panics unless
// Order is 0, 1 or 2.
func (p Pairwise) Moments(dst *softmax.Moments, mean, variance []float64) {
	if p.Order < 0 || p.Order > 2 {
		panic(fmt.Sprintf("meanfield: pairwise approximation of order %d; need 0, 1 or 2", p.Order))
	}
	checkLogits(len(dst.P), mean, variance)
	pairwiseMean(dst.P, mean, variance, probitSlope, p.Order > 0)
	setGaps(dst.E)
}

// pairwiseMean sets dst to p_k = 1/(1 + Σ_{i≠k} exp(−(m_k − m_i)/√(1 + a c_ki)))
// with c_ki = v_k, or v_k + v_i if both.
func pairwiseMean(dst, mean, variance []float64, a float64, both bool) {
	exponents := make([]float64, len(mean))
	for k, m := range mean {
		for i, other := range mean {
			c := variance[k]
			if both {
				c += variance[i]
			}
			exponents[i] = (other - m) / math.Sqrt(1+a*c) // zero for i = k
		}
		dst[k] = math.Exp(-logSum(exponents, -1))
	}
}

// probitSlope is λ² = π/8: Φ(λx) has the slope of the logistic function at zero.
const probitSlope = math.Pi / 8

// MacKay is the multi-class probit approximation: each logit is shrunk as in the
// binary case, on its own,
//
//	p = softmax(m_j / √(1 + πv_j/8))
//
// (MacKay 1992, "The evidence framework applied to classification networks", for
// two classes; Gibbs 1997, thesis, for more; Lu, Ie and Sha 2020, arXiv
// 2006.07584; Daxberger et al. 2021, "Laplace redux"). Σp = 1. It depends on the
// origin of the logits unless all variances are equal.
type MacKay struct {
	noCov
	noCross
}

// Moments implements [softmax.Approximation]; E is NaN.
func (MacKay) Moments(dst *softmax.Moments, mean, variance []float64) {
	checkLogits(len(dst.P), mean, variance)
	for j, v := range variance {
		dst.P[j] = mean[j] / math.Sqrt(1+probitSlope*v)
	}
	normalise(dst.P)
	setGaps(dst.E)
}

const daunizeauSlope = 0.368 // a, fitted to sampled means

// Daunizeau is the semi-analytical approximation of Daunizeau (2017,
// "Semi-analytical approximations to statistical moments of sigmoid and softmax
// mappings of normal variables", arXiv 1703.00091). For the sigmoid σ of
// x ~ N(μ, Σ), with t = √(1 + aΣ) and a = 0.368 fitted,
//
//	E σ(x)   ≈ σ(μ/t)
//	Var σ(x) ≈ σ(μ/t) (1 − σ(μ/t)) (1 − 1/t)
//
// and for the softmax, with the same reduction to pairs as [Pairwise] of order 2,
//
//	p_k = 1 / (2 − n + Σ_{i≠k} 1/E σ(z_k − z_i)).
//
// Beyond n = 2 it gives the mean only, with Σp ≠ 1.
type Daunizeau struct {
	noCross
}

// Moments implements [softmax.Approximation]. For n = 2,
// E_12 = p_1 p_2 / t; beyond, E is NaN.
func (Daunizeau) Moments(dst *softmax.Moments, mean, variance []float64) {
	checkLogits(len(dst.P), mean, variance)
	pairwiseMean(dst.P, mean, variance, daunizeauSlope, true)
	if len(mean) > 2 {
		setGaps(dst.E)
		return
	}
	t := math.Sqrt(1 + daunizeauSlope*(variance[0]+variance[1]))
	setPairs(dst.E, func(int, int) float64 { return dst.P[0] * dst.P[1] / t })
}

// Cov implements [Covariances]; beyond n = 2, dst is NaN.
func (Daunizeau) Cov(dst *mat.SymDense, mean, variance []float64) {
	if len(mean) != 2 {
		noCov{}.Cov(dst, mean, variance)
		return
	}
	checkLogits(dst.SymmetricDim(), mean, variance)
	var p [2]float64
	pairwiseMean(p[:], mean, variance, daunizeauSlope, true)
	x := daunizeauSlope * (variance[0] + variance[1])
	t := math.Sqrt(1 + x)
	v := p[0] * p[1] * x / (t * (t + 1)) // 1 − 1/t without cancellation
	dst.SetSym(0, 0, v)
	dst.SetSym(0, 1, -v)
	dst.SetSym(1, 1, v)
}
