package bnn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// Prediction is what the network says about one input. Reusing one allocates
// nothing.
type Prediction struct {
	P        []float64     // probabilities of the classes, E[y]; add up to 1 + Moments.Excess()
	Cov      *mat.SymDense // Σ_y, covariance of the probabilities, classes × classes
	Mean     []float64     // means of the logits
	Variance []float64     // variances of the logits

	// Moments are the moments of the softmax that P and Cov are made of; P is
	// the same slice as Moments.P. Those of an approximation may be off so far
	// that Cov has a negative diagonal.
	Moments *softmax.Moments

	pass pass
}

// Predict sets dst to the prediction for x (paper, Algorithm 1). It returns an
// error if x is not finite or the network overflows on it, and panics if the
// length of x is not the number of inputs.
func (n *Network) Predict(dst *Prediction, x []float64) error {
	classes := n.cfg.classes()
	if dst.Moments == nil || len(dst.P) != classes {
		dst.Moments = softmax.NewMoments(classes)
		dst.P = dst.Moments.P
		dst.Cov = mat.NewSymDense(classes, nil)
	}
	dst.pass.reset(n)
	if err := n.forward(&dst.pass, x); err != nil {
		return err
	}
	dst.Mean, dst.Variance = dst.pass.output()
	n.cfg.Softmax.Moments(dst.Moments, dst.Mean, dst.Variance)
	dst.Moments.Cov(dst.Cov)
	return nil
}

// pass holds what flows through the network in one forward pass.
type pass struct {
	layers []flow
}

// flow holds what one layer sees and says.
type flow struct {
	y    []float64 // input ŷ, with a trailing 1 where there is a bias
	m, v []float64 // pre-activations
	g    []float64 // R_jᵀŷ, out × in

	// Of hidden units, for the update: variance of the output and
	// cross-covariance with z.
	s, cross []float64
}

// reset fits the pass to the network.
func (p *pass) reset(n *Network) {
	fits := len(p.layers) == len(n.layers)
	for l := range p.layers {
		fits = fits && len(p.layers[l].y) == n.layers[l].in && len(p.layers[l].m) == n.layers[l].out
	}
	if fits {
		return
	}
	p.layers = make([]flow, len(n.layers))
	for l, w := range n.layers {
		f := &p.layers[l]
		f.y = make([]float64, w.in)
		f.m, f.v = make([]float64, w.out), make([]float64, w.out)
		f.g = make([]float64, w.out*w.in)
		if l < len(n.layers)-1 {
			f.s, f.cross = make([]float64, w.out), make([]float64, w.out)
		}
	}
}

// output returns the means and variances of the logits.
func (p *pass) output() (m, v []float64) {
	last := &p.layers[len(p.layers)-1]
	return last.m, last.v
}

// forward is the paper's Algorithm 1 up to the logits. A hidden layer hands on
// the mean of its output (hidden rule Frozen).
func (n *Network) forward(p *pass, x []float64) error {
	if len(x) != n.cfg.Layers[0] {
		panic(fmt.Sprintf("bnn: input of length %d; the network has %d inputs", len(x), n.cfg.Layers[0]))
	}
	for a, xa := range x {
		if math.IsNaN(xa) || math.IsInf(xa, 0) {
			return fmt.Errorf("bnn: input %d is %g; need a finite number", a, xa)
		}
	}
	copy(p.layers[0].y, x)
	for l := range n.layers {
		f := &p.layers[l]
		if n.cfg.Bias {
			f.y[len(f.y)-1] = 1
		}
		if err := n.layers[l].forward(f.m, f.v, f.g, f.y); err != nil {
			return fmt.Errorf("bnn: layer %d: %w", l, err)
		}
		if l == len(n.layers)-1 {
			break
		}
		next := p.layers[l+1].y
		for j := range f.m {
			next[j], f.s[j], f.cross[j] = n.unit.Moments(f.m[j], f.v[j])
		}
	}
	return nil
}
