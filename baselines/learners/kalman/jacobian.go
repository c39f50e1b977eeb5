package kalman

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/internal/kernel"
)

// jacobian has the derivatives of functions of the logits by the weights, a row for each function. Row k has
// h_k,ai = δ_ka y_i for the weight of neuron a and input i, where δ_ka is by the pre-activation.
type jacobian struct {
	neurons []neuron    // the neurons of all layers
	input   [][]float64 // inputs y of each layer, with a trailing 1
	square  [][]float64 // y_i²
	delta   [][]float64 // derivatives δ by the pre-activations, rows × neurons
}

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

// dot returns the product of row k and a vector g of all weights.
func (j *jacobian) dot(k int, g []float64) (sum float64) {
	for a, unit := range j.neurons {
		sum += float64(j.delta[k][a] * kernel.Dot(j.input[unit.layer], g[unit.from:unit.to]))
	}
	return sum
}

// factorLabel sets the rows of dst, n−1 vectors of length n, to those of Aᵀ with AAᵀ = diag(p) − ppᵀ, the
// covariance of a one-hot label with probabilities p. Row k is the contrast of class k with the classes after
// it, ρ_k = Σ_{i>k} p_i their probability: a_k = √(p_k ρ_k/(p_k + ρ_k)) (e_k − Σ_{i>k} (p_i/ρ_k) e_i) (Tanabe
// and Sagae, Journal of the Royal Statistical Society B 1992). Where p_k or ρ_k underflows, the row is zero.
func factorLabel(dst [][]float64, p []float64) {
	after := p[len(p)-1]
	for k := len(dst) - 1; k >= 0; k-- {
		a := dst[k]
		clear(a)
		both := p[k] + after
		if s := math.Sqrt(p[k]) * math.Sqrt(after/both); s > 0 {
			a[k] = s
			for i := k + 1; i < len(p); i++ {
				a[i] = -s * (p[i] / after)
			}
		}
		after = both
	}
}
