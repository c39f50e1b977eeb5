package mvn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/internal/check"
)

func checkGradient(t *testing.T, name string, x []float64, corr mat.Symmetric, h, tol float64) {
	t.Helper()
	want := check.Gradient(func(x []float64) float64 { return value(CDF(x, corr)) }, x, h)
	check.NearAll(t, name, Gradient(nil, x, corr), want, tol)
}

func TestGradientIsDerivative(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, d := range []int{1, 2, 3, 4} {
		for range 20 {
			checkGradient(t, "general", normals(rnd, d, 0), wishart(rnd, d, d+4), 1e-4, 1e-6)
		}
	}
	a := []float64{0.9, -0.5, 0.3, 0.8, 0, 0.6, -0.7, 0.4}
	checkGradient(t, "factor", normals(rnd, 8, 1), filled(8, func(i, j int) float64 { return a[i] * a[j] }), 1e-4, 1e-7)
	checkGradient(t, "chain", normals(rnd, 8, 1), filled(8, func(i, j int) float64 { return math.Pow(-0.6, float64(i-j)) }), 1e-4, 1e-7)
	// The lattice rule is as smooth in x as P as long as the order of the
	// variables stays: its error does not count in the difference.
	checkGradient(t, "lattice", normals(rnd, 5, 0.5), wishart(rnd, 5, 9), 1e-3, 2e-5)
}

// Singular conditionals: X₂ = ±X₁, and X₁ = X₂ on a tie, where the derivative is
// the one from below.
func TestGradientOfPoints(t *testing.T) {
	pdf := gauss.PDF
	third := func(x, given float64) float64 { return gauss.CDF((x - 0.6*given) / 0.8) }
	for _, c := range []struct {
		name string
		x    []float64
		corr *mat.SymDense
		want []float64
	}{
		{"X₂ = X₁, smaller first", []float64{-0.3, 0.2}, symmetric(2, []float64{1}), []float64{pdf(0.3), 0}},
		{"X₂ = X₁, tie", []float64{0.2, 0.2}, symmetric(2, []float64{1}), []float64{pdf(0.2), pdf(0.2)}},
		{"X₂ = −X₁, an interval", []float64{0.5, 0.2}, symmetric(2, []float64{-1}), []float64{pdf(0.5), pdf(0.2)}},
		{"X₂ = −X₁, empty", []float64{-0.5, 0.2}, symmetric(2, []float64{-1}), []float64{0, 0}},
		{
			"three, X₂ = X₁",
			[]float64{-0.3, 0.2, 0.4},
			symmetric(3, []float64{1, 0.6, 0.6}),
			[]float64{pdf(0.3) * third(0.4, -0.3), 0, pdf(0.4) * third(-0.3, 0.4)},
		},
		{
			"three, X₂ = −X₁",
			[]float64{0.5, 0.2, 0.4},
			symmetric(3, []float64{-1, 0.6, -0.6}),
			[]float64{pdf(0.5) * third(0.4, 0.5), pdf(0.2) * third(0.4, -0.2), pdf(0.4) * (third(0.5, 0.4) - third(-0.2, 0.4))},
		},
		{
			"four, X₂ = X₁, X₄ = −X₃",
			[]float64{-0.3, 0.2, 0.4, 0.1},
			symmetric(4, []float64{1, 0.6, -0.6, 0.6, -0.6, -1}),
			[]float64{pdf(0.3) * (third(0.4, -0.3) - third(-0.1, -0.3)), 0, pdf(0.4) * third(-0.3, 0.4), pdf(0.1) * third(-0.3, -0.1)},
		},
		{
			"four, X₁ = X₂ = X₃",
			[]float64{-0.3, 0.2, 0.4, 0.4},
			symmetric(4, []float64{1, 1, 0.6, 1, 0.6, 0.6}),
			[]float64{pdf(0.3) * third(0.4, -0.3), 0, 0, pdf(0.4) * third(-0.3, 0.4)},
		},
	} {
		check.NearAll(t, c.name, Gradient(nil, c.x, c.corr), c.want, 1e-13)
	}
}

// Gradient may overwrite its argument, and a distribution says the same again.
func TestGradientInPlace(t *testing.T) {
	rnd := rand.New(rand.NewPCG(29, 30))
	for d := 1; d <= 6; d++ {
		x, corr := normals(rnd, d, 0.5), wishart(rnd, d, d+2)
		want, p := Gradient(nil, x, corr), value(CDF(x, corr))
		dist := check.Must(NewCDF(corr))
		corr.SetSym(0, 0, 7) // the matrix was copied
		check.NearAll(t, "gradient again", dist.Gradient(nil, x), want, 0)
		check.Near(t, "probability again", value(dist.Prob(x)), p, 0)
		check.NearAll(t, "gradient in place", dist.Gradient(x, x), want, 0)
	}
}
