package study

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// momentsError gathers the error of a method over many problems.
type momentsError struct {
	accuracy          float64 // of p and E, see accuracyOf
	variation         ratio   // total variation of p, against 1
	worst             float64 // the largest of them
	excess            float64 // sum of |Σp − 1|
	variances         ratio   // diagonal of Σ_y
	cov, cross        ratio
	indefinite, given int // of Σ_y: indefinite, and given at all

	reduced mat.SymDense
	factor  mat.Cholesky
}

// fastError bounds the error of the fast setting of [softmax.Exact], and
// momentError that of all others.
const fastError = 1e-8

// accuracyOf bounds the error of p and E by a method: how far they may be from
// what it stands for, which need not be the softmax.
func accuracyOf(a softmax.Approximation) float64 {
	if e, ok := a.(softmax.Exact); ok && e.Fast {
		return fastError
	}
	return momentError
}

// covError bounds the error of Σ_y = diag(p) − ppᵀ − L of n classes, in the
// spectral norm, where that of p and E is bounded by accuracy: a row of L has
// n−1 entries E_ij, and their sum on the diagonal.
func covError(n int, accuracy float64) float64 { return float64(2*n+1) * accuracy }

// add takes note of the moments got where want are right, to momentError.
func (e *momentsError) add(got, want *fullMoments) {
	var distance float64
	for j, p := range got.P {
		distance += 0.5 * math.Abs(p-want.P[j])
	}
	e.variation.add(distance, 1)
	e.worst = math.Max(e.worst, distance)
	e.excess += math.Abs(got.Excess())

	n := len(got.P)
	var diagonal, cov, cross squares
	for i := range n {
		diagonal.add(got.cov.At(i, i), want.cov.At(i, i))
		for j := range n {
			cov.add(got.cov.At(i, j), want.cov.At(i, j))
			cross.add(got.cross.At(i, j), want.cross.At(i, j))
		}
	}
	noise := math.Sqrt(float64(n)) * covError(n, momentError) // in the Frobenius norm
	e.variances.addMatrix(diagonal, noise)
	e.cov.addMatrix(cov, noise)
	e.cross.addMatrix(cross, noise*want.largest)

	if sum := mat.Sum(got.cov); !math.IsNaN(sum) && !math.IsInf(sum, 0) {
		e.given++
		if e.negative(got.cov) {
			e.indefinite++
		}
	}
}

// negative reports whether Σ_y has an eigenvalue below zero by more than the
// error of the moments and the rounding of the test. As in the paper the last
// class is left out.
func (e *momentsError) negative(cov *mat.SymDense) bool {
	const rounding = 1e-12 // of the trace
	n := cov.SymmetricDim() - 1
	if e.reduced.IsEmpty() {
		e.reduced.ReuseAsSym(n)
	}
	e.reduced.CopySym(cov)
	slack := math.Max(covError(n+1, e.accuracy), rounding*math.Abs(mat.Trace(&e.reduced)))
	for i := range n {
		e.reduced.SetSym(i, i, cov.At(i, i)+slack)
	}
	return !e.factor.Factorize(&e.reduced)
}

// momentsColumns are the columns of values.
var momentsColumns = []string{
	"tv", "tv_se", "tv_max", "excess", "var_error", "var_se", "cov_error", "cov_se", "cross_error", "cross_se", "indefinite",
}

func (e *momentsError) values() []float64 {
	indefinite := math.NaN()
	if e.given > 0 {
		indefinite = float64(e.indefinite) / float64(e.given)
	}
	n := float64(e.variation.count)
	tv, tvErr := e.variation.value()
	variances, variancesErr := e.variances.root()
	cov, covErr := e.cov.root()
	cross, crossErr := e.cross.root()
	return []float64{
		tv, tvErr, e.worst, e.excess / n,
		variances, variancesErr, cov, covErr, cross, crossErr, indefinite,
	}
}
