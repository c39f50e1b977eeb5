package bnn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// Prediction is what a network or an ensemble says about one input. Reusing one for the
// same allocates nothing.
type Prediction struct {
	P        []float64     // probabilities of the classes, E[y]; add up to 1 + Moments.Excess()
	Cov      *mat.SymDense // Σ_y, covariance of the probabilities, classes × classes
	Mean     []float64     // means of the logits
	Variance []float64     // variances of the logits

	// Moments are those of the softmax that P and Cov are made of; P is Moments.P.
	// An approximation may be off so far that Cov has a negative diagonal.
	Moments *softmax.Moments

	// Members are those of an [Ensemble] of several; nil for a network.
	Members []Prediction

	// Layers are what each layer of a network makes of the input; nil for an ensemble,
	// whose members have them.
	Layers []Layer

	of   any // the network or the ensemble
	pass []flow
}

// Layer is what one layer of weights makes of its input, which the layer below has handed on.
type Layer struct {
	Input          []float64 // means, without the bias
	Mean, Variance []float64 // of the pre-activations, those of the last layer being the logits
}

func newPrediction(of any, classes int) Prediction {
	m := softmax.NewMoments(classes)
	return Prediction{P: m.P, Cov: mat.NewSymDense(classes, nil), Moments: m, of: of}
}

// Predict sets dst to the prediction for x (paper, Algorithm 1). It returns an
// error if x is not finite, if the network overflows on it, or if the logits of a
// joint output layer have variances beyond its cubature, and panics if the
// length of x is not the number of inputs.
func (n *Network) Predict(dst *Prediction, x []float64) error {
	if dst.of != n {
		*dst = newPrediction(n, n.cfg.classes())
		dst.pass = n.newPass()
		for l, f := range dst.pass {
			dst.Layers = append(dst.Layers, Layer{f.y[:n.cfg.Layers[l]], f.m, f.v})
		}
	}
	if err := n.forward(dst.pass, x); err != nil {
		return err
	}
	logits := &dst.pass[len(n.layers)-1]
	dst.Mean, dst.Variance = logits.m, logits.v
	if logits.joint != nil {
		if relerr := (softmax.Cubature{}).Moments(dst.Moments, dst.Mean, logits.joint.cov); relerr > mostCubatureErr {
			return errTooWide
		}
	} else {
		n.cfg.Softmax.Moments(dst.Moments, dst.Mean, dst.Variance)
	}
	dst.Moments.Cov(dst.Cov)
	return nil
}

// flow holds what one layer gets and hands on, and how an example moves it.
type flow struct {
	y    []float64 // means of the inputs ŷ, with a trailing 1 where there is a bias
	s    []float64 // variances of the inputs but the bias; nil if they are certain
	m, v []float64 // pre-activations

	// Of a hidden layer: variance of its output, covariance with the pre-activation.
	outVar, cross []float64

	d, e    []float64 // (m̃−m)/v and (ṽ−v)/v² of the pre-activations
	scratch []float64

	joint *jointFlow // of a joint output layer, else nil
}

// newPass returns the flows of all layers.
func (n *Network) newPass() []flow {
	pass := make([]flow, len(n.layers))
	for l, w := range n.layers {
		f := &pass[l]
		out, in := n.cfg.WeightDims(l)
		f.scratch = make([]float64, w.scratch())
		for _, of := range []*[]float64{&f.m, &f.v, &f.d, &f.e, &f.outVar, &f.cross} {
			*of = padded(out)
		}
		f.y = padded(in)
		if n.cfg.joint(l) {
			f.joint = newJointFlow(in, out)
		}
		if l > 0 && n.cfg.Hidden == Smooth {
			f.s = pass[l-1].outVar
		}
	}
	return pass
}

// padded returns n zeros with room for more up to a multiple of four, with and without one
// for the bias: triangles take a vector with the zeros behind it.
func padded(n int) []float64 { return make([]float64, n, (n+4)&^3) }

// forward is the paper's Algorithm 1 up to the logits. A hidden layer hands on
// the mean of its output and, under the hidden rule Smooth, its variance.
func (n *Network) forward(pass []flow, x []float64) error {
	if len(x) != n.cfg.Layers[0] {
		panic(fmt.Sprintf("bnn: input of length %d; the network has %d inputs", len(x), n.cfg.Layers[0]))
	}
	if a := notFinite(x); a >= 0 {
		return fmt.Errorf("bnn: input %d is %g; need a finite number", a, x[a])
	}
	copy(pass[0].y, x)
	for l, w := range n.layers {
		f := &pass[l]
		if n.cfg.Bias {
			f.y[len(f.y)-1] = 1
		}
		w.forward(f)
		for j, m := range f.m {
			if s := m + f.v[j]; math.IsNaN(s) || math.IsInf(s, 0) {
				return fmt.Errorf("bnn: layer %d: pre-activation of neuron %d overflows: mean %g, variance %g", l, j, m, f.v[j])
			}
		}
		if l < len(n.layers)-1 {
			n.unit.AllMoments(pass[l+1].y[:len(f.m)], f.outVar, f.cross, f.m, f.v)
		}
	}
	return nil
}
