package bnn

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/internal/check"
)

// newNetwork returns a network whose prior is the configuration's, with ones and draws of
// one weight after another in place of the defaults.
func newNetwork(t testing.TB, cfg Config) *Network {
	t.Helper()
	if cfg.PriorScale == nil {
		cfg.PriorScale = []float64{1}
	}
	if cfg.Replications == nil {
		cfg.Replications = []float64{1}
	}
	cfg.PriorDraw = Independent
	if cfg.PriorMeanVar == 0 && len(cfg.Layers) > 2 {
		cfg.PriorMeanVar = 1
	}
	n, err := New(cfg, random.Source("bnn", "test"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// copied returns the network as it is now.
func copied(t testing.TB, n *Network) *Network {
	t.Helper()
	c, err := Restore(n.State())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// randomWeights gives every neuron a random mean and a random full covariance.
func randomWeights(t testing.TB, n *Network, rnd *rand.Rand, size float64) {
	t.Helper()
	for l := range n.layers {
		out, in := n.cfg.WeightDims(l)
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

func observe(t testing.TB, n *Network, x []float64, class int) Update {
	t.Helper()
	update, err := n.Observe(x, class)
	if err != nil {
		t.Fatal(err)
	}
	return update
}

func predict(t testing.TB, n *Network, dst *Prediction, x []float64) {
	t.Helper()
	if err := n.Predict(dst, x); err != nil {
		t.Fatal(err)
	}
}

func setWeights(t testing.TB, n *Network, l int, mean *mat.Dense, cov []mat.Symmetric) {
	t.Helper()
	if err := n.SetWeights(l, mean, cov); err != nil {
		t.Fatal(err)
	}
}

// makeCertain takes the variances of layer l away.
func makeCertain(t testing.TB, n *Network, l int) {
	t.Helper()
	mean, cov := n.Weights(l)
	for j := range cov {
		cov[j] = mat.NewDiagDense(cov[j].SymmetricDim(), nil)
	}
	setWeights(t, n, l, mean, cov)
}

// sameWeights fails unless the weights of all layers are the same within tol.
func sameWeights(t testing.TB, name string, n, want *Network, tol float64) {
	t.Helper()
	for l := range want.layers {
		mean, cov := n.Weights(l)
		wantMean, wantCov := want.Weights(l)
		if !mat.EqualApprox(mean, wantMean, tol) {
			t.Errorf("%s, layer %d: means\n%v\nwant\n%v", name, l, mat.Formatted(mean), mat.Formatted(wantMean))
		}
		for j := range cov {
			if !mat.EqualApprox(cov[j], wantCov[j], tol) {
				t.Errorf("%s, layer %d: covariance of neuron %d\n%v\nwant\n%v", name, l, j, mat.Formatted(cov[j]), mat.Formatted(wantCov[j]))
			}
		}
	}
}

var near = check.Near
