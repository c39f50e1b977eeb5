// Package tagi is tractable approximate Gaussian inference (Goulet, Nguyen and
// Amiri, "Tractable approximate Gaussian inference for Bayesian neural networks",
// Journal of Machine Learning Research 2021) for classification: a multi-layer
// perceptron of rectifiers, all of whose weights and hidden units are independent
// Gaussians, learning one example after another.
//
// Moments go forward in closed form, weights and units being independent. The
// labels are Gaussian targets: the classes are the leaves of a binary tree, each
// node has an output z ~ N(m, v), and a label says y = ±1 at the nodes on its way,
// y = z + ε, ε ~ N(0, σ_V²),
//
//	m̃ = m + v (y − m)/(v + σ_V²),   ṽ = v − v²/(v + σ_V²),
//
// and nothing at the others. What the outputs learn goes back by the
// Rauch–Tung–Striebel smoother, layer by layer, with the moments before the step.
// The probability of a class is the product along its way of
//
//	P(±1) = Φ(±m/√(v + σ_P²)),
//
// with σ_P = 1/3 as in the authors' program, divided by the sum of that of all
// classes. The authors' later programs have another head, remax.
package tagi

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"closedform/baselines/learners/mlp"
	"closedform/core/bnn"
	"closedform/core/random"
)

// Model is a network and what it has learnt. It must not be used by several
// goroutines at once.
type Model struct {
	cfg     Config
	layers  []*layer
	head    head
	floored int
}

// head is what labels and probabilities of the classes have to do with the outputs.
type head interface {
	outputs() int // their number

	// observe sets d and e of the layer of the outputs to what a label says of them. It
	// reports whether they do not overflow.
	observe(last *layer, class int) bool

	// predict sets p to the probabilities of the classes. It reports whether they do not
	// overflow.
	predict(p []float64, last *layer) bool
}

// New returns a network with its prior weights, whose means are drawn from src.
// It returns an error that names the field if cfg is not valid, and panics if src
// is nil.
func New(cfg Config, src rand.Source) (*Model, error) {
	_, rnd, err := mlp.Start(cfg.Layers, cfg, src)
	if err != nil {
		return nil, fmt.Errorf("tagi: %w", err)
	}
	cfg = cfg.WithDefaults()
	m := &Model{cfg: cfg}
	if cfg.Head == Remax {
		m.head = newRemax(cfg.classes(), cfg.SigmaV)
	} else {
		t := newTree(cfg.classes())
		t.sigmaV, t.sigmaP = cfg.SigmaV, cfg.SigmaP
		m.head = t
	}
	last := len(cfg.Layers) - 2
	for l, width := range cfg.Layers[:last+1] {
		out := cfg.Layers[l+1]
		if l == last {
			out = m.head.outputs()
		}
		w := newLayer(width+1, out)
		sd := math.Sqrt(cfg.PriorMeanVar / float64(w.In))
		for i := range w.Mean {
			w.Mean[i] = sd * random.Normal(rnd)
			w.Variance[i] = cfg.PriorVar / float64(w.In)
		}
		if l > 0 {
			w.s = make([]float64, width)
		}
		if l < last {
			w.slope = make([]float64, out)
		}
		m.layers = append(m.layers, w)
	}
	return m, nil
}

// Floored returns how often the variance of a hidden unit was set to its floor, a
// thousandth of what it was, because the neurons after it, taken for independent,
// had more to say than that.
func (m *Model) Floored() int { return m.floored }

// Layers returns what the layers have made of the input of the last Predict or Observe.
func (m *Model) Layers() (all []bnn.Layer) {
	for _, w := range m.layers {
		all = append(all, bnn.Layer{Input: w.y[:w.In-1], Mean: w.m, Variance: w.v})
	}
	return all
}

// forward sets the moments of the outputs for x.
func (m *Model) forward(x []float64) error {
	if err := mlp.SetInput(m.layers[0].y, x); err != nil {
		return err
	}
	for l, w := range m.layers {
		w.Forward(w.m, w.v, w.y, w.s)
		for j, mean := range w.m {
			if !mlp.Finite(mean, w.v[j]) {
				return fmt.Errorf("layer %d: neuron %d overflows: mean %g, variance %g", l, j, mean, w.v[j])
			}
			if w.slope != nil {
				next := m.layers[l+1]
				next.y[j], next.s[j], w.slope[j] = rectify(mean, w.v[j])
			}
		}
	}
	return nil
}

var errOverflow = errors.New("tagi: the probabilities of the classes overflow")

// Observe updates the weights by one example of the given class (from 0). It
// allocates nothing. It returns an error, the weights unchanged, if the input is
// not finite, the class out of range, or if numbers overflow, and panics if the
// length of x is not the number of inputs.
func (m *Model) Observe(x []float64, class int) error {
	if err := cmp.Or(mlp.CheckClass(class, m.cfg.classes()), m.forward(x)); err != nil {
		return fmt.Errorf("tagi: %w", err)
	}
	if !m.head.observe(m.layers[len(m.layers)-1], class) {
		return errOverflow
	}
	for l := len(m.layers) - 1; l > 0; l-- {
		m.floored += m.layers[l].backward(m.layers[l-1])
	}
	for _, w := range m.layers {
		w.update()
	}
	return nil
}

// Predict sets p to the predictive probabilities of the classes at x. It returns
// an error if x is not finite or if numbers overflow, and panics if a length does
// not fit.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, m.cfg.classes())
	if err := m.forward(x); err != nil {
		return fmt.Errorf("tagi: %w", err)
	}
	if !m.head.predict(p, m.layers[len(m.layers)-1]) {
		return errOverflow
	}
	return nil
}
