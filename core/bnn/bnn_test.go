package bnn

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
)

func newNetwork(t testing.TB, cfg Config) *Network {
	t.Helper()
	n, err := New(cfg, random.Source("bnn", "test"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// randomWeights gives every neuron a random mean and a random full covariance.
func randomWeights(t testing.TB, n *Network, rnd *rand.Rand, size float64) {
	t.Helper()
	for l := range n.layers {
		out, in := n.layers[l].Dims()
		mean := mat.NewDense(out, in, nil)
		var cov []mat.Symmetric
		for j := range out {
			a := mat.NewDense(in, in, nil)
			for i := range in {
				mean.Set(j, i, size*rnd.NormFloat64())
				for k := range in {
					a.Set(i, k, size*rnd.NormFloat64())
				}
			}
			s := mat.NewSymDense(in, nil)
			s.SymOuterK(1, a)
			cov = append(cov, s)
		}
		if err := n.SetWeights(l, mean, cov); err != nil {
			t.Fatal(err)
		}
	}
}

func near(t *testing.T, name string, got, want, tol float64) {
	t.Helper()
	if !scalar.EqualWithinAbsOrRel(got, want, tol, tol) {
		t.Errorf("%s = %.12g, want %.12g", name, got, want)
	}
}
