package meanfield

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// The normalised probit of the paper, and of another λ.
var probit1, probitScaled = &Method{normalizedProbit(1)}, &Method{normalizedProbit(1.25)}

// methods are all methods with the options that change their formulas, by the
// names of testdata/moments.csv.
func methods() map[string]*Method {
	return map[string]*Method{
		"Delta":                  Delta,
		"Taylor":                 Taylor,
		"MacKay":                 MacKay,
		"Pairwise0":              PairwiseMean,
		"Pairwise1":              Pairwise,
		"Daunizeau":              Daunizeau,
		"Unscented":              Unscented,
		"LaplaceBridge":          LaplaceBridge,
		"LogNormal":              LogNormal,
		"NormalizedProbit":       probit1,
		"NormalizedProbitScaled": probitScaled,
	}
}

// result is all that a method gives.
type result struct {
	*softmax.Moments
	cov   *mat.SymDense
	cross *mat.Dense
}

func evaluate(m *Method, mean, variance []float64) result {
	n := len(mean)
	r := result{softmax.NewMoments(n), mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)}
	m.Moments(r.Moments, mean, variance)
	m.Covariances(r.P, r.cov, r.cross, mean, variance)
	return r
}

// same reports whether got is want within the tolerances, NaN only where want is.
func same(got, want, abs, rel float64) bool {
	if math.IsNaN(want) {
		return math.IsNaN(got)
	}
	return scalar.EqualWithinAbsOrRel(got, want, abs, rel)
}

func TestReference(t *testing.T) {
	seen := map[string]bool{}
	for _, record := range check.Records(t, "testdata/moments.csv") {
		name, row := record[0], check.Numbers(record[1:])
		n := int(row[0])
		mean, variance, want := row[1:1+n], row[1+n:1+2*n], row[1+2*n:]
		if len(want) != n+2*n*n {
			t.Fatalf("%s: %d reference values for n = %d", name, len(want), n)
		}
		seen[name] = true
		got := evaluate(methods()[name], mean, variance)
		for k, w := range want {
			x, what := 0.0, "p"
			switch l := k - n; {
			case l < 0:
				x = got.P[k]
			case l < n*n:
				x, what = got.cov.At(l/n, l%n), "Σ_y"
			default:
				x, what = got.cross.At(l/n-n, l%n), "Σ_zy"
			}
			if !same(x, w, 1e-13, 1e-11) {
				t.Errorf("%s m=%v v=%v: %s, number %d = %.17g, want %.17g", name, mean, variance, what, k, x, w)
			}
		}
		for i, p := range got.P {
			for j, q := range got.P {
				if e := got.cov.At(i, j) + p*q; i != j && !same(got.E.At(i, j), e, 1e-15, 0) {
					t.Errorf("%s m=%v v=%v: E_%d%d = %g, want %g", name, mean, variance, i, j, got.E.At(i, j), e)
				}
			}
		}
	}
	for name := range methods() {
		if !seen[name] {
			t.Errorf("no reference values for %s", name)
		}
	}
}

func TestPanics(t *testing.T) {
	two, inf, nan := []float64{0, 0}, math.Inf(1), math.NaN()
	for name, m := range methods() {
		for _, c := range [][2][]float64{
			{two, {1}}, {{0}, {1}}, {two, {-1, 0}}, {two, {inf, 0}}, {two, {nan, 0}}, {{nan, 0}, two}, {{inf, 0}, two},
		} {
			mean, variance := c[0], c[1]
			label := fmt.Sprintf("%s m=%v v=%v ", name, mean, variance)
			check.AllPanic(t, map[string]func(){
				label + "Moments": func() { m.Moments(softmax.NewMoments(2), mean, variance) },
				label + "Covariances": func() {
					m.Covariances(two, mat.NewSymDense(2, nil), mat.NewDense(2, 2, nil), mean, variance)
				},
			})
		}
		check.AllPanic(t, map[string]func(){
			name + " three classes": func() {
				m.Covariances(two, mat.NewSymDense(3, nil), mat.NewDense(3, 3, nil), two, two)
			},
			name + " Σ_zy 2×3": func() {
				m.Covariances(two, mat.NewSymDense(2, nil), mat.NewDense(2, 3, nil), two, two)
			},
		})
	}
}
