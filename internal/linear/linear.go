// Package linear has the linear part of a layer with Gaussian weights, z_j = Σ_i w_ji y_i.
// Weights are stored input by input, so that an input that is zero costs nothing: the weights
// of input i to all neurons are in the slices from i·Out to (i+1)·Out.
package linear

import (
	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
)

// Means are those of the weights of a layer.
type Means struct {
	In, Out int
	Mean    []float64 // In × Out
}

// NewMeans returns means that are zero.
func NewMeans(in, out int) Means {
	return Means{In: in, Out: out, Mean: make([]float64, in*out)}
}

// InputMean returns the means of the weights of input i, not a copy.
func (w *Means) InputMean(i int) []float64 { return w.Mean[i*w.Out : (i+1)*w.Out] }

// SetMean sets the means to a copy of a matrix, Out × In.
func (w *Means) SetMean(mean *mat.Dense) { mat.NewDense(w.In, w.Out, w.Mean).Copy(mean.T()) }

// MeanMatrix returns a copy of the means, Out × In.
func (w *Means) MeanMatrix() *mat.Dense { return w.matrix(w.Mean) }

func (w *Means) matrix(x []float64) *mat.Dense {
	return mat.DenseCopyOf(mat.NewDense(w.In, w.Out, x).T())
}

// Backward sets, for as many inputs as they are long, first_i to Σ_j μ_ji d_j and
// second_i to Σ_j μ_ji² e_j: what the steps d_j = (m̃_j − m_j)/v_j and
// e_j = (ṽ_j − v_j)/v_j² of independent neurons say of their inputs.
func (w *Means) Backward(first, second, d, e []float64) {
	for i := range first {
		first[i], second[i] = kernel.Backward(w.InputMean(i), d, e)
	}
}

// Diagonal are the weights of a layer that are all independent.
type Diagonal struct {
	Means
	Variance []float64 // σ², stored as the means are
}

// NewDiagonal returns weights that are certain zeros.
func NewDiagonal(in, out int) Diagonal {
	return Diagonal{NewMeans(in, out), make([]float64, in*out)}
}

// Input returns the means and variances of the weights of input i, not copies.
func (w *Diagonal) Input(i int) (mean, variance []float64) {
	return w.InputMean(i), w.Variance[i*w.Out : (i+1)*w.Out]
}

// VarianceMatrix returns a copy of the variances, Out × In.
func (w *Diagonal) VarianceMatrix() *mat.Dense { return w.matrix(w.Variance) }

// AddInput adds to the means m and variances v of z_j = Σ_i w_ji y_i the part of input i, of
// mean y and variance s, all factors independent:
//
//	m_j += μ_ji y,   v_j += σ²_ji (y² + s) + μ_ji² s.
func (w *Diagonal) AddInput(m, v []float64, i int, y, s float64) {
	if y != 0 || s != 0 {
		mean, variance := w.Input(i)
		kernel.Forward(m, v, y, y*y+s, s, mean, variance)
	}
}
