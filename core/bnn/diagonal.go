package bnn

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// diagonal has one variance for each weight, stored as the means are.
type diagonal struct {
	byInput
	variance []float64

	times float64 // Config.Replications
	least float64 // ratio that an update leaves of a variance
}

func newDiagonal(in, out int) *diagonal {
	return &diagonal{byInput: newByInput(in, out), variance: make([]float64, in*out), times: 1}
}

func (w *diagonal) scratch() int { return 0 }

func (w *diagonal) clone() weights {
	c := *w
	c.mean, c.variance = slices.Clone(w.mean), slices.Clone(w.variance)
	return &c
}

// input returns the weights of input i for all neurons.
func (w *diagonal) input(i int) (mean, variance []float64) {
	return w.mean[i*w.out : (i+1)*w.out], w.variance[i*w.out : (i+1)*w.out]
}

func (w *diagonal) setCov(j int, cov mat.Symmetric) error {
	if _, err := checkCov(j, cov); err != nil {
		return err
	}
	for a := range w.in {
		for b := range a {
			if x := cov.At(a, b); x != 0 {
				return fmt.Errorf("covariance of neuron %d holds %g off the diagonal; the layer is diagonal", j, x)
			}
		}
		if x := cov.At(a, a); x < 0 {
			return fmt.Errorf("covariance of neuron %d has eigenvalue %g; need positive semi-definite", j, x)
		}
		w.variance[a*w.out+j] = cov.At(a, a)
	}
	return nil
}

func (w *diagonal) neuron(j int) ([]float64, mat.Symmetric) {
	mean, variance := make([]float64, w.in), make([]float64, w.in)
	for i := range w.in {
		mean[i], variance[i] = w.mean[i*w.out+j], w.variance[i*w.out+j]
	}
	return mean, mat.NewDiagDense(w.in, variance)
}

func (w *diagonal) forward(f *flow) {
	clear(f.m)
	clear(f.v)
	for i, y := range f.y {
		var s float64
		if i < len(f.s) {
			s = f.s[i]
		}
		if y == 0 && s == 0 {
			continue
		}
		mean, variance := w.input(i)
		m, v := f.m[:len(mean)], f.v[:len(mean)]
		variance = variance[:len(mean)]
		if s == 0 {
			square := y * y
			for j, mu := range mean {
				m[j] += y * mu
				v[j] += square * variance[j]
			}
			continue
		}
		square := y*y + s
		for j, mu := range mean {
			m[j] += y * mu
			v[j] += square*variance[j] + s*(mu*mu)
		}
	}
}

func (w *diagonal) update(f *flow) {
	for i, y := range f.y {
		if y == 0 {
			continue
		}
		mean, variance := w.input(i)
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
