package posterior

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/core/activation"
)

// network computes class probabilities from a weight vector.
type network struct {
	unit   activation.PiecewiseLinear
	layers []layer
}

// layer is the place of one layer in the weight vector: neuron j has the
// weights offset + j·in, …, offset + (j+1)·in − 1. The bias counts as an input.
type layer struct {
	in, out, offset int
}

func newNetwork(m Model) *network {
	n := &network{unit: m.unit()}
	offset := 0
	for l := 1; l < len(m.Layers); l++ {
		w := layer{m.fanIn(l - 1), m.Layers[l], offset}
		n.layers = append(n.layers, w)
		offset += w.in * w.out
	}
	return n
}

func (n *network) classes() int { return n.layers[len(n.layers)-1].out }

func (w layer) neuron(weights []float64, j int) []float64 {
	return weights[w.offset+j*w.in : w.offset+(j+1)*w.in]
}

// pass holds what flows through the network for one example.
type pass struct {
	y     [][]float64 // inputs of each layer, with a trailing 1 where there is a bias
	slope [][]float64 // of the hidden units that make y[l]; slope[0] is nil
	delta [][]float64 // derivatives by the inputs of each layer; delta[0] is nil
	logit []float64
	score []float64 // derivatives by the logits
}

func (n *network) newPass() *pass {
	p := &pass{logit: make([]float64, n.classes()), score: make([]float64, n.classes())}
	for l, w := range n.layers {
		y := make([]float64, w.in)
		y[w.in-1] = 1 // stays where there is a bias, else is overwritten
		p.y = append(p.y, y)
		if l == 0 {
			p.slope, p.delta = append(p.slope, nil), append(p.delta, nil)
			continue
		}
		width := n.layers[l-1].out
		p.slope = append(p.slope, make([]float64, width))
		p.delta = append(p.delta, make([]float64, width))
	}
	return p
}

// forward sets p.logit for the example x, which has its trailing 1 where there
// is a bias.
func (n *network) forward(p *pass, weights, x []float64) {
	y := x
	for l, w := range n.layers {
		if l == len(n.layers)-1 {
			for j := range p.logit {
				p.logit[j] = dot(w.neuron(weights, j), y)
			}
			return
		}
		next, slope := p.y[l+1], p.slope[l+1]
		for j := range slope {
			z := dot(w.neuron(weights, j), y)
			slope[j] = n.unit.Beta
			if z < 0 {
				slope[j] = n.unit.Alpha
			}
			next[j] = slope[j] * z
		}
		y = next
	}
}

// backward adds the derivatives of Σ_j score_j logit_j by the weights to grad,
// after forward for the same weights and x. The derivative of a hidden unit at
// its kink z = 0 is taken as β.
func (n *network) backward(p *pass, grad, weights, x []float64) {
	delta := p.score
	for l := len(n.layers) - 1; l >= 0; l-- {
		w, y := n.layers[l], x
		if l > 0 {
			y = p.y[l]
		}
		for j, d := range delta {
			floats.AddScaled(w.neuron(grad, j), d, y)
		}
		if l == 0 {
			return
		}
		below := p.delta[l]
		clear(below)
		for j, d := range delta {
			floats.AddScaled(below, d, w.neuron(weights, j)[:len(below)])
		}
		floats.Mul(below, p.slope[l])
		delta = below
	}
}

// exponentials replaces logits z by exp(z − top), top the largest, and returns
// top and the sum of these, which is from 1 to n. All are NaN if a logit is NaN
// or +∞.
func exponentials(z []float64) (top, sum float64) {
	top = math.Inf(-1)
	for _, x := range z {
		top = max(top, x)
	}
	for j, x := range z {
		e := 1.0 // the exponential takes most of the time: save one
		if x != top || math.IsInf(top, 0) {
			e = math.Exp(x - top)
		}
		z[j] = e
		sum += e
	}
	return top, sum
}

// normalise replaces logits by probabilities.
func normalise(z []float64) {
	_, sum := exponentials(z)
	for j := range z {
		z[j] /= sum
	}
}

// dot is written out because the vectors are short: a call costs more than the
// work.
func dot(a, b []float64) float64 {
	var s float64
	for i, x := range a[:len(b)] {
		s += x * b[i]
	}
	return s
}
