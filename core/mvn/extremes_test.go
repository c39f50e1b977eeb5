package mvn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	check "closedform/internal/checktest"
)

// An infinite limit drops its variable or makes P zero; a huge one does nearly.
func TestInfiniteLimits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for d := 2; d <= 5; d++ {
		corr := check.RandomCorrelations(rnd, d, d+2)
		for i := range d {
			x := normals(rnd, d, 0.5)
			rest := check.Correlations(d-1, func(a, b int) float64 { return corr.At(skip(a, i), skip(b, i)) })
			want, _ := CDF(slices.Concat(x[:i], x[i+1:]), rest)
			for _, v := range []float64{math.Inf(1), math.MaxFloat64, 40} {
				x[i] = v
				checkProb(t, "no limit", x, corr, want, 1e-14)
				check.Equal(t, fmt.Sprint("∂P at x = ", v), Gradient(nil, x, corr)[i], 0)
			}
			for _, v := range []float64{math.Inf(-1), -math.MaxFloat64, -40} {
				x[i] = v
				checkProb(t, "impossible", x, corr, 0, 0)
				for _, g := range Gradient(nil, x, corr) {
					check.True(t, scalar.EqualWithinAbs(g, 0, 1e-300), "d = %d: gradient %g of an impossible event", d, g)
				}
			}
		}
	}
	all := []float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	for d := 2; d <= 4; d++ {
		checkProb(t, "no limits", all[:d], check.RandomCorrelations(rnd, d, 6), 1, 0)
	}
}

func skip(a, i int) int {
	if a < i {
		return a
	}
	return a + 1
}

// Any limits and any matrix, singular and nearly so, give a probability.
func TestSound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	limits := []float64{0, 1e-300, -1, 1, 3, -7, 30, 1e8, -1e8, math.Inf(1)}
	for k := range 400 {
		d := 2 + k%4
		corr := check.RandomCorrelations(rnd, d, 1+rnd.IntN(d))
		if k%3 == 0 || d > 3 { // near ±1
			s := math.Pow(10, -17*rnd.Float64())
			sign := []float64{1, -1, 1, 1, -1}
			corr = check.Correlations(d, func(i, j int) float64 { return (1 - s) * sign[i] * sign[j] })
		}
		x := make([]float64, d)
		for i := range x {
			x[i] = limits[rnd.IntN(len(limits))]
		}
		p, abserr := CDF(x, corr)
		sound := p >= 0 && p <= 1 && abserr >= 0 && abserr < 1e-4
		check.True(t, sound, "x = %v, corr %v: P = %g ± %g", x, corr, p, abserr)
		for i, g := range Gradient(nil, x, corr) {
			check.True(t, g >= 0 && g <= gauss.PDF(x[i])*(1+1e-4), "x = %v, corr %v: ∂_%d P = %g", x, corr, i, g)
		}
	}
}

func TestPanics(t *testing.T) {
	four := func(r float64) *mat.SymDense { return check.Correlations(4, func(i, j int) float64 { return r }) }
	variance := four(0)
	variance.SetSym(2, 2, 2)
	two, three := make([]float64, 2), make([]float64, 3)
	dummy := symmetric(2, []float64{0})
	for _, c := range []struct {
		x     []float64
		corr  mat.Symmetric
		words string
		valid bool // the matrix alone
	}{
		{three, dummy, "need the same order", true},
		{nil, nil, "no correlation matrix", false},
		{nil, new(mat.SymDense), "at least 1", false},
		{[]float64{0, math.NaN()}, dummy, "limit 1 is NaN", true},
		{make([]float64, 4), variance, "1 on its diagonal", false},
		{two, symmetric(2, []float64{1.1}), "[−1, 1]", false},
		{three, symmetric(3, []float64{0, 0, math.NaN()}), "[−1, 1]", false},
		{make([]float64, 4), four(math.NaN()), "[−1, 1]", false},
		{three, symmetric(3, []float64{0.9, 0.9, -0.9}), "indefinite", false},
		{three, symmetric(3, []float64{-0.5, -0.5, -0.5 - 1e-12}), "indefinite", false},
		{make([]float64, 4), four(-0.5), "indefinite", false},
		{make([]float64, 4), four(-1./3 - 1e-12), "indefinite", false},
		{make([]float64, 4), symmetric(4, []float64{1, 1, 0.5, 1, -0.5, 0.5}), "indefinite", false}, // zero pivots
	} {
		check.Panics(t, "mvn: ", c.words, func() { CDF(c.x, c.corr) })
		check.Panics(t, "mvn: ", c.words, func() { Gradient(nil, c.x, c.corr) })
		check.Equal(t, "valid in spite of "+c.words, check.Err(NewCDF(c.corr)) == nil, c.valid)
	}
	check.Panics(t, "mvn: ", "same length", func() { Gradient(three, two, dummy) })
	// Singular to rounding is allowed.
	for _, corr := range []*mat.SymDense{four(-1. / 3), four(1), symmetric(3, []float64{-0.5, -0.5, -0.5})} {
		CDF(make([]float64, corr.SymmetricDim()), corr)
	}
}

