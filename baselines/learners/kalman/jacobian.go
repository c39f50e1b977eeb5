package kalman

import (
	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
)

// jacobian is the derivatives of functions of the logits by the weights, a row for each
// function. That of row k by the weight of neuron a for input i is the product
//
//	h_k,ai = δ_ka y_i,
//
// of the derivative by the pre-activation of the neuron and the input.
type jacobian struct {
	neurons []neuron    // of all layers
	input   [][]float64 // y of each layer, with a trailing 1
	square  [][]float64 // y_i²
	delta   [][]float64 // δ: rows × neurons
}

// neuron is the place of its weights, and its layer.
type neuron struct{ layer, from, to int }

func newJacobian(n *mlp.Network, rows int) *jacobian {
	j := &jacobian{input: make([][]float64, len(n.Layers))}
	for l, w := range n.Layers {
		j.square = append(j.square, make([]float64, w.In))
		for k := range w.Out {
			from := w.Offset + k*w.In
			j.neurons = append(j.neurons, neuron{l, from, from + w.In})
		}
	}
	j.delta = vectors(rows, len(j.neurons))
	return j
}

// set makes row k the derivatives of Σ_j Score_j Logit_j.
func (j *jacobian) set(k int, n *mlp.Network, p *mlp.Pass, weights []float64) {
	n.Deltas(p, weights)
	row := j.delta[k]
	for l := range n.Layers {
		j.input[l] = p.Input(l)
		floats.MulTo(j.square[l], j.input[l], j.input[l])
		row = row[copy(row, p.Delta(l)):]
	}
}

// expand sets dst[k] to row k, written out.
func (j *jacobian) expand(dst [][]float64) {
	for k, h := range dst {
		for a, at := range j.neurons {
			floats.ScaleTo(h[at.from:at.to], j.delta[k][a], j.input[at.layer])
		}
	}
}
