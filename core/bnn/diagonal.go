package bnn

import (
	"fmt"
	"math"

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

// diagonalOf sets dst to the variances of a covariance that is diagonal.
func diagonalOf(dst []float64, cov mat.Symmetric) error {
	_, plain := cov.(mat.Diagonal)
	for a := range dst {
		for b := 0; b < a && !plain; b++ {
			if x := cov.At(a, b); x != 0 {
				return fmt.Errorf("holds %g off the diagonal; the layer is diagonal", x)
			}
		}
		if dst[a] = cov.At(a, a); !(dst[a] >= 0 && dst[a] <= math.MaxFloat64) {
			return fmt.Errorf("has the variance %g", dst[a])
		}
	}
	return nil
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