func checkGradient(t *testing.T, name string, x []float64, corr mat.Symmetric, h, tol float64) {
	t.Helper()
	p := func(x []float64) float64 { return value(CDF(x, corr)) }
	want := fd.Gradient(nil, p, x, &fd.Settings{Formula: fd.Central, Step: h})
	check.NearAll(t, name, Gradient(nil, x, corr), want, tol)
}

func TestGradientIsDerivative(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, d := range []int{1, 2, 3, 4} {
		for range 20 / d {
			checkGradient(t, "general", normals(rnd, d, 0), check.RandomCorrelations(rnd, d, d+4), 1e-4, 1e-6)
		}
	}
	a := []float64{0.9, -0.5, 0.3, 0.8, 0, 0.6, -0.7, 0.4}
	factor := check.Correlations(8, func(i, j int) float64 { return a[i] * a[j] })
	checkGradient(t, "factor", normals(rnd, 8, 1), factor, 1e-4, 1e-7)
	chain := check.Correlations(8, func(i, j int) float64 { return math.Pow(-0.6, float64(i-j)) })
	checkGradient(t, "chain", normals(rnd, 8, 1), chain, 1e-4, 1e-7)
	// The lattice rule is as smooth in x as P as long as the order of the variables stays: its error does not
	// count in the difference.
	checkGradient(t, "lattice", normals(rnd, 5, 0.5), check.RandomCorrelations(rnd, 5, 9), 1e-3, 2e-5)
}

// Singular conditionals; on a tie the derivative is the one from below.
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
			"four, X₂ = X₁, X₄ = −X₃",
			[]float64{-0.3, 0.2, 0.4, 0.1},
			symmetric(4, []float64{1, 0.6, -0.6, 0.6, -0.6, -1}),
			[]float64{
				pdf(0.3) * (third(0.4, -0.3) - third(-0.1, -0.3)),
				0,
				pdf(0.4) * third(-0.3, 0.4),
				pdf(0.1) * third(-0.3, -0.1),
			},
		},
	} {
		check.NearAll(t, c.name, Gradient(nil, c.x, c.corr), c.want, 1e-13)
	}
}

// Gradient may overwrite its argument, and a distribution says the same again.
func TestGradientInPlace(t *testing.T) {
	rnd := rand.New(rand.NewPCG(29, 30))
	for d := 1; d <= 5; d++ {
		x, corr := normals(rnd, d, 0.5), check.RandomCorrelations(rnd, d, d+2)
		want, p := Gradient(nil, x, corr), value(CDF(x, corr))
		dist := check.Must(NewCDF(corr))
		corr.SetSym(0, 0, 7) // the matrix was copied
		check.NearAll(t, "gradient again", dist.Gradient(nil, x), want, 0)
		check.Near(t, "probability again", value(dist.Prob(x)), p, 0)
		check.NearAll(t, "gradient in place", dist.Gradient(x, x), want, 0)
	}
}
