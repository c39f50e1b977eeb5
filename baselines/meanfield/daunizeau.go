package meanfield

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

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
