// Package meanfield collects the closed forms that others use for the moments of softmax(z), z_j ~ N(m_j, v_j)
// independent, each with its formula and its reference. Every method returns what its formula gives, also
// where that leaves [0, 1].
//
// [softmax.Moments] derives Σ_y and Σ_zy from P and E, which few of these methods respect: their Covariances
// take precedence. Moments fills P and, off the diagonal, E_ij with Σ_y,ij + p_i p_j. NaN stands for what a
// method does not give:
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
// Rounding errors are absolute, of the order of 1e-14, and for LogNormal variances must be below 700. Moments
// and Covariances panic if sizes do not match, if a mean is not finite, or if a variance is negative or not
// finite. All methods are safe for concurrent use.
package meanfield

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// Method is one of the closed forms.
type Method struct {
	formula func(mean, variance []float64) moments
}

// The methods. Of the functions that they are made of, each states its formula.
var (
	Delta                  = &Method{firstOrder}
	Taylor                 = &Method{taylor}
	Unscented              = &Method{unscented}
	LogNormal              = &Method{logNormal}
	LaplaceBridge          = &Method{laplaceBridge(false)}
	LaplaceBridgeCorrected = &Method{laplaceBridge(true)}
	NormalizedProbit       = &Method{normalizedProbit(math.Sqrt(math.Pi / 2))} // the slope of the softmax
	Daunizeau              = &Method{daunizeau}
	PairwiseMean           = &Method{pairwise(false)} // of order 0
	Pairwise               = &Method{pairwise(true)}  // of orders 1 and 2
	MacKay                 = &Method{macKay}
)

var _ softmax.Approximation = Delta

// moments are what a method gives.
type moments struct {
	p          []float64
	cov, cross func(i, j int) float64 // Σ_y,ij for i ≤ j, and Σ_zy,ij; nil: not given
}

func notGiven(int, int) float64 { return math.NaN() }

// evaluate returns the moments of n logits.
func (m *Method) evaluate(n int, mean, variance []float64) moments {
	softmax.CheckLogits(n, mean, variance)
	r := m.formula(mean, variance)
	if r.cov == nil {
		r.cov = notGiven
	}
	if r.cross == nil {
		r.cross = notGiven
	}
	return r
}

// Moments implements [softmax.Approximation].
func (m *Method) Moments(dst *softmax.Moments, mean, variance []float64) {
	r := m.evaluate(len(dst.P), mean, variance)
	copy(dst.P, r.p)
	dst.E.Zero()
	for i, p := range r.p {
		for j := i + 1; j < len(r.p); j++ {
			e := r.cov(i, j) + p*r.p[j]
			dst.E.Set(i, j, e)
			dst.E.Set(j, i, e)
		}
	}
}

// Covariances sets cov to the covariance of the probabilities, Σ_y, and cross to the
// cross-covariance of logits (rows) and probabilities (columns), Σ_zy, both n×n.
func (m *Method) Covariances(cov *mat.SymDense, cross *mat.Dense, mean, variance []float64) {
	n := cov.SymmetricDim()
	if rows, columns := cross.Dims(); rows != n || columns != n {
		panic(fmt.Sprintf("meanfield: Σ_zy into a %d×%d matrix for %d classes", rows, columns, n))
	}
	r := m.evaluate(n, mean, variance)
	for i := range n {
		for j := i; j < n; j++ {
			cov.SetSym(i, j, r.cov(i, j))
		}
	}
	cross.Apply(func(i, j int, _ float64) float64 { return r.cross(i, j) }, cross)
}
