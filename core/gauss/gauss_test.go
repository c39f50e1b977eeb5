package gauss

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"closedform/internal/check"
	"closedform/internal/kernel"
)

// functions are the functions of one argument in the column order of
// testdata/normal.csv.
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
	if len(rows) < 800 {
		t.Fatalf("only %d reference points", len(rows))
	}
	for _, row := range rows { // what comes in pairs is the same
		x := row[0]
		pdf, cdf := PDFCDF(x)
		prob, _, _ := rectified(x)
		if pdf != PDF(x) || cdf != CDF(x) || prob != CDF(x) {
			t.Errorf("x = %v: PDFCDF = %v, %v, Rectified prob = %v, want %v, %v", x, pdf, cdf, prob, PDF(x), CDF(x))
		}
	}
	for j, fn := range functions {
		for _, row := range rows {
			x, want := row[0], row[1+j]
			got := fn.f(x)
			if !equal(got, want, tol) {
				t.Errorf("%s(%v) = %v, want %v", fn.name, x, got, want)
			}
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
				// The next term of every expansion is of relative order 1/x²,
				// times log x for LogCDF.
				tol := 4e-16 + 10*math.Log(x)/x/x
				if x == inf {
					tol = 0
				}
				got, want := fn.f(arg), want[fn.name][i]
				if !equal(got, want, tol) {
					t.Errorf("%s(%v) = %v, want %v", fn.name, arg, got, want)
				}
			}
		}
	}
	for _, fn := range functions {
		if got := fn.f(math.NaN()); !math.IsNaN(got) {
			t.Errorf("%s(NaN) = %v", fn.name, got)
		}
	}
}

// TestDerivatives compares finite differences with
//
//	Φ' = φ, (log Φ)' = h, h' = −h (x+h), (E[Z | Z ≤ x])' = 1 − Var[Z | Z ≤ x],
//	(E max(Z+x, 0))' = Φ, (Var max(Z+x, 0))' = 2 E max(Z+x, 0) Φ(−x).
func TestDerivatives(t *testing.T) {
	mean := func(x float64) float64 {
		_, gap, _ := rectified(x)
		return math.Max(x, 0) + gap
	}
	variance := functions[7].f
	for _, test := range []struct {
		name  string
		f, df func(x float64) float64
	}{
		{"CDF", CDF, PDF},
		{"LogCDF", LogCDF, InverseMills},
		{"InverseMills", InverseMills, func(x float64) float64 { h := InverseMills(x); return -h * (x + h) }},
		{"Rectified mean", mean, CDF},
		{"Rectified variance", variance, func(x float64) float64 { return 2 * mean(x) * CDF(-x) }},
	} {
		for x := -12.03; x < 12; x += 0.25 {
			got := check.Derivative(test.f, x, 1e-5)
			// Differences of f have an error of 2⁻⁵³ |f|/step.
			tol := 1e-10 * (math.Abs(test.f(x)) + 1)
			if want := test.df(x); !scalar.EqualWithinAbs(got, want, tol) {
				t.Errorf("%s'(%v) = %v, want %v", test.name, x, got, want)
			}
		}
	}
}

func FuzzRange(f *testing.F) {
	for _, x := range []float64{0, -1e-300, 5, -5, -38.6, 38.6, -1e9, -1e10, 1e308, math.Inf(-1), math.Inf(1)} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if math.IsNaN(x) {
			t.Skip()
		}
		prob, gap, variance := rectified(x)
		for _, v := range []struct {
			name          string
			got, min, max float64
		}{
			{"PDF", PDF(x), 0, 0.4},
			{"CDF", CDF(x), 0, 1},
			{"LogCDF", LogCDF(x), math.Inf(-1), 0},
			{"InverseMills", InverseMills(x), math.Max(0, -x), 0.8 + math.Max(0, -x)},
			{"TruncatedVar", TruncatedVar(x), 0, 1},
			{"Rectified prob", prob, 0, 1},
			{"Rectified gap", gap, 0, 0.4},
			{"Rectified variance", variance, 0, 1},
		} {
			if !(v.min <= v.got && v.got <= v.max) {
				t.Errorf("%s(%v) = %v, want a value from %v to %v", v.name, x, v.got, v.min, v.max)
			}
		}
	})
}

func BenchmarkFunctions(b *testing.B) {
	for _, fn := range functions {
		b.Run(fn.name, func(b *testing.B) {
			x := -6.0
			for b.Loop() {
				if x += 0.01 + 1e-9*fn.f(x); x > 6 {
					x = -6
				}
			}
		})
	}
}
