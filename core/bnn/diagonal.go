package bnn

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
)

// diagonal has one variance for each weight.
type diagonal struct {
	inputs
	variance []float64 // as the means
	times    float64   // Config.Replications
	least    float64   // ratio that an update leaves of a variance
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
		dst[a] = cov.At(a, a)
	}
	return nil
}

func (w *diagonal) spread() *mat.Dense { return (&inputs{w.in, w.out, w.variance}).MeanMatrix() }

func (w *diagonal) restore(spread *mat.Dense) { (&inputs{w.in, w.out, w.variance}).SetMean(spread) }

func (w *diagonal) addVariance(variance float64) { floats.AddConst(variance, w.variance) }

func (w *diagonal) forward(f *flow) {
	clear(f.m)
	clear(f.v)
	for i, y := range f.y {
		s := 0.0
		if i < len(f.s) {
			s = f.s[i]
		}
		if y != 0 || s != 0 { // v += σ²_ji (y² + s) + μ_ji² s
			mean, variance := w.input(i)
			kernel.Forward(f.m, f.v, y, y*y+s, s, mean, variance)
		}
	}
}

func (w *diagonal) input(i int) (mean, variance []float64) {
	return w.inputMean(i), w.variance[i*w.out : (i+1)*w.out]
}

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
		mean, variance := w.input(i)
		kernel.Update(mean, variance, f.d, f.e, y, w.times*y, w.least)
	}
}
