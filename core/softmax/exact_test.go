package softmax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
)

// tolerance is the absolute error that e states.
func (e Exact) tolerance() float64 {
	if e.Fast {
		return 1e-8
	}
	return 1e-11
}

var settings = []Exact{{}, {Fast: true}}

// farthest returns the largest difference between two sets of moments.
func farthest(a, b *Moments) float64 {
	var d float64
	for j := range a.P {
		d = nanMax(d, a.P[j]-b.P[j])
		for i := range a.P {
			d = nanMax(d, a.E.At(j, i)-b.E.At(j, i))
		}
	}
	return d
}

// nanMax returns the larger of d and |x|, or NaN if either is.
func nanMax(d, x float64) float64 { return math.Max(d, math.Abs(x)) }

func TestExactReference(t *testing.T) {
	for k, row := range readReference(t, "testdata/softmax_exact.csv") {
		n := int(row[0])
		m, v, p, pairs := row[1:n+1], row[n+1:2*n+1], row[2*n+1:3*n+1], row[3*n+1:]
		for _, e := range settings {
			got, want := NewMoments(n), NewMoments(n)
			e.Moments(got, m, v)
			copy(want.P, p)
			next := 0
			for i := range n {
				for j := i + 1; j < n; j++ {
					want.E.Set(i, j, pairs[next])
					want.E.Set(j, i, pairs[next])
					next++
				}
			}
			if d := farthest(got, want); !(d < e.tolerance()) {
				t.Errorf("case %d, %+v: off by %g", k, e, d)
			}
		}
	}
}

// With two classes everything is an integral of the logistic function over
// d = z_1 − z_2 ~ N(m_1−m_2, v_1+v_2).
func TestExactTwoClasses(t *testing.T) {
	logistic := func(mean, variance float64) (p, e float64) {
		s := math.Sqrt(variance)
		h := 0.2 / max(1, s) // the poles are π/s from the axis
		for u := -9.0; u <= 9; u += h {
			q := 1 / (1 + math.Exp(-mean-s*u))
			p += h * gauss.PDF(u) * q
			e += h * gauss.PDF(u) * q * (1 - q)
		}
		return p, e
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	got := NewMoments(2)
	for _, scale := range []float64{0, 1e-6, 0.1, 1, 30, 1e3} {
		for _, variance := range []float64{0, 1e-8, 0.01, 0.3, 1, 20, 1e4} {
			m := []float64{scale * rnd.NormFloat64(), scale * rnd.NormFloat64()}
			v := []float64{variance, variance * 2 * rnd.Float64()}
			p, pair := logistic(m[0]-m[1], v[0]+v[1])
			for _, e := range settings {
				e.Moments(got, m, v)
				if d := max(math.Abs(got.P[0]-p), math.Abs(got.P[1]-(1-p)), math.Abs(got.E.At(0, 1)-pair)); !(d < e.tolerance()) {
					t.Errorf("%+v, m=%v v=%v: off by %g", e, m, v, d)
				}
			}
		}
	}
}

func TestExactWithoutVariance(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{2, 5, 40, 1000} {
		for _, scale := range []float64{0, 1, 1e3} {
			m := make([]float64, n)
			var sum float64
			for j := range m {
				m[j] = scale * rnd.NormFloat64()
			}
			top := slices.Max(m)
			for _, x := range m {
				sum += math.Exp(x - top)
			}
			want := NewMoments(n)
			for j, x := range m {
				want.P[j] = math.Exp(x-top) / sum
			}
			for j, p := range want.P {
				for i, q := range want.P {
					if i != j {
						want.E.Set(j, i, p*q)
					}
				}
			}
			got := NewMoments(n)
			for _, e := range settings {
				e.Moments(got, m, make([]float64, n))
				if d := farthest(got, want); !(d < e.tolerance()) {
					t.Errorf("%+v, n=%d, scale %g: off by %g", e, n, scale, d)
				}
			}
		}
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
			want.exact.fast = false
			want.exact.set(m, v)
			want.exact.integrate(want, finer)
			for _, e := range settings {
				e.Moments(got, m, v)
				if d := farthest(got, want); !(d < 0.5*e.tolerance()) {
					t.Errorf("%+v, m=%v v=%v: off by %g", e, m, v, d)
				}
			}
		}
	}
}

