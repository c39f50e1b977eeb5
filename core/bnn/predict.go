package bnn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	"closedform/internal/field"
)

// Prediction is the prediction of a [Model] for one input. Predicting into it again allocates nothing and
// overwrites its slices and matrices. After an error all numbers are NaN. The methods only read.
type Prediction struct {
	P        []float64     // probabilities of the classes, E[y]; add up to Sum
	Cov      *mat.SymDense // Σ_y, covariance of the probabilities, classes × classes
	Mean     []float64     // means of the logits
	Variance []float64     // variances of the logits

	// Moments are the moments of the softmax, which give Cov. Except in a [Bank], P is Moments.P. Approximation
	// errors may make the diagonal of Cov negative.
	Moments *softmax.Moments

	// Members are the predictions of the members of an [Ensemble] or a [Bank], Weights their weights, which add
	// up to 1; nil for a network. A member of weight zero is the zero Prediction or NaN.
	Members []Prediction
	Weights []float64

	// Layers are the layers of a network; nil for a mixture, whose Members have them.
	Layers []Layer

	owner any // the model whose predictions there is memory for
	flows []flow
}

// Sum returns the sum of P: 1 for a [Bank], else 1 + Moments.Excess(); NaN after an error.
func (p *Prediction) Sum() float64 {
	switch {
	case p.Moments == nil:
		return math.NaN()
	case p.valid() && &p.P[0] != &p.Moments.P[0]:
		return 1
	}
	return 1 + p.Moments.Excess()
}

func (p *Prediction) invalidate() {
	for _, l := range append(p.Layers, Layer{p.P, p.Mean, p.Variance}) {
		floats.AddConst(math.NaN(), l.Input)
		floats.AddConst(math.NaN(), l.Mean)
		floats.AddConst(math.NaN(), l.Variance)
	}
	if p.Moments != nil {
		floats.AddConst(math.NaN(), p.Moments.P)
		floats.AddConst(math.NaN(), p.Moments.E.RawMatrix().Data)
		p.Moments.Cov(p.Cov)
	}
	for k := range p.Members {
		p.Members[k].invalidate()
	}
}

// Layer is the input of one layer of weights, and its pre-activations.
type Layer struct {
	Input          []float64 // means, without the bias
	Mean, Variance []float64 // of the pre-activations, those of the last layer being the logits
}

func (p *Prediction) fit(owner any, classes int) bool {
	if p.owner == owner && len(p.P) == classes {
		return false
	}
	m := softmax.NewMoments(classes)
	*p = Prediction{P: m.P, Cov: mat.NewSymDense(classes, nil), Moments: m, owner: owner}
	return true
}

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
	dst.Moments.Cov(dst.Cov)
	return nil
}

func (n *Network) allocate(dst *Prediction) {
	if !dst.fit(n, n.cfg.classes()) {
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

type flow struct {
	y    []float64 // means of the inputs ŷ, with a trailing 1 where there is a bias
	s    []float64 // variances of the inputs but the bias; nil if they are certain
	m, v []float64 // pre-activations

	// Of a hidden layer: variance of the output, and covariance with the pre-activation.
	outVar, cross []float64

	d, e    []float64 // (m̃−m)/v and (ṽ−v)/v² of the pre-activations
	scratch []float64 // a g for each root, and one more vector
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

func checkExample(m Model, x []float64, class int) error {
	inputs, classes := m.Shape()
	if err := cmp.Or(field.Class(class, classes), field.Input(x, inputs)); err != nil {
		return fmt.Errorf("bnn: %w", err)
	}
	return nil
}
