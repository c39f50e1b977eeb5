// Package meanfield collects the closed forms that others use for the moments
// of softmax(z), z_j ~ N(m_j, v_j) independent, each behind
// [softmax.Approximation] and each with its formula and its reference. They are
// baselines: every method returns what its formula gives, also where the formula
// leaves [0, 1], and nothing is clamped.
//
// # What a method gives, and what it does not
//
// [softmax.Moments] derives Σ_y and Σ_zy from P and E, E_ij = E[s_i s_j]. Few of
// these methods respect that structure: some give a Σ_zy that does not follow
// from E, some give no Σ_zy, some not even Σ_y. Hence two rules.
//
//   - Moments fills P, and E with Σ_y,ij + p_i p_j where the method gives Σ_y,ij;
//     where it does not, E_ij is NaN. The diagonal of E is zero.
//   - Every method is a [Covariances]: its Cov and Cross give its own Σ_y and
//     Σ_zy, with NaN for every entry that it does not give. They take precedence
//     over the methods of [softmax.Moments] of the same name.
//
// So a NaN is always a gap and never a guess:
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
// # Domain
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

	// Cov sets dst to the covariance of the probabilities, Σ_y, n×n. Entries that
	// the method does not give are NaN.
	Cov(dst *mat.SymDense, mean, variance []float64)

	// Cross sets dst to the cross-covariance of logits (rows) and probabilities
	// (columns), Σ_zy, n×n. Entries that the method does not give are NaN.
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
