package bnn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"closedform/internal/field"
)

// Predict sets dst to the prediction for x (paper, Algorithm 1). It returns an error if x has the wrong
// length or is not finite, or if the pre-activations overflow.
func (n *Network) Predict(dst *Prediction, x []float64) error {
	n.allocate(dst)
	return n.moments(dst, n.forward(dst.flows, x))
}

// Before implements [Sequential]: it is Predict, and makes the next Observe of the same input faster.
func (n *Network) Before(dst *Prediction, x []float64) error {
	n.allocate(dst)
	err := n.pass(x)
	for l, f := range n.flows {
		copy(dst.flows[l].y, f.y)
		copy(dst.flows[l].m, f.m)
		copy(dst.flows[l].v, f.v)
	}
	return n.moments(dst, err)
}

func (n *Network) moments(dst *Prediction, err error) error {
	if err != nil {
		dst.invalidate()
		return err
	}
	n.cfg.Softmax.Moments(dst.Moments, dst.Mean, dst.Variance)
	dst.setCov()
	return nil
}

func (n *Network) allocate(dst *Prediction) {
	if !dst.Fit(n, n.cfg.classes()) {
		return
	}
	dst.flows = n.newFlows()
	for l := range dst.flows {
		dst.Layers = append(dst.Layers, n.layerOf(dst.flows, l))
	}
	logits := dst.Layers[len(dst.Layers)-1]
	dst.Mean, dst.Variance = logits.Mean, logits.Variance
}

func (n *Network) layerOf(flows []flow, l int) Layer {
	return Layer{flows[l].y[:n.cfg.Layers[l]], flows[l].m, flows[l].v}
}

// flow is a forward pass through one layer, and the steps that an update makes there.
type flow struct {
	y    []float64 // means of the inputs ŷ, with a trailing 1 where there is a bias
	s    []float64 // variances of the inputs but the bias; nil if they are certain
	m, v []float64 // means and variances of the pre-activations

	// Of a hidden layer: variance of the output, and covariance with the pre-activation.
	outVar, cross []float64

	d, e    []float64 // (m̃−m)/v and (ṽ−v)/v² of the pre-activations
	scratch []float64 // a vector g = Lᵀŷ for each root, and one more vector
}

func (n *Network) newFlows() []flow {
	flows := make([]flow, len(n.layers))
	for l := range flows {
		f := &flows[l]
		out, in := n.cfg.WeightDims(l)
		for _, x := range []*[]float64{&f.m, &f.v, &f.d, &f.e, &f.outVar, &f.cross} {
			*x = padded(out)
		}
		if f.y = padded(in); n.cfg.Bias {
			f.y[in-1] = 1
		}
		if rows, _ := n.cfg.SpreadDims(l); n.cfg.Covariance[l] != Diagonal {
			f.scratch = make([]float64, (rows/in+1)*((in+3)&^3))
		}
		if l > 0 && n.cfg.Hidden == Smooth {
			f.s = flows[l-1].outVar
		}
	}
	return flows
}

// padded returns n zeros whose capacity is a multiple of four, as triangles read beyond a vector's end.
func padded(n int) []float64 { return make([]float64, n, (n+4)&^3) }

// forward is the paper's Algorithm 1 up to the logits. A hidden layer passes on the mean of its output and,
// under the hidden rule Smooth, its variance.
func (n *Network) forward(flows []flow, x []float64) error {
	if err := checkExample(n, x, 0); err != nil {
		return err
	}
	copy(flows[0].y, x)
	for l, w := range n.layers {
		f := &flows[l]
		w.forward(f)
		for j, m := range f.m {
			if v := f.v[j]; !(math.Abs(m+v) <= math.MaxFloat64) {
				return fmt.Errorf("bnn: layer %d: pre-activation of neuron %d overflows: mean %g, variance %g",
					l, j, m, v)
			}
		}
		if l < len(n.layers)-1 {
			n.cfg.Unit.AllMoments(flows[l+1].y[:len(f.m)], f.outVar, f.cross, f.m, f.v)
		}
	}
	return nil
}

func (n *Network) pass(x []float64) error {
	if n.current && slices.Equal(x, n.flows[0].y[:n.cfg.Layers[0]]) {
		return nil
	}
	err := n.forward(n.flows, x)
	n.current = err == nil
	return err
}

func checkExample(m Predictor, x []float64, class int) error {
	inputs, classes := m.Shape()
	if err := cmp.Or(field.Class(class, classes), field.Input(x, inputs)); err != nil {
		return fmt.Errorf("bnn: %w", err)
	}
	return nil
}