func TestExactManyClasses(t *testing.T) {
	const n = 1000
	rnd := rand.New(rand.NewPCG(4, 1))
	m, v := make([]float64, n), make([]float64, n)
	for j := range n {
		m[j], v[j] = 3*rnd.NormFloat64(), 5*rnd.Float64()
	}
	a, b := NewMoments(n), NewMoments(n)
	Exact{}.Moments(a, m, v)
	Exact{Fast: true}.Moments(b, m, v)
	if d := farthest(a, b); !(d < 1e-8) {
		t.Errorf("settings differ by %g", d)
	}
	for _, got := range []*Moments{a, b} {
		if x := got.Excess(); !(math.Abs(x) < 1e-9) {
			t.Errorf("Σp − 1 = %g", x)
		}
	}
}

func TestExactInvariances(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 1))
	const n = 6
	m, v := make([]float64, n), make([]float64, n)
	for range 10 {
		for j := range n {
			m[j], v[j] = 4*rnd.NormFloat64(), 3*rnd.ExpFloat64()
		}
		for _, e := range settings {
			want, got := NewMoments(n), NewMoments(n)
			e.Moments(want, m, v)
			moved := slices.Clone(m)
			for j := range moved {
				moved[j] += 817.3
			}
			e.Moments(got, moved, v)
			if d := farthest(got, want); !(d < e.tolerance()) {
				t.Errorf("%+v: adding a constant to all logits changes the moments by %g", e, d)
			}
			order := rnd.Perm(n)
			pm, pv := make([]float64, n), make([]float64, n)
			for j, k := range order {
				pm[j], pv[j] = m[k], v[k]
			}
			e.Moments(got, pm, pv)
			for j, k := range order {
				for i, l := range order {
					if d := max(math.Abs(got.P[j]-want.P[k]), math.Abs(got.E.At(j, i)-want.E.At(k, l))); !(d < e.tolerance()) {
						t.Errorf("%+v: permuting the classes changes the moments by %g", e, d)
					}
				}
			}
			// A class that never wins leaves the others alone.
			more := NewMoments(n + 1)
			e.Moments(more, append(slices.Clone(m), -1000), append(slices.Clone(v), 1))
			for j := range n {
				if d := math.Abs(more.P[j] - want.P[j]); !(d < e.tolerance()) {
					t.Errorf("%+v: a class that never wins changes p by %g", e, d)
				}
			}
		}
	}
}

// E_ij = −∂p_j/∂m_i for i ≠ j.
func TestExactDerivative(t *testing.T) {
	m, v := []float64{0.3, -1, 2, 0}, []float64{0.1, 3, 1, 40}
	const h = 1e-3
	for _, e := range settings {
		got, up, down := NewMoments(4), NewMoments(4), NewMoments(4)
		e.Moments(got, m, v)
		for i := range m {
			moved := slices.Clone(m)
			moved[i] = m[i] + h
			e.Moments(up, moved, v)
			moved[i] = m[i] - h
			e.Moments(down, moved, v)
			for j := range m {
				if slope := (up.P[j] - down.P[j]) / (2 * h); i != j && !(math.Abs(slope+got.E.At(j, i)) < 1e-6) {
					t.Errorf("%+v: E_%d%d = %g, −∂p/∂m = %g", e, j, i, got.E.At(j, i), -slope)
				}
			}
		}
	}
}

// The exact covariance of probabilities is positive semi-definite with zero
// row sums.
func TestExactCovariance(t *testing.T) {
	var cov mat.SymDense
	var eigen mat.EigenSym
	cases(5, 20, func(_ Probit, m, v []float64) {
		got := NewMoments(5)
		Exact{}.Moments(got, m, v)
		got.Cov(&cov)
		if !eigen.Factorize(&cov, false) {
			t.Fatal("no eigenvalues")
		}
		if least := slices.Min(eigen.Values(nil)); !(least > -1e-11) {
			t.Errorf("m=%v v=%v: eigenvalue %g", m, v, least)
		}
	})
}

