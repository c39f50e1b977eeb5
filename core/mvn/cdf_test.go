package mvn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

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
