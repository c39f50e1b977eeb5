package posterior

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/laplace"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// For independent logits the integrals equal those of package softmax; adding a constant changes nothing.
func TestIntegrate(t *testing.T) {
	rnd := rand.New(random.Source("integrate"))
	for n := 2; n <= mostJoint; n++ {
		want, given := softmax.NewMoments(n), softmax.NewPosterior(n)
		for range 5 {
			m, v := make([]float64, n), make([]float64, n)
			cov, shifted := make([][]float64, n), make([][]float64, n)
			for i := range n {
				m[i], v[i] = 3*rnd.NormFloat64(), 9*rnd.Float64()
				cov[i], shifted[i] = make([]float64, n), make([]float64, n)
				for j := range n {
					shifted[i][j] = 5
				}
				cov[i][i] = v[i]
				shifted[i][i] += v[i]
			}
			softmax.Exact{}.Moments(want, m, v)
			first, second, ok := integrate(m, shifted, -1)
			if !ok {
				t.Fatal("no moments")
			}
			check.NearAll(t, "E s", first, want.P, 2e-6)
			check.Near(t, "E s₀s₁", second[1], want.E.At(0, 1), 2e-6)
			for class := range n {
				softmax.Exact{}.Posterior(given, m, v, class)
				first, second, ok := integrate(m, cov, class)
				if !ok {
					t.Fatal("no posterior")
				}
				for i, s := range first { // m + vd, v + v²H
					d, h := -s, 2*second[i*n+i]-s*s-s
					if i == class {
						d++
					}
					check.Near(t, "mean", m[i]+v[i]*d, given.Mean[i], 1e-5)
					check.Near(t, "variance", v[i]+v[i]*v[i]*h, given.Var[i], 1e-4)
				}
			}
		}
	}
}

// Two classes depend on the difference of the logits alone, whose variance independent
// neurons keep as well: the predictions agree along a stream.
func TestJointOfTwoClasses(t *testing.T) {
	cfg := bnn.Default(2, 2)
	cfg.Output, cfg.Softmax, cfg.PriorVar = bnn.ADFExact, softmax.Exact{}, []float64{2}
	network := check.Must(bnn.New(cfg, random.Source("unused")))
	variances := slices.Repeat([]float64{2}, 6)
	g := newJoint(laplace.Prior{Layers: []int{2, 2}, Bias: true, Mean: make([]float64, 6), Var: variances})
	rnd := rand.New(random.Source("two"))
	var q bnn.Prediction
	p := make([]float64, 2)
	for range 30 {
		x, class := []float64{rnd.NormFloat64(), rnd.NormFloat64()}, rnd.IntN(2)
		check.OK(t, network.Predict(&q, x))
		check.OK(t, g.Predict(p, x))
		check.NearAll(t, "p", p, q.P, 1e-5)
		check.Must(network.Observe(x, class))
		check.OK(t, g.Observe(x, class))
	}
}

// A reference that skipped more than half of its steps is none.
func TestJointSkips(t *testing.T) {
	g := newJoint(laplace.Prior{Layers: []int{1, 4}, Mean: make([]float64, 4), Var: []float64{1, 1, 1, 1}})
	p, before := make([]float64, 4), mat.DenseCopyOf(g.cov)
	for k, x := range []float64{1e6, 1, 1e7, 1e8} {
		check.OK(t, g.Observe([]float64{x}, k))
		if err := g.Predict(p, []float64{1}); (err == nil) != (k == 1) {
			t.Errorf("after %d of %d steps were skipped: error %v", g.Steps().Skipped, k+1, err)
		}
		if k == 0 && !mat.Equal(g.cov, before) {
			t.Error("a skipped step changed the weights")
		}
	}
	check.Equal(t, "skipped", g.Steps().Skipped, 3)
}
