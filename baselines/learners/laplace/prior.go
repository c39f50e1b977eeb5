package laplace

import (
	"fmt"
	"slices"

	"closedform/baselines/learners/mlp"
)

// Prior is a multi-layer perceptron with rectifiers, class probabilities softmax
// of the last layer, and a prior w_k ~ N(m_k, v_k), independent, for every weight.
//
// The weights of all layers form one vector: layer by layer, neuron by neuron,
// and for each neuron its inputs in order, the bias last.
type Prior struct {
	Layers []int // as for mlp.CheckLayers
	Bias   bool  // every layer has a further input, which is 1

	// Mean and Var are the m_k and v_k > 0, one for each weight. Nil stands for zeros
	// and for ones.
	Mean, Var []float64
}

// withDefaults returns a deep copy with its defaults filled in and its network, or
// an error that names the field and what it allows.
func (p Prior) withDefaults() (Prior, *mlp.Network, error) {
	if err := mlp.CheckLayers(p.Layers); err != nil {
		return p, nil, err
	}
	p.Layers = slices.Clone(p.Layers)
	network := mlp.New(p.Layers, p.Bias)
	n := network.Weights()
	if p.Mean == nil {
		p.Mean = make([]float64, n)
	}
	if p.Var == nil {
		p.Var = slices.Repeat([]float64{1}, n)
	}
	if len(p.Mean) != n || len(p.Var) != n {
		return p, nil, fmt.Errorf("prior means and variances of lengths %d and %d: need one for each of %d weights", len(p.Mean), len(p.Var), n)
	}
	for k, v := range p.Var {
		if x := p.Mean[k]; !(v > 0) || !mlp.Finite(x, v, 1/v) {
			return p, nil, fmt.Errorf("weight %d: prior mean %g and variance %g: need finite numbers and a positive variance", k, x, v)
		}
	}
	p.Mean, p.Var = slices.Clone(p.Mean), slices.Clone(p.Var)
	return p, network, nil
}
