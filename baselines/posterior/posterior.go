// Package posterior samples the exact posterior of the model that the
// closed-form network approximates: a multi-layer perceptron with independent
// Gaussian weights and a softmax likelihood. It is the ground truth for small
// networks, and far too slow for others.
//
// A [Model] and data make a [Problem], whose posterior density is known up to a
// constant. Two samplers with nothing in common but that density turn it into a
// [Sample] of weights, which predicts:
//
//   - [Importance] draws from Student distributions round the modes and weighs
//     the draws. It is fast, gives the evidence, and fails visibly by a small
//     effective sample size. It serves networks without hidden layers.
//   - [Hamiltonian] runs Markov chains. It is the check of the other and its
//     substitute where that fails.
//
// Both refuse to return a sample below a stated quality. All randomness comes
// from the source in the argument, and nothing runs concurrently: equal sources
// give equal samples to the last bit.
package posterior

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/activation"
)

// Model is a multi-layer perceptron with hidden units f(z) = max(αz, βz), class
// probabilities softmax of the last layer, and a prior w_k ~ N(m_k, v_k),
// independent, for every weight.
//
// The weights of all layers form one vector: layer by layer, neuron by neuron,
// and for each neuron its inputs in order, the bias last.
type Model struct {
	// Layers are the numbers of inputs, of neurons in each hidden layer, and of
	// classes: at least two entries, at least two classes.
	Layers []int

	// Bias adds to every layer an input that is always 1.
	Bias bool

	// Alpha and Beta are the slopes of the hidden units, 0 ≤ α ≤ 1, α ≤ β. Both
	// zero stands for α = 0, β = 1, the rectifier.
	Alpha, Beta float64

	// PriorMean and PriorVar are the m_k and v_k > 0, of length Weights. Nil
	// stands for zeros and for ones.
	PriorMean, PriorVar []float64
}

// Weights returns the number of weights.
func (m Model) Weights() int {
	var n int
	for l := 1; l < len(m.Layers); l++ {
		n += m.Layers[l] * m.fanIn(l-1)
	}
	return n
}

// fanIn returns the number of inputs of a neuron of layer l, bias included.
func (m Model) fanIn(l int) int {
	if m.Bias {
		return m.Layers[l] + 1
	}
	return m.Layers[l]
}

// withDefaults returns a deep copy with its defaults filled in, or an error that
// names the field and what it allows.
func (m Model) withDefaults() (Model, error) {
	if len(m.Layers) < 2 {
		return m, fmt.Errorf("posterior: Layers = %v: need at least inputs and classes", m.Layers)
	}
	for _, width := range m.Layers {
		if width < 1 {
			return m, fmt.Errorf("posterior: Layers = %v: every layer needs at least 1 neuron", m.Layers)
		}
	}
	if m.Layers[len(m.Layers)-1] < 2 {
		return m, fmt.Errorf("posterior: Layers = %v: need at least 2 classes", m.Layers)
	}
	if m.Alpha == 0 && m.Beta == 0 {
		m.Beta = 1
	}
	if err := m.unit().Validate(); err != nil {
		return m, fmt.Errorf("posterior: %w", err)
	}
	m.Layers = slices.Clone(m.Layers)
	n := m.Weights()
	if m.PriorMean == nil {
		m.PriorMean = make([]float64, n)
	}
	if m.PriorVar == nil {
		m.PriorVar = slices.Repeat([]float64{1}, n)
	}
	if len(m.PriorMean) != n {
		return m, fmt.Errorf("posterior: PriorMean has length %d: need %d, one mean per weight", len(m.PriorMean), n)
	}
	if len(m.PriorVar) != n {
		return m, fmt.Errorf("posterior: PriorVar has length %d: need %d, one variance per weight", len(m.PriorVar), n)
	}
	for k, x := range m.PriorMean {
		if !finite(x) {
			return m, fmt.Errorf("posterior: PriorMean[%d] = %g: need a finite number", k, x)
		}
	}
	for k, v := range m.PriorVar {
		if !(v > 0) || !finite(v) || !finite(1/v) {
			return m, fmt.Errorf("posterior: PriorVar[%d] = %g: need a positive finite number", k, v)
		}
	}
	m.PriorMean, m.PriorVar = slices.Clone(m.PriorMean), slices.Clone(m.PriorVar)
	return m, nil
}

func (m Model) unit() activation.PiecewiseLinear {
	return activation.PiecewiseLinear{Alpha: m.Alpha, Beta: m.Beta}
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
