package softmax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	check "closedform/internal/checktest"
)

// numbersOnly skips a long test of one goroutine under -short, with which the race detector runs.
func numbersOnly(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long, and of one goroutine")
	}
}

var settings = []Exact{{}, {Fast: true}}

// tolerance is the absolute error that an approximation states.
func tolerance(a Approximation) float64 {
	if (a == Exact{Fast: true}) {
		return 1e-8
	}
	return 1e-11
}

// cases calls f with random problems: equal and spread means, variances from zero over many orders.
func cases(n, count int, f func(p Probit, m, v []float64)) {
	rnd := rand.New(rand.NewPCG(7, uint64(n)))
	rhos := []float64{0, 0.01, 0.3, 0.5, 0.8, 0.99}
	for k := range count {
		p := Probit{math.Exp(rnd.NormFloat64() - 0.5), rhos[k%len(rhos)]}
		m, v := make([]float64, n), make([]float64, n)
		spread := math.Exp(1.5 * rnd.NormFloat64())
		size, range_ := math.Exp(3*rnd.NormFloat64()), float64(k%4)
		for j := range m {
			m[j] = spread * rnd.NormFloat64()
			v[j] = size * math.Exp(range_*rnd.NormFloat64())
			if rnd.IntN(6) == 0 {
				v[j] = 0
			}
		}
		f(p, m, v)
	}
}

// problem returns random logits.
func problem(rnd *rand.Rand, n int) (m, v []float64) {
	m, v = make([]float64, n), make([]float64, n)
	for j := range n {
		m[j], v[j] = rnd.NormFloat64(), rnd.ExpFloat64()
	}
	return m, v
}

// moments returns those of a for these logits.
func moments(a Approximation, m, v []float64) *Moments {
	dst := NewMoments(len(m))
	a.Moments(dst, m, v)
	return dst
}

// farthest returns the largest difference between two sets of moments, NaN if there is one.
func farthest(a, b *Moments) float64 {
	var d float64
	for j := range a.P {
		d = max(d, math.Abs(a.P[j]-b.P[j]))
		for i := range a.P {
			d = max(d, math.Abs(a.E.At(j, i)-b.E.At(j, i)))
		}
	}
	return d
}

func TestReference(t *testing.T) {
	for k, row := range check.Rows(t, "testdata/probit_equicorrelated.csv") {
		n := int(row[0])
		got, pairs := moments(Probit{row[1], row[2]}, row[3:3+n], row[3+n:3+2*n]), row[3+3*n:]
		want := NewMoments(n)
		copy(want.P, row[3+2*n:])
		for j := range n {
			for k := range n - 1 {
				want.E.Set(j, other(j, k), pairs[j*(n-1)+k])
			}
		}
		d := farthest(got, want)
		check.True(t, d < 1e-11, "probit, row %d: off by %g", k, d)
	}
	for k, row := range check.Rows(t, "testdata/softmax_exact.csv") {
		n := int(row[0])
		pairs, want := row[3*n+1:], NewMoments(n)
		copy(want.P, row[2*n+1:])
		for i := range n {
			for j := i + 1; j < n; j++ {
				want.E.Set(i, j, pairs[0])
				want.E.Set(j, i, pairs[0])
				pairs = pairs[1:]
			}
		}
		for _, e := range settings {
			d := farthest(moments(e, row[1:n+1], row[n+1:2*n+1]), want)
			check.True(t, d < tolerance(e), "%+v, row %d: off by %g", e, k, d)
		}
	}
}

// A constant added to all logits, another order, and a class that never wins change nothing.
func TestInvariances(t *testing.T) {
	const n = 5
	perm := []int{3, 0, 4, 1, 2}
	cases(n, 60, func(p Probit, m, v []float64) {
		for _, a := range []Approximation{p, Exact{}, Exact{Fast: true}} {
			want, tol := moments(a, m, v), 2*tolerance(a)
			moved := check.Permuted(m, perm)
			for j := range moved {
				moved[j] += 1e3
			}
			got := moments(a, moved, check.Permuted(v, perm))
			turned := NewMoments(n)
			for j, k := range perm {
				turned.P[j] = want.P[k]
				turned.E.SetRow(j, check.Permuted(want.E.RawRowView(k), perm))
			}
			d := farthest(got, turned)
			check.True(t, d < tol, "%+v m=%v v=%v: shifted and permuted moments differ by %g", a, m, v, d)
			if _, ok := a.(Exact); ok {
				more := moments(a, append(slices.Clone(m), -1e9), append(slices.Clone(v), 1))
				check.NearAll(t, "p beside a class that never wins", more.P[:n], want.P, tol)
			}
		}
	})
}