func TestExactExtremes(t *testing.T) {
	numbersOnly(t)
	means := []float64{0, 1e-300, 1, -1, 40, 1e8, -1e8, 1e150, math.MaxFloat64, -math.MaxFloat64}
	variances := []float64{0, math.SmallestNonzeroFloat64, 1e-300, 1e-20, 1, 1e4, 1e150, 1e300, math.MaxFloat64}
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{2, 3, 7} {
		got := NewMoments(n)
		m, v := make([]float64, n), make([]float64, n)
		for range 50 {
			for j := range n {
				m[j], v[j] = means[rnd.IntN(len(means))], variances[rnd.IntN(len(variances))]
			}
			for _, e := range settings {
				e.Moments(got, m, v)
				if err := sound(got); err != nil {
					t.Fatalf("%+v m=%v v=%v: %v", e, m, v, err)
				}
				if x := got.Excess(); !(math.Abs(x) < e.tolerance()) {
					t.Fatalf("%+v m=%v v=%v: Σp − 1 = %g", e, m, v, x)
				}
			}
		}
	}
}

func TestExactDoesNotAllocate(t *testing.T) {
	m, v := make([]float64, 10), make([]float64, 10)
	for j := range v {
		v[j] = 0.3 * float64(j)
	}
	dst := NewMoments(10)
	for _, e := range settings {
		e.Moments(dst, m, v)
		if n := testing.AllocsPerRun(20, func() { e.Moments(dst, m, v) }); n > 0 {
			t.Errorf("%+v: %g allocations", e, n)
		}
	}
}

func TestGumbelSeries(t *testing.T) {
	var d normalGumbel
	var series gumbelSeries
	for _, s := range []float64{0, 1e-9, 0.01, 0.2, 0.25, 0.26, 0.5, 0.77, 1, 1.01, 1.9, 2, 3.5, 4, 17, 1e3, 1e9} {
		d.set(s)
		series.set(s)
		scale := math.Hypot(1, s)
		for x := -reach*s + gumbelLow; x < 34*scale; x += 0.0371 * scale {
			l, h := d.logCDF(x)
			gotL, gotH := series.logCDF(x)
			f := math.Exp(l)
			if !(math.Abs(math.Exp(gotL)-f) < 1e-10) || !(math.Abs(gotH-h)*f < 1e-10) {
				t.Errorf("s=%g x=%g: log F = %g, hazard %g; want %g, %g", s, x, gotL, gotH, l, h)
			}
		}
	}
}

// At s = 1 the two integrals of the distribution function meet.
func TestNormalGumbelFormsAgree(t *testing.T) {
	var a, b normalGumbel
	a.set(math.Nextafter(1, 0))
	b.set(1)
	for x := -11.0; x < 34; x += 0.1 {
		al, ah := a.logCDF(x)
		bl, bh := b.logCDF(x)
		f := math.Exp(bl)
		if d := nanMax(math.Abs(math.Exp(al)-f), (ah-bh)*f); !(d < 2e-14) {
			t.Errorf("x=%g: differ by %g", x, d)
		}
	}
}

func BenchmarkExact(b *testing.B) {
	for _, e := range settings {
		for _, n := range []int{3, 10, 100, 1000} {
			b.Run(fmt.Sprintf("fast=%t/n=%d", e.Fast, n), func(b *testing.B) {
				rnd := rand.New(rand.NewPCG(1, 2))
				m, v := make([]float64, n), make([]float64, n)
				for j := range n {
					m[j], v[j] = rnd.NormFloat64(), rnd.ExpFloat64()
				}
				dst := NewMoments(n)
				b.ReportAllocs()
				for b.Loop() {
					e.Moments(dst, m, v)
				}
			})
		}
	}
}
