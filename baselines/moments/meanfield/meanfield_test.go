package meanfield

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	check "closedform/internal/checktest"
)

// methods are all methods, with two values of λ, by the names of testdata/moments.csv.
var methods = map[string]Method{
	"Delta":                  Delta,
	"Taylor":                 Taylor,
	"MacKay":                 MacKay,
	"Pairwise0":              PairwiseMean,
	"Pairwise1":              Pairwise,
	"Daunizeau":              Daunizeau,
	"Unscented":              Unscented,
	"LaplaceBridge":          LaplaceBridge,
	"LogNormal":              LogNormal,
	"NormalizedProbit":       normalizedProbit(1), // the λ of the paper
	"NormalizedProbitScaled": normalizedProbit(1.25),
}

func TestReference(t *testing.T) {
	seen := map[string]bool{}
	for _, record := range check.Records(t, "testdata/moments.csv") {
		name, row := record[0], check.Numbers(record[1:])
		n := int(row[0])
		mean, variance, want := row[1:1+n], row[1+n:1+2*n], row[1+2*n:]
		seen[name] = true
		p, cov, cross := make([]float64, n), mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
		methods[name].Moments(p, cov, cross, mean, variance)
		got := slices.Concat(p, mat.DenseCopyOf(cov).RawMatrix().Data, cross.RawMatrix().Data)
		check.Equal(t, name+": numbers", len(got), len(want))
		for k, w := range want { // NaN only where the reference is
			ok := scalar.EqualWithinAbsOrRel(got[k], w, 1e-13, 1e-11) || math.IsNaN(got[k]) && math.IsNaN(w)
			check.True(t, ok, "%s m=%v v=%v: number %d of p, Σ_y, Σ_zy = %g, want %g", name, mean, variance, k, got[k], w)
		}
	}
	for name := range methods {
		check.True(t, seen[name], "no reference values for %s", name)
	}
}

func TestPanics(t *testing.T) {
	two := []float64{0, 0}
	moments := func(order, rows int, variance []float64) func() {
		cov, cross := mat.NewSymDense(order, nil), mat.NewDense(rows, 2, nil)
		return func() { Delta.Moments(make([]float64, 2), cov, cross, two, variance) }
	}
	check.Panics(t, "softmax: ", "variance -1", moments(2, 2, []float64{-1, 0}))
	check.Panics(t, "meanfield: ", "order 3", moments(3, 2, two))
	check.Panics(t, "meanfield: ", "Σ_zy 3×2", moments(2, 3, two))
}
