package softmax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// sound reports what is wrong with moments: every number finite, none negative,
// no probability above one.
func sound(m *Moments) error {
	for j, p := range m.P {
		if !(p >= 0 && p <= 1+1e-9) {
			return fmt.Errorf("p_%d = %g", j, p)
		}
		for i := range m.P {
			if e := m.E.At(j, i); !(e >= 0) || math.IsInf(e, 0) {
				return fmt.Errorf("E_%d%d = %g", j, i, e)
			}
		}
	}
	return nil
}

func TestProbitExtremes(t *testing.T) {
	numbersOnly(t)
	means := []float64{0, 1e-300, 1, -1, 40, 1e8, -1e8, 1e150, math.MaxFloat64, -math.MaxFloat64}
	variances := []float64{0, math.SmallestNonzeroFloat64, 1e-300, 1e-20, 1, 1e4, 1e150, 1e300, math.MaxFloat64}
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{2, 3, 7} {
		got := NewMoments(n)
		m, v := make([]float64, n), make([]float64, n)
		for range 150 {
			for j := range n {
				m[j], v[j] = means[rnd.IntN(len(means))], variances[rnd.IntN(len(variances))]
			}
			p := Probit{[]float64{1e-6, 0.3, 1, 50}[rnd.IntN(4)], []float64{0, 1e-12, 0.3, 0.5, 0.9, 0.999}[rnd.IntN(6)]}
			p.Moments(got, m, v)
			if err := sound(got); err != nil {
				t.Fatalf("%+v m=%v v=%v: %v", p, m, v, err)
			}
			if p.Rho == 0.5 {
				if x := got.Excess(); !(math.Abs(x) < 1e-10) {
					t.Fatalf("%+v m=%v v=%v: Σp − 1 = %g", p, m, v, x)
				}
			}
		}
	}
}

func FuzzProbit(f *testing.F) {
	f.Add(0.5, 0.5, 0.0, 1.0, -1.0, 1.0, 0.0, 2.0)
	f.Add(1.0, 0.0, 3.0, 3.0, 3.0, 0.0, 1e-9, 1e9)
	f.Add(0.3, 0.999, -50.0, 0.0, 50.0, 0.0, 0.0, 0.0)
	f.Fuzz(func(t *testing.T, lambda, rho, m0, m1, m2, v0, v1, v2 float64) {
		if !(lambda > 1e-9 && lambda < 1e9) || !(rho >= 0 && rho < 0.9999) {
			t.Skip()
		}
		m, v := []float64{m0, m1, m2}, []float64{math.Abs(v0), math.Abs(v1), math.Abs(v2)}
		for j := range m {
			if s := m[j] + v[j]; math.IsNaN(s) || math.IsInf(s, 0) {
				t.Skip()
			}
		}
		got := NewMoments(3)
		Probit{lambda, rho}.Moments(got, m, v)
		if err := sound(got); err != nil {
			t.Error(err)
		}
	})
}

func TestMomentsDoNotAllocate(t *testing.T) {
	for _, p := range []Probit{{0.5, 0.5}, {0.5, 0.3}, {0.5, 0}} {
		m, v := make([]float64, 10), make([]float64, 10)
		dst := NewMoments(10)
		cov, cross := mat.NewSymDense(10, nil), mat.NewDense(10, 10, nil)
		p.Moments(dst, m, v)
		if n := testing.AllocsPerRun(20, func() {
			p.Moments(dst, m, v)
			dst.Cov(cov)
			dst.Cross(cross, v)
		}); n > 0 {
			t.Errorf("%+v: %g allocations", p, n)
		}
	}
}

// Many equal classes share the error of the table.
func TestFastOfManyClasses(t *testing.T) {
	for _, n := range []int{30, 100, 101, 1000} {
		m, v := make([]float64, n), make([]float64, n)
		v[0] = 16
		got, want := NewMoments(n), NewMoments(n)
		Exact{Fast: true}.Moments(got, m, v)
		Exact{}.Moments(want, m, v)
		for _, j := range []int{0, 1} {
			if !(math.Abs(got.P[j]-want.P[j]) < 1e-8) {
				t.Errorf("n=%d: p_%d = %.12g, want %.12g", n, j, got.P[j], want.P[j])
			}
		}
	}
}
