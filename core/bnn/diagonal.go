package bnn

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/core/linear"
)

// diagonal has one variance for each weight.
type diagonal struct {
	linear.Diagonal

	times float64 // Config.Replications
	least float64 // ratio that an update leaves of a variance
}

func newDiagonal(in, out int) *diagonal {
	return &diagonal{Diagonal: linear.NewDiagonal(in, out), times: 1}
}

func (w *diagonal) scratch() int { return 0 }

func (w *diagonal) clone() weights {
	c := *w
	c.Mean, c.Variance = slices.Clone(w.Mean), slices.Clone(w.Variance)
	return &c
}

func (w *diagonal) setCov(j int, cov mat.Symmetric) error {
	if _, err := checkCov(j, cov); err != nil {
		return err
	}
	for a := range w.In {
		for b := range a {
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

func (w *diagonal) neuron(j int) ([]float64, mat.Symmetric) {
	mean, variance := make([]float64, w.In), make([]float64, w.In)
	for i := range w.In {
		mean[i], variance[i] = w.Mean[i*w.Out+j], w.Variance[i*w.Out+j]
	}
	return mean, mat.NewDiagDense(w.In, variance)
}

func (w *diagonal) forward(f *flow) { w.Forward(f.m, f.v, f.y, f.s) }

func (w *diagonal) backward(first, second []float64, f *flow) {
	w.Backward(first, second, f.d, f.e)
}

func (w *diagonal) update(f *flow) {
	for i, y := range f.y {
		if y == 0 {
			continue
		}
		mean, variance := w.Input(i)
		d, e := f.d[:len(mean)], f.e[:len(mean)]
		variance = variance[:len(mean)]
		often := w.times * y
		for j, x := range variance {
			u := x * y
			mean[j] += d[j] * u
			// Counted once not negative, as −e_j ≤ 1/v_j and v_j ≥ u y, but for
			// rounding.
			variance[j] = x * max(w.least, 1+e[j]*u*often)
		}
	}
}
