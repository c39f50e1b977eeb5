package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"closedform/core/activation"
)

// Network is a Bayesian multi-layer perceptron. Predict may be called by
// several goroutines at once; Observe and SetWeights need the network for
// themselves.
type Network struct {
	cfg    Config
	unit   activation.PiecewiseLinear
	layers []layer
	pass   pass       // of Observe
	step   outputStep // of Observe
}

// New returns a network with its prior weights: variance cfg.PriorVar, means
// drawn from src if cfg.PriorMeanVar > 0 and zero otherwise. It returns an error
// that names the field if cfg is not valid, and panics if src is nil.
func New(cfg Config, src rand.Source) (*Network, error) {
	if src == nil {
		panic("bnn: nil source of randomness")
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	n := &Network{cfg: cfg, unit: cfg.activation()}
	rnd := rand.New(src)
	for l, out := range cfg.Layers[1:] {
		in := cfg.Layers[l]
		if cfg.Bias {
			in++
		}
		weights := newLayer(in, out)
		for j := range out {
			for a := range in {
				weights.neuronRoot(j)[a*in+a] = math.Sqrt(cfg.PriorVar)
			}
		}
		if cfg.PriorMeanVar > 0 {
			sd := math.Sqrt(cfg.PriorMeanVar / float64(in))
			for i := range weights.mean {
				weights.mean[i] = sd * rnd.NormFloat64()
			}
		}
		n.layers = append(n.layers, weights)
	}
	n.pass.reset(n)
	n.step.reset(cfg.classes())
	return n, nil
}

// SetWeights replaces the weights of layer l (from 0): mean is neurons × inputs,
// cov holds one inputs × inputs covariance per neuron; the bias counts as the
// last input. Both are copied. SetWeights panics if a shape does not fit, and
// returns an error, leaving the layer as it was, if a number is not finite or a
// covariance not positive semi-definite.
func (n *Network) SetWeights(l int, mean *mat.Dense, cov []mat.Symmetric) error {
	old := n.layer(l)
	if r, c := mean.Dims(); r != old.out || c != old.in {
		panic(fmt.Sprintf("bnn: %d×%d means for layer %d; need %d×%d", r, c, l, old.out, old.in))
	}
	if len(cov) != old.out {
		panic(fmt.Sprintf("bnn: %d covariances for %d neurons of layer %d", len(cov), old.out, l))
	}
	fresh := newLayer(old.in, old.out)
	for j, s := range cov {
		if s.SymmetricDim() != old.in {
			panic(fmt.Sprintf("bnn: covariance of neuron %d of layer %d is %d×%[3]d; need %d×%[4]d", j, l, s.SymmetricDim(), old.in))
		}
		for a := range old.in {
			x := mean.At(j, a)
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("bnn: layer %d: mean of neuron %d holds %g", l, j, x)
			}
			fresh.neuronMean(j)[a] = x
		}
		if err := fresh.setCov(j, s); err != nil {
			return fmt.Errorf("bnn: layer %d: %w", l, err)
		}
	}
	*old = fresh
	return nil
}

// Weights returns copies of the weights of layer l in the form that SetWeights
// takes. It panics if there is no such layer.
func (n *Network) Weights(l int) (mean *mat.Dense, cov []mat.Symmetric) {
	w := n.layer(l)
	mean = mat.NewDense(w.out, w.in, append([]float64(nil), w.mean...))
	for j := range w.out {
		s := mat.NewSymDense(w.in, nil)
		w.covTo(s, j)
		cov = append(cov, s)
	}
	return mean, cov
}

func (n *Network) layer(l int) *layer {
	if l < 0 || l >= len(n.layers) {
		panic(fmt.Sprintf("bnn: no layer %d; the network has %d", l, len(n.layers)))
	}
	return &n.layers[l]
}