// ∂p_j/∂m_i = −E_ji, and = Σ_i E_ji for i = j: finite differences.
func checkDerivatives(t *testing.T, a Approximation, m, v []float64, h, tol float64) {
	t.Helper()
	got := moments(a, m, v)
	for j := range m {
		p := func(x []float64) float64 { return moments(a, x, v).P[j] }
		derivatives := fd.Gradient(nil, p, m, &fd.Settings{Formula: fd.Central, Step: h})
		for i, fd := range derivatives {
			want := -got.E.At(j, i)
			if j == i {
				want = mat.Sum(got.E.RowView(j))
			}
			ok := scalar.EqualWithinAbs(fd, want, tol)
			check.True(t, ok, "%+v m=%v v=%v: ∂p_%d/∂m_%d = %.9g, from E %.9g", a, m, v, j, i, fd, want)
		}
	}
}

func TestDerivatives(t *testing.T) {
	const h = 1e-3
	cases(4, 120, func(p Probit, m, v []float64) {
		// Truncation h²/6 × third derivative, which scales as λ³ and, near ρ = 0 or 1 and v = 0, with the narrow
		// scale.
		s := math.Min(scale(p.Rho, p.Lambda, 0), scale(1-p.Rho, p.Lambda, 0))
		checkDerivatives(t, p, m, v, h, 1e-8+h*h*math.Pow(p.Lambda/math.Max(s, 0.1), 3))
	})
	for _, e := range settings {
		checkDerivatives(t, e, []float64{0.3, -1, 2, 0}, []float64{0.1, 3, 1, 40}, h, 1e-6)
	}
	rnd := rand.New(rand.NewPCG(23, 24))
	for n := 2; n <= 4; n++ {
		for range 5 {
			p := ProbitCorr{math.Exp(0.5 * rnd.NormFloat64()), check.RandomCorrelations(rnd, n-1, n)}
			m, v := problem(rnd, n)
			checkDerivatives(t, p, m, v, 1e-4, 1e-6)
		}
	}
}

