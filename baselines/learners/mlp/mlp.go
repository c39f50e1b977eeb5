// Package mlp is the multi-layer perceptron as a function of one weight vector, with its derivatives.
package mlp

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Network computes logits from a weight vector. It is safe for concurrent use, each call with its own Pass.
type Network struct {
	Inputs int // number of inputs, without the bias
	Layers []Layer
}

// Layer is the place of one layer in the weight vector, see Neuron. The bias is the last input.
type Layer struct{ In, Out, Offset int }

// New returns the network with the given widths, from inputs to outputs, whose hidden units are rectifiers.
// With a bias every layer has a further input, which is 1.
func New(widths []int, bias bool) *Network {
	n := &Network{Inputs: widths[0]}
	for l, out := range widths[1:] {
		w := Layer{In: widths[l], Out: out}
		if bias {
			w.In++
		}
		if l > 0 {
			w.Offset = n.Weights()
		}
		n.Layers = append(n.Layers, w)
	}
	return n
}

// Weights returns the length of the weight vector.
func (n *Network) Weights() int {
	last := n.Layers[len(n.Layers)-1]
	return last.Offset + last.In*last.Out
}

// Outputs returns the number of logits.
func (n *Network) Outputs() int { return n.Layers[len(n.Layers)-1].Out }

// Neuron returns the part of a weight vector that belongs to neuron j of the layer.
func (w Layer) Neuron(weights []float64, j int) []float64 {
	return weights[w.Offset+j*w.In : w.Offset+(j+1)*w.In]
}

// PriorVar returns, for each weight, v divided by the number of inputs of its layer.
func (n *Network) PriorVar(v float64) []float64 {
	all := make([]float64, 0, n.Weights())
	for _, w := range n.Layers {
		all = append(all, slices.Repeat([]float64{v / float64(w.In)}, w.In*w.Out)...)
	}
	return all
}

// Pass holds the intermediate values of a network for one example.
type Pass struct {
	Logit []float64 // logits, set by Forward
	Score []float64 // derivatives by the logits, set by the caller of Backward

	x     []float64   // the inputs of Logits, with a trailing 1
	first []float64   // products of x with the first layer
	y     [][]float64 // inputs of each layer, with a trailing 1 where there is a bias; y[0] is the caller's
	slope [][]float64 // slopes of the hidden units whose outputs are y[l]; slope[0] is nil
	delta [][]float64 // derivatives by the inputs of each layer, and the Score; delta[0] is nil
}

// NewPass returns a Pass of the network.
func (n *Network) NewPass() *Pass {
	p := &Pass{
		Logit: make([]float64, n.Outputs()), Score: make([]float64, n.Outputs()),
		x: make([]float64, n.Inputs+1), y: [][]float64{nil}, slope: [][]float64{nil}, delta: [][]float64{nil},
	}
	for l, w := range n.Layers[1:] {
		y, width := make([]float64, w.In), n.Layers[l].Out
		y[w.In-1] = 1 // the bias; without a bias Forward overwrites it
		p.y = append(p.y, y)
		p.slope = append(p.slope, make([]float64, width))
		p.delta = append(p.delta, make([]float64, width))
	}
	p.delta = append(p.delta, p.Score)
	if p.first = p.Logit; len(n.Layers) > 1 {
		p.first = make([]float64, n.Layers[0].Out)
	}
	return p
}

// Input returns the inputs of layer l in the last Forward, with a trailing 1 where there is a bias.
func (p *Pass) Input(l int) []float64 { return p.y[l] }

// SetScore sets the Score to the derivatives of −log softmax_class by the logits.
func (p *Pass) SetScore(class int) {
	copy(p.Score, p.Logit)
	Normalise(p.Score)
	p.Score[class]--
}

// Logits is Forward for x without its trailing 1. Errors: x has a wrong length or is not finite; overflow.
func (n *Network) Logits(p *Pass, weights, x []float64) error {
	if err := field.Input(x, n.Inputs); err != nil {
		return err
	}
	p.x[copy(p.x, x)] = 1
	n.Forward(p, weights, p.x[:n.Layers[0].In])
	if !kernel.Finite(p.Logit...) {
		return errors.New("the logits overflow")
	}
	return nil
}

// Softmax sets p to the softmax of the Logits.
func (n *Network) Softmax(p []float64, pass *Pass, weights, x []float64) error {
	CheckProbabilities(p, n.Outputs())
	if err := n.Logits(pass, weights, x); err != nil {
		return err
	}
	copy(p, pass.Logit)
	Normalise(p)
	return nil
}

// Forward sets p.Logit for x, with a trailing 1 where there is a bias, and keeps x for Backward.
func (n *Network) Forward(p *Pass, weights, x []float64) {
	p.y[0] = x
	n.Layers[0].products(p.first, weights, x)
	z := p.first
	for l, w := range n.Layers[1:] {
		y, slope := p.y[l+1][:len(z)], p.slope[l+1][:len(z)]
		for j, z := range z {
			slope[j] = kernel.Unless(z, 1)
			y[j] = slope[j] * z
		}
		if z = p.Logit; l+2 < len(n.Layers) {
			z = p.y[l+2][:w.Out]
		}
		w.products(z, weights, p.y[l+1])
	}
}

// Deltas sets the derivatives of Σ_j Score_j Logit_j by the pre-activations of all layers, after Forward with
// the same weights. A hidden unit at its kink z = 0 has the derivative 1.
func (n *Network) Deltas(p *Pass, weights []float64) {
	for l := len(n.Layers) - 1; l > 0; l-- {
		w, below := n.Layers[l], p.delta[l]
		clear(below)
		for j, d := range p.delta[l+1] {
			if d != 0 { // a hidden unit that is off has d = 0
				floats.AddScaled(below, d, w.Neuron(weights, j)[:len(below)])
			}
		}
		floats.Mul(below, p.slope[l])
	}
}

// Delta returns the last Deltas of layer l: weight (j, i) has derivative Delta(l)[j]·Input(l)[i].
func (p *Pass) Delta(l int) []float64 { return p.delta[l+1] }

// Backward adds the derivatives of Σ_j Score_j Logit_j by the weights to grad, after Forward.
func (n *Network) Backward(p *Pass, grad, weights []float64) {
	n.Deltas(p, weights)
	for l, w := range n.Layers {
		kernel.AddOuter(grad[w.Offset:], p.Delta(l), p.y[l])
	}
}

// Exponentials replaces logits z by exp(z − top), where top is the largest, and returns top and the sum,
// which lies between 1 and n. All are NaN if a logit is NaN or +∞.
func Exponentials(z []float64) (top, sum float64) {
	top = slices.Max(z)
	for j := range z {
		z[j] -= top
	}
	kernel.ExpAll(z, z)
	return top, kernel.Sum(z)
}

// ExponentialRows is Exponentials for each column of z, which has a row for each class; it sets top and sum.
func ExponentialRows(z [][]float64, top, sum []float64) {
	copy(top, z[0])
	clear(sum)
	for _, row := range z[1:] {
		for i, x := range row {
			top[i] = max(top[i], x)
		}
	}
	for _, row := range z {
		floats.Sub(row, top)
		kernel.ExpAll(row, row)
		floats.Add(sum, row)
	}
}

// Normalise replaces logits by probabilities, their softmax.
func Normalise(z []float64) {
	_, sum := Exponentials(z)
	for j := range z {
		z[j] /= sum
	}
}

func (w Layer) products(z, weights, y []float64) { kernel.Rows(z[:w.Out], weights[w.Offset:], y) }
