// Package meanfield collects the closed forms that others use for the moments
// of softmax(z), z_j ~ N(m_j, v_j) independent, each behind
// [softmax.Approximation] and each with its formula and its reference. They are
// baselines: every method returns what its formula gives, also where that leaves
// [0, 1], and nothing is clamped.
//
// [softmax.Moments] derives Σ_y and Σ_zy from P and E, E_ij = E[s_i s_j], which few of
// these methods respect. So each is a [Covariances], whose Cov and Cross, its own Σ_y
// and Σ_zy, take precedence. Moments fills P and, off the diagonal, E_ij with
// Σ_y,ij + p_i p_j. NaN stands for what a method does not give:
//
//	                  p    Σ_y       Σ_zy
//	Delta             yes  yes       yes
//	Taylor            yes  yes       yes
//	Unscented         yes  yes       yes
//	LogNormal         yes  diagonal  diagonal
//	LaplaceBridge     yes  yes       no
//	NormalizedProbit  yes  yes       no
//	Daunizeau         yes  n = 2     no
//	Pairwise          yes  no        no
//	MacKay            yes  no        no
//
// There are n ≥ 2 logits, with means up to 1e150 in size and variances from 0 to
// 1e300; within it P never holds NaN, and a number that overflows is ±Inf.
// Moments, Cov and Cross panic if sizes do not match, if a mean is not finite, or
// if a variance is negative or not finite. All types are safe for concurrent use and
// allocate scratch space.
package meanfield

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// Covariances is an approximation with covariances of its own. Every type of
// this package implements it.
type Covariances interface {
	softmax.Approximation

	// Cov sets dst to the covariance of the probabilities, Σ_y, n×n.
	Cov(dst *mat.SymDense, mean, variance []float64)

	// Cross sets dst to the cross-covariance of logits (rows) and probabilities
	// (columns), Σ_zy, n×n.
	Cross(dst *mat.Dense, mean, variance []float64)
}

// checkLogits panics unless mean and variance are n usable numbers each.
func checkLogits(n int, mean, variance []float64) {
	if n < 2 || len(mean) != n || len(variance) != n {
		panic(fmt.Sprintf("meanfield: %d means and %d variances for %d classes; need as many, and at least 2", len(mean), len(variance), n))
	}
	for j, v := range variance {
		if !(v >= 0) || math.IsInf(v, 1) || math.IsNaN(mean[j]) || math.IsInf(mean[j], 0) {
			panic(fmt.Sprintf("meanfield: logit %d has mean %g and variance %g; need finite numbers and variance ≥ 0", j, mean[j], v))
		}
	}
}

// checkCross is checkLogits for the destination of Cross.
func checkCross(dst *mat.Dense, mean, variance []float64) {
	n, columns := dst.Dims()
	if columns != n {
		panic(fmt.Sprintf("meanfield: Cross into a %d×%d matrix", n, columns))
	}
	checkLogits(n, mean, variance)
}

// setPairs sets E to pair(i, j) for i < j, symmetrically, with zero diagonal.
func setPairs(e *mat.Dense, pair func(i, j int) float64) {
	n, _ := e.Dims()
	for i := range n {
		e.Set(i, i, 0)
		for j := i + 1; j < n; j++ {
			x := pair(i, j)
			e.Set(i, j, x)
			e.Set(j, i, x)
		}
	}
}

// setGaps marks all of E as not given.
func setGaps(e *mat.Dense) {
	setPairs(e, func(int, int) float64 { return math.NaN() })
}

// setSecond sets E to Σ_y,ij + p_i p_j.
func setSecond(dst *softmax.Moments, cov *mat.SymDense) {
	setPairs(dst.E, func(i, j int) float64 { return cov.At(i, j) + dst.P[i]*dst.P[j] })
}

// linearised has the Cross of a method for which the softmax is linear there,
// Σ_zy = V J with V = diag(v) and the Jacobian J_ij = s_i(δ_ij − s_j).
type linearised struct{}

// Cross implements [Covariances].
func (linearised) Cross(dst *mat.Dense, mean, variance []float64) {
	checkCross(dst, mean, variance)
	p := newPoint(mean)
	for i, v := range variance {
		for j, s := range p.s {
			if j == i {
				dst.Set(i, i, v*s*p.rest(i))
			} else {
				dst.Set(i, j, -v*p.s[i]*s)
			}
		}
	}
}

// noCov is the Cov of a method that gives no Σ_y.
type noCov struct{}

// Cov implements [Covariances]; dst is NaN.
func (noCov) Cov(dst *mat.SymDense, mean, variance []float64) {
	checkLogits(dst.SymmetricDim(), mean, variance)
	for i := range mean {
		for j := i; j < len(mean); j++ {
			dst.SetSym(i, j, math.NaN())
		}
	}
}

// noCross is the Cross of a method that gives no Σ_zy.
type noCross struct{}

// Cross implements [Covariances]; dst is NaN.
func (noCross) Cross(dst *mat.Dense, mean, variance []float64) {
	checkCross(dst, mean, variance)
	dst.Apply(func(int, int, float64) float64 { return math.NaN() }, dst)
}