func TestExtremes(t *testing.T) {
	numbersOnly(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	means := []float64{0, 1e-300, 1, -1, 40, 1e8, -1e8, 1e150, math.MaxFloat64, -math.MaxFloat64}
	variances := []float64{0, math.SmallestNonzeroFloat64, 1e-300, 1e-20, 1, 1e4, 1e150, 1e300, math.MaxFloat64}
	for _, n := range []int{2, 3, 7} {
		m, v := make([]float64, n), make([]float64, n)
		for range 100 {
			for j := range m {
				m[j], v[j] = means[rnd.IntN(len(means))], variances[rnd.IntN(len(variances))]
			}
			p := Probit{
				[]float64{1e-6, 0.3, 1, 50}[rnd.IntN(4)],
				[]float64{0, 1e-12, 0.3, 0.5, 0.9, 0.999}[rnd.IntN(6)],
			}
			for _, a := range []Approximation{p, Exact{}, Exact{Fast: true}} {
				got, brief := moments(a, m, v), &Moments{P: make([]float64, n)}
				a.Moments(brief, m, v)
				check.NearAll(t, "p without E", brief.P, got.P, 0)
				if e := got.E.RawMatrix().Data; !(slices.Min(got.P) >= 0 && slices.Max(got.P) <= 1+1e-9) ||
					!(slices.Min(e) >= 0 && slices.Max(e) <= math.MaxFloat64) { // NaN if there is one
					t.Fatalf("%+v m=%v v=%v: p = %v, E = %v", a, m, v, got.P, e)
				}
				if x := got.Excess(); !(math.Abs(x) < 10*tolerance(a)) && !(a == p && p.Rho != 0.5) {
					t.Fatalf("%+v m=%v v=%v: Σp − 1 = %g", a, m, v, x)
				}
			}
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	const n = 10
	m, v := make([]float64, n), []float64{0, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	dst, post, cov, cross := NewMoments(n), NewPosterior(n), mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
	for _, a := range []Approximation{
		Probit{0.5, 0.5}, Probit{0.5, 0.3}, Probit{0.5, 0}, Exact{}, Exact{Fast: true},
	} {
		check.NoAllocs(t, fmt.Sprintf("%+v", a), func() {
			a.Moments(dst, m, v)
			dst.Cov(cov)
			dst.Cross(cross, v)
		})
	}
	for _, l := range []Likelihood{Probit{0.5, 0.5}, Exact{}} {
		check.NoAllocs(t, fmt.Sprintf("posterior of %T", l), func() { l.Posterior(post, m, v, 3) })
	}
}

func TestPanics(t *testing.T) {
	ok, nan, good := []float64{0, 0, 0}, []float64{0, math.NaN(), 0}, Probit{1, 0.5}
	for _, c := range []struct {
		words string
		f     func()
	}{
		{"1 classes", func() { NewMoments(1) }},
		{"2 means", func() { good.Moments(NewMoments(3), ok[:2], ok) }},
		{"λ = 0", func() { Probit{0, 0.5}.Moments(NewMoments(3), ok, ok) }},
		{"ρ = 1", func() { Probit{1, 1}.Moments(NewMoments(3), ok, ok) }},
		{"mean NaN", func() { good.Moments(NewMoments(3), nan, ok) }},
		{"variance -1", func() { good.Moments(NewMoments(3), ok, []float64{0, -1, 0}) }},
		{"Cov into", func() { NewMoments(3).Cov(mat.NewSymDense(2, nil)) }},
		{"Cross into", func() { NewMoments(3).Cross(mat.NewDense(3, 2, nil), ok) }},
		{"2 variances", func() { NewMoments(3).Cross(new(mat.Dense), ok[:2]) }},
		{"n = 1", func() { SlopeLambda(1, 0.5) }},
		{"1 classes", func() { NewPosterior(1) }},
		{"λ = 0", func() { Probit{0, 0.5}.Posterior(NewPosterior(3), ok, ok, 0) }},
		{"ρ = ½", func() { Probit{1, 0.4}.Posterior(NewPosterior(3), ok, ok, 0) }},
		{"class 3", func() { good.Posterior(NewPosterior(3), ok, ok, 3) }},
		{"2 means", func() { good.Posterior(NewPosterior(3), ok[:2], ok, 0) }},
		{"mean NaN", func() { Exact{}.Posterior(NewPosterior(3), nan, ok, 0) }},
		{"class -1", func() { Exact{}.Posterior(NewPosterior(3), ok, ok, -1) }},
		{"ρ = 1", func() { SlopeLambda(3, 1) }},
	} {
		check.Panics(t, "softmax: ", c.words, c.f)
	}
}

// Half the step, twice the even spacing and more of both tails change nothing.
func TestExactRuleIsFineEnough(t *testing.T) {
	finer := exactRule{step: 0.15, spread: 12, tail: 1e-18, right: gumbelHigh + 4}
	rnd := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{2, 3, 10, 100} {
		got, want := NewMoments(n), NewMoments(n)
		m, v := make([]float64, n), make([]float64, n)
		for k := range 120 / n * 2 {
			spread := math.Pow(10, 4*rnd.Float64()-1)
			for j := range n {
				m[j] = spread * (2*rnd.Float64() - 1)
				v[j] = []float64{1, math.Pow(10, 8*rnd.Float64()-4), 0, math.Pow(10, 4*rnd.Float64())}[(k+j*(k%2))%4]
			}
			new(exactTable).moments(want, m, v, finer)
			for _, e := range settings {
				e.Moments(got, m, v)
				d := farthest(got, want)
				check.True(t, d < 0.5*tolerance(e), "%+v, m=%v v=%v: off by %g", e, m, v, d)
			}
		}
	}
}
