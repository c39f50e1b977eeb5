package mvn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

// oneFactor returns P(X ≤ x) for loadings a.
func oneFactor(x, a []float64) float64 { return (&problem{n: len(x), x: x}).oneFactor(a) }

func normals(rnd *rand.Rand, d int, mean float64) []float64 {
	x := random.Normals(rnd, d)
	floats.AddConst(mean, x)
	return x
}

// arcsin returns asin r with full accuracy near ±1 too.
func arcsin(r float64) float64 { return math.Atan2(r, math.Sqrt((1-r)*(1+r))) }

// The orthants: ¼ + asin(ρ)/2π, and ⅛ + Σ asin(ρ)/4π, also near ρ = ±1 and for singular matrices.
func TestOrthants(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, r := range []float64{0, 1e-300, 0.5, 0.949, 0.951, 1 - 1e-6, 1 - 1e-12, 1 - epsilon, 1} {
		for _, r := range []float64{r, -r} {
			checkProb(t, fmt.Sprint(r), []float64{0, 0}, symmetric(2, []float64{r}), 0.25+arcsin(r)/(2*math.Pi), 1e-15)
		}
	}
	for k := range 300 {
		rank := 1 + k%4
		corr := check.RandomCorrelations(rnd, 3, rank)
		var sum float64
		for i := range 3 {
			for j := range i {
				sum += arcsin(max(-1, min(1, corr.At(i, j))))
			}
		}
		// One rounding error of ρ near ±1 is one of up to 1e-8 in asin ρ, and singular matrices are those only to
		// rounding.
		tol := 1e-14
		if rank < 3 {
			tol = 2e-8
		}
		got, _ := CDF(make([]float64, 3), corr)
		check.Near(t, fmt.Sprintf("rank %d, %v", rank, corr.RawSymmetric().Data), got, 0.125+sum/(4*math.Pi), tol)
	}
	// ρ = ½ is the argmax of d+1 independent variables.
	for _, d := range []int{2, 3, 4, 7, 30, 100} {
		corr := check.Correlations(d, func(i, j int) float64 { return 0.5 })
		checkProb(t, fmt.Sprint(d), make([]float64, d), corr, 1/float64(d+1), 1e-13)
	}
}

// A chain in any order, also with negative correlations, and one factor with loadings of any sign, 0 and ±1:
// against the lattice rule, which knows neither.
func TestStructures(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, d := range []int{4, 5, 7, 12} {
		r, a := make([]float64, d), make([]float64, d)
		for i := range d {
			r[i], a[i] = math.Tanh(rnd.NormFloat64()), math.Tanh(rnd.NormFloat64())
		}
		place := rnd.Perm(d)
		chain := check.Correlations(d, func(i, j int) float64 {
			product := 1.0
			for k := min(place[i], place[j]); k < max(place[i], place[j]); k++ {
				product *= r[k]
			}
			return product
		})
		factor := check.Correlations(d, func(i, j int) float64 { return a[i] * a[j] })
		for name, corr := range map[string]*mat.SymDense{"chain": chain, "factor": factor} {
			x := normals(rnd, d, 1)
			p := must(NewCDF(corr)).limits(x)
			want, bound := p.lattice(1e-6, 1e6)
			got, abserr := CDF(x, corr)
			check.True(t, abserr < 1e-12, "%s of %d: not recognised", name, d)
			near := math.Abs(got-want) < bound
			check.True(t, near, "%s of %d: P = %.12g, lattice rule %.12g ± %.1e", name, d, got, want, bound)
		}
	}
	// X₁ = T is a bound of T, X₂ = −T another.
	x := []float64{0.3, 0.7, 1.1}
	got := oneFactor(x, []float64{1, -1, 0.5})
	check.Near(t, "bounded factor", got, value(CDF(x, symmetric(3, []float64{-1, 0.5, -0.5}))), 1e-14)
}

// symmetric returns the correlation matrix with the given entries above the diagonal, row by row.
func symmetric(d int, above []float64) *mat.SymDense {
	return check.Correlations(d, func(i, j int) float64 { return above[j*(2*d-j-1)/2+i-j-1] })
}

// value drops the bound of the error.
func value(v, _ float64) float64 { return v }

// checkProb compares a probability with what it should be.
func checkProb(t *testing.T, name string, x []float64, corr mat.Symmetric, want, tol float64) {
	t.Helper()
	got, abserr := CDF(x, corr)
	check.True(t, scalar.EqualWithinAbs(got, want, tol), "%s: P = %.17g, want %.17g", name, got, want)
	check.True(t, math.Abs(got-want) <= abserr, "%s: error %.1e, bound %.1e", name, got-want, abserr)
}

// The reference values, for the variables in each cyclic order.
func TestReference(t *testing.T) {
	for name, dim := range map[string]int{"cdf": 0, "bivariate": 2, "trivariate": 3} {
		for k, row := range check.Rows(t, "testdata/"+name+".csv") {
			d, tol := dim, 1e-15
			if d == 0 {
				d, row, tol = int(row[0]), row[1:], 5e-14
			}
			x, corr, want := make([]float64, d), symmetric(d, row[d:len(row)-1]), row[len(row)-1]
			for first := range d {
				from := func(i int) int { return (i + first) % d }
				for i := range x {
					x[i] = row[from(i)]
				}
				turned := check.Correlations(d, func(i, j int) float64 { return corr.At(from(i), from(j)) })
				checkProb(t, fmt.Sprint(name, " row ", k, " from ", first), x, turned, want, tol)
			}
		}
	}
}

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
