package mvn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
)

// differences returns central differences of CDF. Their truncation error is that
// of h²/6 third derivatives.
func differences(x []float64, corr mat.Symmetric, h float64) []float64 {
	dst, y := make([]float64, len(x)), append([]float64(nil), x...)
	for i := range x {
		y[i] = x[i] + h
		up, _ := CDF(y, corr)
		y[i] = x[i] - h
		down, _ := CDF(y, corr)
		dst[i], y[i] = (up-down)/(2*h), x[i]
	}
	return dst
}

func checkGradient(t *testing.T, name string, x []float64, corr mat.Symmetric, h, tol float64) {
	t.Helper()
	want := differences(x, corr, h)
	for i, got := range Gradient(nil, x, corr) {
		if !scalar.EqualWithinAbs(got, want[i], tol) {
			t.Errorf("%s: x = %v: ∂_%d P = %.12g, finite difference %.12g", name, x, i, got, want[i])
		}
	}
}

func TestGradientIsDerivative(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, d := range []int{1, 2, 3, 4} {
		for range 20 {
			x, corr := normals(rnd, d, 0), filled(d, func(i, j int) float64 { return 0 })
			corr.CopySym(wishart(rnd, d, d+4))
			checkGradient(t, "general", x, corr, 1e-4, 1e-6)
		}
	}
	a := []float64{0.9, -0.5, 0.3, 0.8, 0, 0.6, -0.7, 0.4}
	checkGradient(t, "factor", normals(rnd, 8, 1), filled(8, func(i, j int) float64 { return a[i] * a[j] }), 1e-4, 1e-7)
	checkGradient(t, "chain", normals(rnd, 8, 1), filled(8, func(i, j int) float64 { return math.Pow(-0.6, float64(i-j)) }), 1e-4, 1e-7)
	// The lattice rule is as smooth in x as P as long as the order of the
	// variables stays: its error does not count in the difference.
	checkGradient(t, "lattice", normals(rnd, 5, 0.5), wishart(rnd, 5, 9), 1e-3, 2e-5)
}

// The conditional problem of a Markov chain or one factor is again one, and done
// exactly: d = 100 against the known sum of the derivatives along the diagonal.
func TestGradientOfStructures(t *testing.T) {
	const d, h = 100, 1e-4
	for name, corr := range map[string]*mat.SymDense{
		"factor": filled(d, func(i, j int) float64 { return 0.5 }),
		"chain":  filled(d, func(i, j int) float64 { return math.Pow(0.8, float64(i-j)) }),
	} {
		x, up, down := make([]float64, d), make([]float64, d), make([]float64, d)
		for i := range x {
			x[i] = 2 + math.Sin(float64(i))
			up[i], down[i] = x[i]+h, x[i]-h
		}
		high, _ := CDF(up, corr)
		low, _ := CDF(down, corr)
		var sum float64
		for _, g := range Gradient(make([]float64, d), x, corr) {
			sum += g
		}
		if want := (high - low) / (2 * h); !scalar.EqualWithinRel(sum, want, 1e-6) {
			t.Errorf("%s: Σ∂P = %.12g, finite difference %.12g", name, sum, want)
		}
	}
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
		for i, got := range Gradient(nil, c.x, c.corr) {
			if !scalar.EqualWithinAbs(got, c.want[i], 1e-13) {
				t.Errorf("%s: ∂_%d P = %.15g, want %.15g", c.name, i, got, c.want[i])
			}
		}
	}
}
