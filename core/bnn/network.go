package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/core/activation"
)

// Network is a Bayesian multi-layer perceptron. Predict may be called by
// several goroutines at once; Observe and SetWeights need the network for
// themselves.
type Network struct {
	cfg    Config
	unit   activation.PiecewiseLinear
	layers []weights
	shared bool       // layers belong to a snapshot, too
	pass   pass       // of Observe
	step   outputStep // of Observe
}

// New returns a network with its prior weights: variances as cfg.PriorVar says, means
// drawn from src if cfg.PriorMeanVar > 0 and zero otherwise. It returns an error
// that names the field if cfg is not valid, and panics if src is nil.
func New(cfg Config, src rand.Source) (*Network, error) {
	if src == nil {
		panic("bnn: nil source of randomness")
	}
	cfg, err := cfg.prepare()
	if err != nil {
		return nil, err
	}
	n := &Network{cfg: cfg, unit: cfg.activation()}
	rnd := rand.New(src)
	for l := range cfg.Layers[1:] {
		out, in := cfg.WeightDims(l)
		variance := cfg.priorVariance(l, in)
		layer := cfg.newWeights(l, in, out)
		cov := mat.NewDiagDense(in, nil)
		for i := range in {
			cov.SetDiag(i, variance)
		}
		for j := range out {
			if err := layer.setCov(j, cov); err != nil {
				return nil, fmt.Errorf("bnn: prior_var = %g, prior_scale = %g: %w", cfg.PriorVar, cfg.PriorScale, err)
			}
		}
		if cfg.PriorMeanVar > 0 {
			sd := math.Sqrt(cfg.PriorMeanVar / float64(in))
			mean := mat.NewDense(out, in, nil)
			mean.Apply(func(_, _ int, _ float64) float64 { return sd * rnd.NormFloat64() }, mean)
			layer.SetMean(mean)
		}
		n.layers = append(n.layers, layer)
	}
	n.pass.reset(n)
	n.step.reset(&n.cfg)
	return n, nil
}

// SetWeights replaces the weights of layer l (from 0), w_j ~ N(μ_j, Σ_j): row j of
// mean is μ_j, neurons × inputs, and cov has a Σ_j for each neuron, inputs × inputs;
// the bias counts as the last input. Both are copied. The neurons of a joint output
// layer become uncorrelated. SetWeights panics if a shape does not fit, and returns
// an error, leaving the layer as it was, if a number is not finite or a covariance
// not positive semi-definite, not diagonal where the layer is, or not that of the
// first neuron where it is shared.
func (n *Network) SetWeights(l int, mean *mat.Dense, cov []mat.Symmetric) error {
	out, in := n.layer(l).Dims()
	if r, c := mean.Dims(); r != out || c != in {
		panic(fmt.Sprintf("bnn: %d×%d means for layer %d; need %d×%d", r, c, l, out, in))
	}
	if len(cov) != out {
		panic(fmt.Sprintf("bnn: %d covariances for %d neurons of layer %d", len(cov), out, l))
	}
	fresh := n.cfg.newWeights(l, in, out)
	for j, s := range cov {
		if s.SymmetricDim() != in {
			panic(fmt.Sprintf("bnn: covariance of neuron %d of layer %d is %d×%[3]d; need %d×%[4]d", j, l, s.SymmetricDim(), in))
		}
		for a := range in {
			if x := mean.At(j, a); math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("bnn: layer %d: mean of neuron %d holds %g", l, j, x)
			}
		}
		if err := fresh.setCov(j, s); err != nil {
			return fmt.Errorf("bnn: layer %d: %w", l, err)
		}
	}
	fresh.SetMean(mean)
	n.layers = slices.Clone(n.layers) // a snapshot may share them
	n.layers[l] = fresh
	return nil
}

// Weights returns copies of the weights of layer l (from 0), w_j ~ N(μ_j, Σ_j): row j
// of mean is μ_j, neurons × inputs, and cov has Σ_j for each neuron, inputs × inputs;
// the bias counts as the last input. The covariances of a diagonal layer are of type
// *mat.DiagDense, those of a joint output layer the blocks of the neurons, without
// what correlates them. Weights panics if there is no such layer.
func (n *Network) Weights(l int) (mean *mat.Dense, cov []mat.Symmetric) {
	w := n.layer(l)
	out, in := w.Dims()
	mean = mat.NewDense(out, in, nil)
	for j := range out {
		row, s := w.neuron(j)
		mean.SetRow(j, row)
		cov = append(cov, s)
	}
	return mean, cov
}

// Snapshot returns the network as it is now, for readers that go on to predict
// while n learns. The weights are shared until either network changes and then
// copied once. Snapshot needs n for itself, as Observe does.
func (n *Network) Snapshot() *Network {
	s := &Network{cfg: n.cfg, unit: n.unit, layers: n.layers, shared: true}
	s.pass.reset(s)
	s.step.reset(&s.cfg)
	n.shared = true
	return s
}

// own copies the weights if a snapshot shares them.
func (n *Network) own() {
	if !n.shared {
		return
	}
	layers := make([]weights, len(n.layers))
	for l, w := range n.layers {
		layers[l] = w.clone()
	}
	n.layers, n.shared = layers, false
}

func (n *Network) layer(l int) weights {
	if l < 0 || l >= len(n.layers) {
		panic(fmt.Sprintf("bnn: no layer %d; the network has %d", l, len(n.layers)))
	}
	return n.layers[l]
}
