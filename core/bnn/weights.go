package bnn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/internal/linear"
)

// weights are the Gaussian weights of one layer, w_j ~ N(μ_j, Σ_j), independent between neurons.
type weights interface {
	// scratch returns how much of it forward and update need in a flow.
	scratch() int

	// forward sets the pre-activations of flows, one of each example, from their
	// inputs, which have means y and variances s (nil for certain ones):
	//
	//	m_j = ŷ·μ_j,   v_j = ŷᵀΣ_jŷ + Σ_i s_i (μ_ji² + Σ_j,ii)
	//
	// It reads the weights once for all of them.
	forward(examples []*flow)

	// backward sets first_i to Σ_j μ_ji d_j and second_i to Σ_j μ_ji² e_j, for as
	// many inputs i as they are long.
	backward(first, second []float64, f *flow)

	// update moves the weights by what forward left in the flow and the steps
	// d and e of its pre-activations (paper, Eq. (w)):
	//
	//	μ_j += d_j Σ_jŷ,   Σ_j += e_j (Σ_jŷ)(Σ_jŷ)ᵀ
	update(f *flow)

	// addVariance adds one to that of every weight.
	addVariance(variance float64)

	SetMean(mean *mat.Dense) // neurons × inputs
	setCov(j int, cov mat.Symmetric) error
	MeanMatrix() *mat.Dense  // a copy
	cov(j int) mat.Symmetric // a copy

	spread() *mat.Dense // a copy of the Spread of a LayerState
	restore(spread *mat.Dense)
}

// newWeights returns weights of layer l that are zero.
func (c *Config) newWeights(l int) weights {
	out, in := c.WeightDims(l)
	switch c.Covariance[l] {
	case Diagonal:
		w := &diagonal{Diagonal: linear.NewDiagonal(in, out), times: c.Replications[l]}
		if w.times != 1 {
			w.least = leastVariance
		}
		return w
	case Shared:
		return newShared(in, out)
	}
	return newFull(in, out)
}

// checkCov returns an error unless the numbers of a covariance are finite, with
// the sum of the sizes of its diagonal.
func checkCov(j int, cov mat.Symmetric) (trace float64, err error) {
	var sum float64
	_, diagonal := cov.(mat.Diagonal)
	for a := range cov.SymmetricDim() {
		first := 0
		if diagonal {
			first = a
		}
		for b := first; b <= a; b++ {
			sum += math.Abs(cov.At(a, b))
		}
		trace += math.Abs(cov.At(a, a))
	}
	if !(sum <= math.MaxFloat64) {
		return 0, fmt.Errorf("covariance of neuron %d holds a number that is not finite, or overflows", j)
	}
	return trace, nil
}

// notFinite returns the index of the first number that is not finite, −1 if there is none.
func notFinite(x []float64) int {
	return slices.IndexFunc(x, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}
