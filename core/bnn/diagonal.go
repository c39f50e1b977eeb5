package bnn

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
	"closedform/internal/linear"
)

// diagonal has one variance for each weight.
type diagonal struct {
	linear.Diagonal
	times float64 // Config.Replications
	least float64 // ratio that an update leaves of a variance
}

func (w *diagonal) scratch() int { return 0 }

func (w *diagonal) setCov(j int, cov mat.Symmetric) error {
	if _, err := checkCov(j, cov); err != nil {
		return err
	}
	_, plain := cov.(mat.Diagonal)
	for a := range w.In {
		for b := 0; b < a && !plain; b++ {
			if x := cov.At(a, b); x != 0 {
				return fmt.Errorf("covariance of neuron %d holds %g off the diagonal; the layer is diagonal", j, x)
			}
		}
		if x := cov.At(a, a); x < 0 {
			return fmt.Errorf("covariance of neuron %d has eigenvalue %g; need positive semi-definite", j, x)
		}
		w.Variance[a*w.Out+j] = cov.At(a, a)
	}
	return nil
}

func (w *diagonal) cov(j int) mat.Symmetric {
	variance := make([]float64, w.In)
	for i := range variance {
		variance[i] = w.Variance[i*w.Out+j]
	}
	return mat.NewDiagDense(w.In, variance)
}

func (w *diagonal) spread() *mat.Dense { return w.VarianceMatrix() }

func (w *diagonal) restore(spread *mat.Dense) {
	mat.NewDense(w.In, w.Out, w.Variance).Copy(spread.T())
}

func (w *diagonal) addVariance(variance float64) { floats.AddConst(variance, w.Variance) }

func (w *diagonal) forward(examples []*flow) {
	for _, f := range examples {
		clear(f.m)
		clear(f.v)
	}
	for i := range w.In {
		for _, f := range examples {
			var s float64
			if i < len(f.s) {
				s = f.s[i]
			}
			w.AddInput(f.m, f.v, i, f.y[i], s)
		}
	}
}

func (w *diagonal) backward(first, second []float64, f *flow) { w.Backward(first, second, f.d, f.e) }

// update is [full.update] for a diagonal Σ_j: for each weight i of neuron j, with the variance
// v_ji and e_j counted w.times,
//
//	μ_ji += d_j v_ji ŷ_i,   v_ji += e_j (v_ji ŷ_i)².
func (w *diagonal) update(f *flow) {
	for i, y := range f.y {
		if y == 0 {
			continue
		}
		// Counted once no factor is negative, as −e_j ≤ 1/v_j and v_j ≥ y² variance_j, but
		// for rounding.
		mean, variance := w.Input(i)
		kernel.Update(mean, variance, f.d, f.e, y, w.times*y, w.least)
	}
}
