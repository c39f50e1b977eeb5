package softmax

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
)

// Independent logits: the other integrals.
func TestCubatureIndependent(t *testing.T) {
	numbersOnly(t)
	for n := 2; n <= MostCorrelated; n++ {
		q, got, want, post := NewCubature(n), NewMoments(n), NewMoments(n), NewPosterior(n)
		rnd := rand.New(rand.NewPCG(51, uint64(n)))
		for range 16 / n {
			m, v := make([]float64, n), make([]float64, n)
			for j := range n {
				m[j], v[j] = 2*rnd.NormFloat64(), 4*rnd.Float64()
			}
			cov := mat.NewDiagDense(n, v)
			q.Moments(got, m, cov)
			Exact{}.Moments(want, m, v)
			for i := range n {
				if !scalar.EqualWithinAbs(got.P[i], want.P[i], 1e-9) {
					t.Errorf("m=%v v=%v: p_%d = %.12g, want %.12g", m, v, i, got.P[i], want.P[i])
				}
			}
			if !mat.EqualApprox(got.E, want.E, 1e-9) {
				t.Errorf("m=%v v=%v: E differs", m, v)
			}
			for c := range n {
				q.Posterior(m, cov, c)
				Exact{}.Posterior(post, m, v, c)
				if !scalar.EqualWithinAbsOrRel(q.LogP, post.LogP, 1e-8, 1e-8) {
					t.Errorf("m=%v v=%v: log p_%d = %.12g, want %.12g", m, v, c, q.LogP, post.LogP)
				}
				for j := range n {
					mean, variance := m[j]+v[j]*q.Slope[j], v[j]+v[j]*q.Curve[j][j]*v[j]
					if !scalar.EqualWithinAbsOrRel(mean, post.Mean[j], 1e-8, 1e-8) || !scalar.EqualWithinAbsOrRel(variance, post.Var[j], 1e-8, 1e-8) {
						t.Errorf("m=%v v=%v, class %d: logit %d is N(%.12g, %.12g), want N(%.12g, %.12g)", m, v, c, j, mean, variance, post.Mean[j], post.Var[j])
					}
				}
			}
		}
	}
}

// Correlated logits z = Ax, and improbable classes: two classes depend on the
// difference alone, which is one logit against a certain one.
func TestCubatureOfTwoClasses(t *testing.T) {
	q, post := NewCubature(2), NewPosterior(2)
	cov := mat.NewSymDense(2, []float64{3, 1.2, 1.2, 2})
	for _, gap := range []float64{0, 2, -30, -300} {
		q.Posterior([]float64{gap + 1, 1}, cov, 0)
		Exact{}.Posterior(post, []float64{gap, 0}, []float64{3 + 2 - 2.4, 0}, 0)
		if !scalar.EqualWithinAbsOrRel(q.LogP, post.LogP, 1e-9, 1e-9) {
			t.Errorf("gap %g: log p = %.12g, want %.12g", gap, q.LogP, post.LogP)
		}
		if mean := gap + 2.6*q.Slope[0]; !scalar.EqualWithinAbsOrRel(mean, post.Mean[0], 1e-8, 1e-8) {
			t.Errorf("gap %g: mean %.12g, want %.12g", gap, mean, post.Mean[0])
		}
		if v := 2.6 + 2.6*2.6*q.Curve[0][0]; !scalar.EqualWithinRel(v, post.Var[0], 1e-8) {
			t.Errorf("gap %g: variance %.12g, want %.12g", gap, v, post.Var[0])
		}
		if !scalar.EqualWithinAbs(q.Slope[0], -q.Slope[1], 1e-12) || !scalar.EqualWithinAbs(q.Curve[0][0], -q.Curve[0][1], 1e-12) {
			t.Errorf("gap %g: a constant added to all logits matters: %v, %v", gap, q.Slope, q.Curve)
		}
	}
}

// The derivatives of log p by finite differences, V not diagonal.
func TestCubatureDerivatives(t *testing.T) {
	numbersOnly(t)
	const h = 1e-3
	rnd := rand.New(rand.NewPCG(52, 1))
	for n := 2; n <= MostCorrelated; n++ {
		q := NewCubature(n)
		a, m := mat.NewDense(n, n, nil), make([]float64, n)
		for i := range n {
			m[i] = rnd.NormFloat64()
			for j := range n {
				a.Set(i, j, rnd.NormFloat64())
			}
		}
		cov := mat.NewSymDense(n, nil)
		cov.SymOuterK(1, a)
		for c := range n {
			at := func(j int, d float64) float64 {
				x := append([]float64(nil), m...)
				x[j] += d
				q.Posterior(x, cov, c)
				return q.LogP
			}
			slope, curve, centre := make([]float64, n), make([]float64, n), at(0, 0)
			for j := range n {
				slope[j], curve[j] = q.Slope[j], q.Curve[j][j]
			}
			for j := range n {
				up, down := at(j, h), at(j, -h)
				if want := (up - down) / (2 * h); !(math.Abs(slope[j]-want) < 1e-6) {
					t.Errorf("n=%d, class %d: ∂ log p/∂m_%d = %g, want %g", n, c, j, slope[j], want)
				}
				if want := (up - 2*centre + down) / (h * h); !(math.Abs(curve[j]-want) < 1e-5) {
					t.Errorf("n=%d, class %d: ∂² log p/∂m_%d² = %g, want %g", n, c, j, curve[j], want)
				}
			}
		}
	}
}

func BenchmarkCubature(b *testing.B) {
	q := NewCubature(3)
	m, cov := []float64{0, 1, -1}, mat.NewSymDense(3, []float64{4, 1, 0, 1, 4, 1, 0, 1, 4})
	b.ReportAllocs()
	for b.Loop() {
		q.Posterior(m, cov, 1)
	}
}
