package study

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// momentsError gathers the error of a method over many problems.
type momentsError struct {
	problems          int
	variation, worst  float64 // sum and largest of the total variation of p
	excess            float64 // sum of |Σp − 1|
	variances         ratio   // diagonal of Σ_y
	cov, cross        ratio
	indefinite, given int // of Σ_y: indefinite, and given at all

	reduced mat.SymDense
	factor  mat.Cholesky
}

// ratio is a relative error in the Frobenius norm over many matrices,
// √(Σ‖A−B‖² / Σ‖B‖²). A method without A leaves NaN.
type ratio struct{ error, size float64 }

func (r *ratio) add(got, want float64) {
	r.error += (got - want) * (got - want)
	r.size += want * want
}

func (r ratio) value() float64 { return math.Sqrt(r.error / r.size) }

// add takes note of the moments got where want are right.
func (e *momentsError) add(got, want *fullMoments) {
	e.problems++
	var distance float64
	for j, p := range got.P {
		distance += 0.5 * math.Abs(p-want.P[j])
	}
	e.variation += distance
	e.worst = math.Max(e.worst, distance)
	e.excess += math.Abs(got.Excess())
	for i := range got.P {
		e.variances.add(got.cov.At(i, i), want.cov.At(i, i))
		for j := range got.P {
			e.cov.add(got.cov.At(i, j), want.cov.At(i, j))
			e.cross.add(got.cross.At(i, j), want.cross.At(i, j))
		}
	}
	if sum := mat.Sum(got.cov); !math.IsNaN(sum) && !math.IsInf(sum, 0) {
		e.given++
		if e.negative(got.cov) {
			e.indefinite++
		}
	}
}

// negative reports whether Σ_y has an eigenvalue below zero by more than the
// error of the moments and of the test. As in the paper the last class is left
// out.
func (e *momentsError) negative(cov *mat.SymDense) bool {
	n := cov.SymmetricDim() - 1
	if e.reduced.IsEmpty() {
		e.reduced.ReuseAsSym(n)
	}
	e.reduced.CopySym(cov)
	slack := math.Max(momentError, 1e-8*math.Abs(mat.Trace(&e.reduced)))
	for i := range n {
		e.reduced.SetSym(i, i, cov.At(i, i)+slack)
	}
	return !e.factor.Factorize(&e.reduced)
}

// momentsColumns are the columns of values.
var momentsColumns = []string{"tv", "tv_max", "excess", "var_error", "cov_error", "cross_error", "indefinite"}

func (e *momentsError) values() []float64 {
	n := float64(e.problems)
	indefinite := math.NaN()
	if e.given > 0 {
		indefinite = float64(e.indefinite) / float64(e.given)
	}
	return []float64{
		e.variation / n, e.worst, e.excess / n,
		e.variances.value(), e.cov.value(), e.cross.value(), indefinite,
	}
}
