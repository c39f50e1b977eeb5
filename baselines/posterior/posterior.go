// Package posterior samples the exact posterior of the model that the
// closed-form network approximates: a multi-layer perceptron with independent
// Gaussian weights and a softmax likelihood. It is the ground truth for small
// networks, and far too slow for others.
//
// A [Model] and data make a [Problem], whose posterior density is known up to a
// constant. [Importance] turns it into a [Sample] of weights, which predicts, for
// networks without hidden layers. It refuses to return one of a small effective
// sample size.
package posterior

import (
	"fmt"
	"slices"

	"closedform/baselines/mlp"
)

// Model is a multi-layer perceptron with rectifiers, class probabilities softmax
// of the last layer, and a prior w_k ~ N(m_k, v_k), independent, for every weight.
//
// The weights of all layers form one vector: layer by layer, neuron by neuron,
// and for each neuron its inputs in order, the bias last.
type Model struct {
	// Layers are the numbers of inputs, of neurons in each hidden layer, and of
	// classes: at least two entries, at least two classes.
	Layers []int

	// Bias adds to every layer an input that is always 1.
	Bias bool

	// PriorMean and PriorVar are the m_k and v_k > 0, one for each weight. Nil
	// stands for zeros and for ones.
	PriorMean, PriorVar []float64
}

// withDefaults returns a deep copy with its defaults filled in and its network, or
// an error that names the field and what it allows.
func (m Model) withDefaults() (Model, *mlp.Network, error) {
	if err := mlp.CheckLayers(m.Layers); err != nil {
		return m, nil, err
	}
	m.Layers = slices.Clone(m.Layers)
	network := mlp.New(m.Layers, m.Bias)
	n := network.Weights()
	if m.PriorMean == nil {
		m.PriorMean = make([]float64, n)
	}
	if m.PriorVar == nil {
		m.PriorVar = slices.Repeat([]float64{1}, n)
	}
	if len(m.PriorMean) != n || len(m.PriorVar) != n {
		return m, nil, fmt.Errorf("PriorMean and PriorVar of lengths %d and %d: need one for each of %d weights", len(m.PriorMean), len(m.PriorVar), n)
	}
	for k, v := range m.PriorVar {
		if x := m.PriorMean[k]; !(v > 0) || !mlp.Finite(x, v, 1/v) {
			return m, nil, fmt.Errorf("PriorMean[%d] = %g, PriorVar[%[1]d] = %g: need finite numbers and positive variances", k, x, v)
		}
	}
	m.PriorMean, m.PriorVar = slices.Clone(m.PriorMean), slices.Clone(m.PriorVar)
	return m, network, nil
}
