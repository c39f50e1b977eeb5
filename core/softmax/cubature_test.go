package softmax

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/internal/check"
)

// Independent logits: the other integrals.
func TestCubatureIndependent(t *testing.T) {
	numbersOnly(t)
	for n := 2; n <= MostCorrelated; n++ {
		joint, got, post := NewJointPosterior(n), NewMoments(n), NewPosterior(n)
		rnd := rand.New(rand.NewPCG(51, uint64(n)))
		for range 16 / n {
			m, v := make([]float64, n), make([]float64, n)
			for j := range n {
				m[j], v[j] = 2*rnd.NormFloat64(), 4*rnd.Float64()
			}
			cov := mat.NewDiagDense(n, v)
			Cubature{}.Moments(got, m, cov)
			if d := farthest(got, moments(Exact{}, m, v)); !(d < 1e-9) {
				t.Errorf("m=%v v=%v: moments off by %g", m, v, d)
			}
			for c := range n {
				Cubature{}.Posterior(joint, m, cov, c)
				Exact{}.Posterior(post, m, v, c)
				what := fmt.Sprintf("m=%v v=%v class %d: ", m, v, c)
				check.Near(t, what+"log p", joint.LogP, post.LogP, 1e-8)
				check.NearAll(t, what+"mean", joint.Mean, post.Mean, 1e-8)
				check.NearAll(t, what+"variance", joint.Var, post.Var, 1e-8)
			}
		}
	}
}

// Correlated logits z = Ax, and improbable classes: two classes depend on the
// difference alone, which is one logit against a certain one.
func TestCubatureOfTwoClasses(t *testing.T) {
	joint, post := NewJointPosterior(2), NewPosterior(2)
	cov := mat.NewSymDense(2, []float64{3, 1.2, 1.2, 2})
	for _, gap := range []float64{0, 2, -30, -300} {
		Cubature{}.Posterior(joint, []float64{gap + 1, 1}, cov, 0)
		Exact{}.Posterior(post, []float64{gap, 0}, []float64{3 + 2 - 2.4, 0}, 0)
		gradient, hessian := joint.Gradient, joint.Hessian.RawMatrix().Data
		what := fmt.Sprintf("gap %g: ", gap)
		check.Near(t, what+"log p", joint.LogP, post.LogP, 1e-9)
		check.Near(t, what+"mean", gap+2.6*gradient[0], post.Mean[0], 1e-8)
		check.Near(t, what+"variance", 2.6+2.6*2.6*hessian[0], post.Var[0], 1e-8)
		// A constant added to all logits does not matter.
		check.Near(t, what+"gradient", gradient[1], -gradient[0], 1e-12)
		check.NearAll(t, what+"Hessian", hessian[1:], []float64{-hessian[0], -hessian[0], hessian[0]}, 1e-12)
	}
}

// The derivatives of log p by finite differences, V not diagonal.
func TestCubatureDerivatives(t *testing.T) {
	numbersOnly(t)
	const h = 1e-4
	rnd := rand.New(rand.NewPCG(52, 1))
	for n := 2; n <= MostCorrelated; n++ {
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
			at := func(x []float64) *JointPosterior {
				post := NewJointPosterior(n)
				Cubature{}.Posterior(post, x, cov, c)
				return post
			}
			got, what := at(m), fmt.Sprintf("n=%d, class %d: ", n, c)
			for i := range n {
				x := slices.Clone(m)
				x[i] = m[i] + h
				up := at(x)
				x[i] = m[i] - h
				down := at(x)
				check.Near(t, what+"gradient", got.Gradient[i], (up.LogP-down.LogP)/(2*h), 1e-6)
				for j := range n {
					check.Near(t, what+"Hessian", got.Hessian.At(i, j), (up.Gradient[j]-down.Gradient[j])/(2*h), 1e-6)
				}
			}
			// Σ_z|c = V + VHV
			var v mat.Dense
			v.Product(cov, got.Hessian, cov)
			v.Add(&v, cov)
			for j := range n {
				check.Near(t, what+"variance", got.Var[j], v.At(j, j), 1e-12)
			}
		}
	}
}
