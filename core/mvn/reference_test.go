package mvn

import (
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/internal/check"
)

// symmetric returns the correlation matrix with the given entries above the diagonal, row by row.
func symmetric(d int, above []float64) *mat.SymDense {
	corr := mat.NewSymDense(d, nil)
	for i := range d {
		corr.SetSym(i, i, 1)
		for j := i + 1; j < d; j++ {
			corr.SetSym(i, j, above[0])
			above = above[1:]
		}
	}
	return corr
}

// value drops the bound of the error.
func value(v, _ float64) float64 { return v }

// problemOf returns the problem of any number of variables.
func problemOf(x []float64, corr mat.Symmetric) *problem {
	p := must(NewCDF(corr)).at(x)
	return &p
}

func valid(corr mat.Symmetric) error {
	_, err := NewCDF(corr)
	return err
}

// checkProb compares a probability with what it should be.
func checkProb(t *testing.T, name string, x []float64, corr mat.Symmetric, want, tol float64) {
	t.Helper()
	got, abserr := CDF(x, corr)
	if !scalar.EqualWithinAbs(got, want, tol) {
		t.Errorf("%s: P = %.17g, want %.17g, difference %.1e", name, got, want, got-want)
	}
	if !(math.Abs(got-want) <= abserr) {
		t.Errorf("%s: error %.1e, bound %.1e", name, got-want, abserr)
	}
}

func TestReference(t *testing.T) {
	for k, row := range check.Rows(t, "testdata/cdf.csv") {
		d := int(row[0])
		checkProb(t, "row "+strconv.Itoa(k), row[1:1+d], symmetric(d, row[1+d:len(row)-1]), row[len(row)-1], 5e-14)
	}
}

func TestSmallReference(t *testing.T) {
	for k, row := range check.Rows(t, "testdata/bivariate.csv") {
		h, key, r, want := row[0], row[1], row[2], row[3]
		for _, got := range []float64{bivariate(h, key, r, full), bivariate(key, h, r, full)} {
			check.Near(t, "bivariate row "+strconv.Itoa(k), got, want, 1e-15)
		}
	}
	for k, row := range check.Rows(t, "testdata/trivariate.csv") {
		x1, x2, x3, r12, r13, r23, want := row[0], row[1], row[2], row[3], row[4], row[5], row[6]
		for _, got := range []float64{
			value(trivariate(x1, x2, x3, r12, r13, r23, full)),
			value(trivariate(x2, x1, x3, r12, r23, r13, full)),
			value(trivariate(x3, x2, x1, r23, r13, r12, full)),
			value(trivariate(x3, x1, x2, r13, r23, r12, full)),
		} {
			check.Near(t, "trivariate row "+strconv.Itoa(k), got, want, 1e-15)
		}
	}
}
