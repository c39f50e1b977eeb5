package bnn

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/check"
)

var outputRules = []OutputRule{ADF, ADFExact, Joint, Total}

// spec is a configuration in a few words: what is not given is one, or as in [Default], but
// that prior means are drawn independently.
type spec struct {
	Layers          []int
	Bias            bool
	Alpha, Beta     float64
	Output          OutputRule
	Hidden          HiddenRule
	Covariance      []Covariance
	Softmax         softmax.Approximation
	OnIndefinite    Policy
	EigenvalueFloor float64
	VarianceFloor   float64
	PriorVar        float64 // times PriorScale, divided by the number of inputs but for paper
	PriorScale      []float64
	paper           bool
	PriorMeanVar    float64
	Replications    []float64
}

func (s spec) config() Config {
	c := Default(s.Layers...)
	c.Bias, c.PriorDraw = s.Bias, Independent
	if s.Alpha != 0 || s.Beta != 0 {
		c.Unit.Alpha, c.Unit.Beta = s.Alpha, s.Beta
	}
	c.Output, c.Hidden, c.Paper.OnIndefinite = cmp.Or(s.Output, ADF), cmp.Or(s.Hidden, SmoothMean), cmp.Or(s.OnIndefinite, Fail)
	c.Paper.EigenvalueFloor, c.Paper.VarianceFloor = cmp.Or(s.EigenvalueFloor, 1e-3), cmp.Or(s.VarianceFloor, 1e-3)
	layers := len(s.Layers) - 1
	if s.Covariance != nil {
		c.Covariance = spread(s.Covariance, layers)
	}
	if c.Softmax = s.Softmax; s.Softmax == nil && c.Output.exact() {
		c.Softmax = softmax.Exact{Fast: true}
	} else if s.Softmax == nil {
		c.Softmax = softmax.Probit{Lambda: softmax.SlopeLambda(c.classes(), 0.5), Rho: 0.5}
	}
	ones := []float64{1}
	c.Replications, c.PriorVar = ones, ones
	if s.Replications != nil {
		c.Replications = s.Replications
	}
	if s.PriorScale != nil {
		c.PriorVar = s.PriorScale
	}
	c.Replications, c.PriorVar = spread(c.Replications, layers), spread(c.PriorVar, layers)
	for l := range c.PriorVar {
		c.PriorVar[l] *= cmp.Or(s.PriorVar, 1)
		if _, in := c.WeightDims(l); !s.paper {
			c.PriorVar[l] /= float64(in)
		}
	}
	if c.PriorMeanVar = s.PriorMeanVar; c.PriorMeanVar == 0 && layers > 1 {
		c.PriorMeanVar = 1
	}
	return c
}

// spread returns a list with an entry for each layer, a single one repeated.
func spread[T any](list []T, layers int) []T {
	if len(list) == 1 {
		return slices.Repeat(list, layers)
	}
	return slices.Clone(list)
}

// newNetwork returns a network with prior weights.
func newNetwork(s spec) *Network {
	return check.Must(New(s.config(), random.Source("bnn", "test")))
}

// copied returns the network as it is now.
func copied(n *Network) *Network {
	return check.Must(Restore(n.State()))
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
		check.OK(t, n.SetWeights(l, mean, cov))
	}
}

func observe(n *Network, x []float64, class int) Update {
	return check.Must(n.Observe(x, class))
}

func predict(t testing.TB, n *Network, dst *Prediction, x []float64) {
	t.Helper()
	check.OK(t, n.Predict(dst, x))
}

func setWeights(t testing.TB, n *Network, l int, mean *mat.Dense, cov []mat.Symmetric) {
	t.Helper()
	check.OK(t, n.SetWeights(l, mean, cov))
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
