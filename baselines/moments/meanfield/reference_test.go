package meanfield

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	"closedform/internal/check"
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
		"LaplaceBridgeCorrect":   LaplaceBridgeCorrected,
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
	m.Covariances(r.cov, r.cross, mean, variance)
	return r
}

// same reports whether got is want within the tolerances, NaN only where want is.
func same(got, want, abs, rel float64) bool {
	if math.IsNaN(want) {
		return math.IsNaN(got)
	}
	return scalar.EqualWithinAbsOrRel(got, want, abs, rel)
}

func TestOwenReference(t *testing.T) {
	rule := newOwenRule()
	for _, row := range check.Rows(t, "testdata/owen.csv") {
		spread, mixed := rule.secondMoments(row[0], row[1])
		if !scalar.EqualWithinAbsOrRel(spread, row[2], 1e-13, 1e-13) || !scalar.EqualWithinAbsOrRel(mixed, row[3], 1e-13, 1e-13) {
			t.Errorf("t=%g sd=%g: %.16g and %.16g, want %.16g and %.16g", row[0], row[1], spread, mixed, row[2], row[3])
		}
	}
}

func TestReference(t *testing.T) {
	seen := map[string]bool{}
	for _, record := range check.Records(t, "testdata/moments.csv") {
		name, row := record[0], check.Numbers(t, record[1:])
		n := int(row[0])
		mean, variance, want := row[1:1+n], row[1+n:1+2*n], row[1+2*n:]
		if len(want) != n+2*n*n {
			t.Fatalf("%s: %d reference values for n = %d", name, len(want), n)
		}
		seen[name] = true
		m := methods()[name]
		abs := 1e-14
		switch m {
		case Delta, Taylor, Unscented:
			abs = 0 // near a certain class, too
		}
		got := evaluate(m, mean, variance)
		for j, p := range got.P {
			if !same(p, want[j], abs, 1e-11) {
				t.Errorf("%s m=%v v=%v: p_%d = %.17g, want %.17g", name, mean, variance, j, p, want[j])
			}
		}
		for k := range n * n {
			i, j := k/n, k%n
			if c, w := got.cov.At(i, j), want[n+k]; !same(c, w, abs, 1e-11) {
				t.Errorf("%s m=%v v=%v: Cov_%d%d = %.17g, want %.17g", name, mean, variance, i, j, c, w)
			}
			if c, w := got.cross.At(i, j), want[n+n*n+k]; !same(c, w, abs, 1e-11) {
				t.Errorf("%s m=%v v=%v: Cross_%d%d = %.17g, want %.17g", name, mean, variance, i, j, c, w)
			}
		}
	}
	for name := range methods() {
		if !seen[name] {
			t.Errorf("no reference values for %s", name)
		}
	}
}

// E holds Σ_y + p pᵀ where Σ_y is given and NaN elsewhere, with zero diagonal;
// rows of a full Σ_y and Σ_zy add up to zero.
func TestStructure(t *testing.T) {
	structure := func(mean, variance []float64) {
		for name, m := range methods() {
			got := evaluate(m, mean, variance)
			for i, p := range got.P {
				var covSum, crossSum float64
				for j, q := range got.P {
					want := 0.0
					if i != j {
						want = got.cov.At(i, j) + p*q
					}
					scale := 1 + math.Abs(want) + math.Abs(p*q)
					if e := got.E.At(i, j); !same(e, want, 1e-13*scale, 0) {
						t.Errorf("%s m=%v v=%v: E_%d%d = %g, want %g", name, mean, variance, i, j, e, want)
					}
					covSum += got.cov.At(i, j)
					crossSum += got.cross.At(i, j)
				}
				if math.Abs(covSum) > 1e-12*(1+mat.Max(got.cov)) || math.Abs(crossSum) > 1e-12*(1+mat.Max(got.cross)) {
					t.Errorf("%s m=%v v=%v: row %d of Σ_y adds up to %g, of Σ_zy to %g", name, mean, variance, i, covSum, crossSum)
				}
			}
		}
	}
	cases(2, 100, structure)
	cases(5, 100, structure)
}

func BenchmarkMoments(b *testing.B) {
	const n = 10
	cases(n, 1, func(mean, variance []float64) {
		for name, m := range methods() {
			b.Run(name, func(b *testing.B) {
				dst, cov, cross := softmax.NewMoments(n), mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
				b.ReportAllocs()
				for b.Loop() {
					m.Moments(dst, mean, variance)
					m.Covariances(cov, cross, mean, variance)
				}
			})
		}
	})
}
