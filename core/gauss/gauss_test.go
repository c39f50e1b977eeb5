package gauss

import (
	"math"
	"testing"

	check "closedform/internal/checktest"
	"closedform/internal/kernel"
)

// functions are the functions of one argument in the column order of testdata/normal.csv.
var functions = []struct {
	name string
	f    func(x float64) float64
}{
	{"PDF", PDF},
	{"CDF", CDF},
	{"LogCDF", LogCDF},
	{"InverseMills", InverseMills},
	{"TruncatedMean", func(x float64) float64 { return -InverseMills(x) }},
	{"TruncatedVar", TruncatedVar},
	{"Rectified gap", func(x float64) float64 { _, gap, _ := rectified(x); return gap }},
	{"Rectified variance", func(x float64) float64 { _, _, variance := rectified(x); return variance }},
}

// rectified returns what kernel.Rectified sets, for one argument.
func rectified(x float64) (prob, gap, variance float64) {
	var p, g, v [1]float64
	kernel.Rectified(p[:], g[:], v[:], []float64{x})
	return p[0], g[0], v[0]
}

// equal reports whether got is within a relative tolerance of want, or within
// a few units of the smallest subnormal number. (The relative comparison of
// gonum's scalar turns into an absolute one for differences below 1e-308.)
func equal(got, want, tol float64) bool {
	return got == want || math.Abs(got-want) <= tol*math.Abs(want)+1e-322
}

func TestReference(t *testing.T) {
	const tol = 4e-15 // the promise to callers is 1e-13
	rows := check.Rows(t, "testdata/normal.csv")
	check.True(t, len(rows) >= 800, "only %d reference points", len(rows))
	for _, row := range rows { // what comes in pairs is the same
		x := row[0]
		pdf, cdf := PDFCDF(x)
		prob, _, _ := rectified(x)
		check.True(t, pdf == PDF(x) && cdf == CDF(x) && prob == CDF(x), "%v: %v, %v, %v", x, pdf, cdf, prob)
	}
	for j, fn := range functions {
		for _, row := range rows {
			x, want := row[0], row[1+j]
			got := fn.f(x)
			check.True(t, equal(got, want, tol), "%s(%v) = %v, want %v", fn.name, x, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	inf := math.Inf(1)
	for _, x := range []float64{39, 1e3, 1e8, 1e9, 2e9, 1e16, 1e100, 1e154, 1e162, 1e308, inf} {
		want := map[string][2]float64{ // at −x and at x
			"PDF":                {0, 0},
			"CDF":                {0, 1},
			"LogCDF":             {-x * x / 2, 0},
			"InverseMills":       {x, 0},
			"TruncatedMean":      {-x, 0},
			"TruncatedVar":       {1 / x / x, 1},
			"Rectified gap":      {0, 0},
			"Rectified variance": {0, 1},
		}
		for _, fn := range functions {
			for i, arg := range []float64{-x, x} {
				// The next term of every expansion is of relative order 1/x², times log x for LogCDF.
				tol := 4e-16 + 10*math.Log(x)/x/x
				if x == inf {
					tol = 0
				}
				got, want := fn.f(arg), want[fn.name][i]
				check.True(t, equal(got, want, tol), "%s(%v) = %v, want %v", fn.name, arg, got, want)
			}
		}
	}
	for _, fn := range functions {
		check.True(t, math.IsNaN(fn.f(math.NaN())), "%s of NaN is a number", fn.name)
	}
}

func TestQuantile(t *testing.T) {
	for _, x := range []float64{-37, -8, -1.5, -0.1, 0.3, 2, 5} {
		check.Near(t, "Φ⁻¹(Φ(x))", Quantile(CDF(x)), x, 1e-8)
	}
}
