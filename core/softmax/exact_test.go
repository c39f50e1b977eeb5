package softmax

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
)

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
				if d := max(math.Abs(got.P[0]-p), math.Abs(got.P[1]-(1-p)), math.Abs(got.E.At(0, 1)-pair)); !(d < tolerance(e)) {
					t.Errorf("%+v, m=%v v=%v: off by %g", e, m, v, d)
				}
			}
		}
	}
}

// Without variance the moments are those of softmax(m).
func TestExactWithoutVariance(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{2, 5, 40, 100, 101, 1000} {
		for _, scale := range []float64{0, 1, 1e3} {
			m, want := make([]float64, n), NewMoments(n)
			for j := range m {
				m[j] = scale * rnd.NormFloat64()
			}
			sum := floats.LogSumExp(m)
			for j, x := range m {
				want.P[j] = math.Exp(x - sum)
			}
			want.E.Outer(1, mat.NewVecDense(n, want.P), mat.NewVecDense(n, want.P))
			for j := range n {
				want.E.Set(j, j, 0)
			}
			for _, e := range settings {
				if d := farthest(moments(e, m, make([]float64, n)), want); !(d < tolerance(e)) {
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
			new(exactTable).moments(want, m, v, finer)
			for _, e := range settings {
				e.Moments(got, m, v)
				if d := farthest(got, want); !(d < 0.5*tolerance(e)) {
					t.Errorf("%+v, m=%v v=%v: off by %g", e, m, v, d)
				}
			}
		}
	}
}
