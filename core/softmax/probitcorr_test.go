package softmax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/mvn"
	"closedform/internal/check"
)

// correlations returns an n×n correlation matrix with f beside the diagonal.
func correlations(n int, f func(i, j int) float64) *mat.SymDense {
	corr := mat.NewSymDense(n, nil)
	for i := range n {
		corr.SetSym(i, i, 1)
		for j := range i {
			corr.SetSym(i, j, f(i, j))
		}
	}
	return corr
}

// unequal returns random correlations of both signs.
func unequal(rnd *rand.Rand, n int) *mat.SymDense {
	a := mat.NewDense(n, n+1, nil)
	for i := range n {
		for k := range n + 1 {
			a.Set(i, k, rnd.NormFloat64())
		}
	}
	return correlations(n, func(i, j int) float64 {
		return mat.Dot(a.RowView(i), a.RowView(j)) / (mat.Norm(a.RowView(i), 2) * mat.Norm(a.RowView(j), 2))
	})
}

func TestProbitCorrIsProbitWhereEqual(t *testing.T) {
	for _, c := range []struct {
		n, count int
		tol      float64
	}{{2, 60, 1e-12}, {3, 60, 1e-12}, {4, 60, 1e-12}, {5, 12, 2e-11}, {7, 6, 2e-11}, {10, 6, 2e-11}} {
		cases(c.n, c.count, func(p Probit, m, v []float64) {
			got := moments(ProbitCorr{p.Lambda, correlations(c.n-1, func(i, j int) float64 { return p.Rho })}, m, v)
			// Probit's own error comes from its step.
			if d := farthest(got, finer(p, m, v, 2)); !(d < c.tol) {
				t.Errorf("%+v m=%v v=%v: off Probit by %g", p, m, v, d)
			}
		})
	}
}

// A variance so large that all variables of its class are nearly the same.
func TestProbitCorrNarrow(t *testing.T) {
	mean := []float64{5598.436517013812, 3.4673316848282623, -0.4772158000085831, 4.704887251392458, -0.6947019708168309, -0.6491798811548886}
	variance := []float64{1e8, 0, 0, 1, 1, 0}
	got := moments(ProbitCorr{0.6, correlations(5, func(i, j int) float64 { return 0.9 })}, mean, variance)
	check.Near(t, "p_0", got.P[0], 0.7120428620633, 1e-12)
	if d := farthest(got, moments(Probit{0.6, 0.9}, mean, variance)); !(d < 1e-11) {
		t.Errorf("off Probit by %g", d)
	}
}

// Without variances p is the definition and E its gradient; a variance is the mean over its logit.
func TestProbitCorrIsDefinition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	for n := 3; n <= 5; n++ {
		p := ProbitCorr{0.7, unequal(rnd, n-1)}
		m, v := problem(rnd, n)
		certain, x := moments(p, m, make([]float64, n)), make([]float64, n-1)
		for j := range m {
			for k := range x {
				x[k] = p.Lambda * (m[j] - m[other(j, k)])
			}
			prob, _ := mvn.CDF(x, p.Corr)
			check.Near(t, "p without variances", certain.P[j], prob, 1e-12)
			for k, g := range mvn.Gradient(nil, x, p.Corr) {
				check.Near(t, "E without variances", certain.E.At(j, other(j, k)), p.Lambda*g, 1e-12)
			}
		}
		want := moments(p, m, v)
		for k := range m {
			mean, known, point := NewMoments(n), slices.Clone(v), slices.Clone(m)
			known[k] = 0
			for u := -8.0; u <= 8; u += 0.25 {
				point[k] = m[k] + math.Sqrt(v[k])*u
				mean.AddScaled(0.25*gauss.PDF(u), moments(p, point, known))
			}
			if d := farthest(want, mean); !(d < 1e-9) {
				t.Errorf("n = %d: mean over logit %d is off by %g", n, k, d)
			}
		}
	}
}

func TestProbitCorrExtremes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(27, 28))
	for n := 2; n <= 5; n++ {
		got := NewMoments(n)
		m, v := make([]float64, n), make([]float64, n)
		for k := range 80 {
			extremeLogits(rnd, m, v)
			corr := unequal(rnd, n-1)
			if k%4 == 0 { // singular
				corr = correlations(n-1, func(i, j int) float64 { return 1 - 2*float64((i+j)%2) })
			}
			p := ProbitCorr{[]float64{1e-300, 1e-6, 0.3, 1, 50, 1e300}[rnd.IntN(6)], corr}
			p.Moments(got, m, v)
			if err := sound(got); err != nil {
				t.Fatalf("λ = %g, Σ_0 = %v, m = %v, v = %v: %v", p.Lambda, corr.RawSymmetric().Data, m, v, err)
			}
		}
	}
	// A common variance beyond all others leaves the ranks of the others to chance.
	p := ProbitCorr{1, correlations(2, func(i, j int) float64 { return 0.3 })}
	got := moments(p, []float64{1e8, -1e8, 0}, []float64{1e300, 1e300, 1e300})
	check.NearAll(t, "p", got.P, []float64{1. / 3, 1. / 3, 1. / 3}, 1e-12)
}

func TestProbitCorrValidate(t *testing.T) {
	good := correlations(3, func(i, j int) float64 { return 0.5 })
	scaled := mat.NewSymDense(3, []float64{2, 0.5, 0.5, 0.5, 1, 0.5, 0.5, 0.5, 1})
	for _, c := range []struct {
		p    ProbitCorr
		want string
	}{
		{ProbitCorr{0, good}, "0 < λ < ∞"},
		{ProbitCorr{math.NaN(), good}, "0 < λ < ∞"},
		{ProbitCorr{math.Inf(1), good}, "0 < λ < ∞"},
		{ProbitCorr{1, nil}, "without correlations"},
		{ProbitCorr{1, new(mat.SymDense)}, "without correlations"},
		{ProbitCorr{1, scaled}, "1 on its diagonal"},
		{ProbitCorr{1, correlations(2, func(i, j int) float64 { return 0.5 })}, "need 3×3"},
		{ProbitCorr{1, correlations(3, func(i, j int) float64 { return -0.6 })}, "positive semi-definite"},
		{ProbitCorr{1, correlations(3, func(i, j int) float64 { return math.NaN() })}, "[−1, 1]"},
	} {
		check.Refuses(t, fmt.Sprint(c.p), c.p.Validate(4), c.want)
	}
	if err := (ProbitCorr{1, good}).Validate(4); err != nil {
		t.Error(err)
	}
	check.Panics(t, "softmax: ", "need 4×4", func() {
		ProbitCorr{1, good}.Moments(NewMoments(5), make([]float64, 5), make([]float64, 5))
	})
}
