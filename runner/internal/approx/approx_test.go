package approx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/baselines/moments/meanfield"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/probit"
)

// two returns moments of two classes.
func two(p, variance, cross float64) *moments {
	m := newMoments(2)
	m.P[0], m.P[1] = p, 1-p
	for i, row := range [2][2]float64{{1, -1}, {-1, 1}} {
		for j, sign := range row {
			m.cov.SetSym(i, j, sign*variance)
			m.cross.Set(i, j, sign*cross)
		}
	}
	return m
}

// The errors by hand, for two problems of two classes.
func TestErrors(t *testing.T) {
	e := NewErrors(softmax.Exact{}, 2)
	e.add(two(0.5, 0.2, 1), two(0.6, 0.1, 3))
	bad := two(0.9, -0.1, 1)
	bad.P[1] = 0.3
	e.add(bad, two(0.9, 0.2, 1))
	check.NearAll(t, fmt.Sprint(Columns()), e.Row(), []float64{
		(0.1 + 0.1) / 2, 0, 0.1, 0.2 / 2,
		// a − qb = ∓0.04 for both a, of mean b = 0.1, and ∓1.6 where it is 20.
		math.Sqrt(2), 0.4 / (2 * math.Sqrt(2)), math.Sqrt(2), 0.4 / (2 * math.Sqrt(2)), math.Sqrt(0.4), 0.08 / (2 * math.Sqrt(0.4)), 0.5,
	}, 1e-12)
}

// The largest total variation is neither that of the first problem nor of the last.
func TestLargest(t *testing.T) {
	e := NewErrors(softmax.Exact{}, 2)
	for _, p := range []float64{0.1, 0.4, 0.2} {
		got := newMoments(2)
		got.P[0], got.P[1] = p, -p
		e.add(got, newMoments(2))
	}
	check.NearAll(t, "tv, tv_se and tv_max", e.Row()[:3], []float64{0.7 / 3, math.Sqrt((0.01 + 0.16 + 0.04 - 0.49/3) / 6), 0.4}, 1e-15)
}

// A relative error is NaN where the truth is within its own error of 0, and where a method gives no value.
func TestNoValue(t *testing.T) {
	e := NewErrors(softmax.Exact{}, 2)
	e.add(two(0.5, 1e-13, math.NaN()), two(0.5, 1e-12, 1))
	e.add(two(0.5, math.NaN(), 1), two(0.5, 1e-12, 1))
	for i, x := range e.Row()[4:10] {
		if !math.IsNaN(x) {
			t.Errorf("%s = %g", Columns()[4+i].Name, x)
		}
	}
	check.Equal(t, "share of indefinite matrices", e.Row()[10], 0)
}

// An eigenvalue is negative beyond the error of the moments only, and that is larger
// for the fast integrals. The last class is left out.
func TestNegative(t *testing.T) {
	for _, c := range []struct {
		a                     softmax.Approximation
		trace, smallest, last float64
		negative              bool
	}{
		{softmax.Exact{}, 1, -5e-4, 1, true},
		{softmax.Exact{}, 1, -1e-9, 1, true},
		{softmax.Probit{}, 1, -1e-9, 1, true},
		{softmax.Probit{}, 1, -5e-11, 1, false},
		{softmax.Exact{Fast: true}, 1, -5e-8, 1, false},
		{softmax.Exact{Fast: true}, 1, -1e-7, 1, true},
		{softmax.Exact{}, 1e6, -1e-7, 1, false}, // rounding
		{softmax.Exact{}, 1e6, -1e-4, 1, true},
		{softmax.Exact{}, 1, 0.1, -5, false},
	} {
		check.Equal(t, fmt.Sprintf("%+v: negative", c), NewErrors(c.a, 1).negative(mat.NewSymDense(3, []float64{c.trace, 0, 0, 0, c.smallest, 0, 0, 0, c.last})), c.negative)
	}
}

func TestDraw(t *testing.T) {
	z := Problems{Classes: 100000, Spread: 3, Variance: 2, Unequal: 0.5}.Draw(rand.New(random.Source("logits")))
	mean, sd := stat.MeanStdDev(z.Mean, nil)
	check.Near(t, "mean", mean, 0, 0.05)
	check.Near(t, "spread", sd, 3, 0.02)
	check.Near(t, "least variance", slices.Min(z.Variance), 1, 1e-3)
	check.Near(t, "largest variance", slices.Max(z.Variance), 3, 1e-3)
	check.Near(t, "mean variance", stat.Mean(z.Variance, nil), 2, 0.01)
}

// A name stands for a method that works for any number of classes, all of them near the exact moments.
func TestMethods(t *testing.T) {
	for method, want := range map[Method]softmax.Approximation{
		"probit-lsq": softmax.Probit{Lambda: probit.Lambda{Word: "lsq"}.Value(3, 0.5), Rho: 0.5},
		"exact-fast": softmax.Exact{Fast: true}, "laplace-bridge": meanfield.LaplaceBridge,
	} {
		check.Equal(t, method, method.Of(3), want)
	}
	for _, method := range Methods() {
		for _, n := range []int{2, 3} {
			m, exact := newMoments(n), newMoments(n)
			z := Logits{[]float64{0, 0.1, 0.2}[:n], slices.Repeat([]float64{0.2}, n)}
			m.compute(method.Of(n), z)
			exact.compute(softmax.Exact{}, z)
			check.NearAll(t, fmt.Sprintf("%s, n=%d", method, n), m.P, exact.P, 0.06)
			// Own covariances win over those that follow from E.
			if method == "laplace-bridge" && !math.IsNaN(m.cross.At(0, 0)) {
				t.Error("the Laplace bridge gives no Σ_zy")
			}
		}
	}
}
