package tagi

import (
	"closedform/internal/kernel"
	"closedform/internal/linear"
)

// layer is one layer of weights and what flows through it.
type layer struct {
	linear.Diagonal

	y []float64 // means of the inputs, the last of which is 1
	s []float64 // variances of the inputs but the bias; nil if they are certain

	m, v  []float64 // of the neurons' inputs z (paper, Sec. 3.1)
	slope []float64 // Cov(z, output)/v; nil in the output layer
	d, e  []float64 // (m̃ − m)/v and (ṽ − v)/v²
}

func newLayer(in, out int) *layer {
	l := &layer{Diagonal: linear.NewDiagonal(in, out), y: make([]float64, in)}
	for _, x := range []*[]float64{&l.m, &l.v, &l.d, &l.e} {
		*x = make([]float64, out)
	}
	l.y[in-1] = 1
	return l
}

// leastRatio is the smallest ṽ/v that the backward pass leaves to a hidden unit.
const leastRatio = 1e-3

// backward sets d and e of the layer below from those of l (paper, Sec. 3.3). The
// covariance of input z_i below and z_j is a_i v_i μ_ji, with a_i the slope of
// unit i, so that the smoother
//
//	m̃_i = m_i + Σ_j (a_i v_i μ_ji/v_j)(m̃_j − m_j),   ṽ_i = v_i + Σ_j (a_i v_i μ_ji/v_j)²(ṽ_j − v_j)
//
// is d_i = a_i Σ_j μ_ji d_j, e_i = a_i² Σ_j μ_ji² e_j. It takes the z_j for
// independent: together they may take away more variance than there is, and ṽ_i
// is then set to its floor. backward returns how often.
func (l *layer) backward(below *layer) (floored int) {
	l.Backward(below.d, below.e, l.d, l.e)
	for i, a := range below.slope {
		below.d[i] *= a
		below.e[i] *= a * a
		if below.e[i]*below.v[i] < leastRatio-1 {
			below.e[i] = (leastRatio - 1) / below.v[i]
			floored++
		}
	}
	return floored
}

// update moves the weights, whose covariances with z_j are σ²_ji ŷ_i:
//
//	μ_ji += σ²_ji ŷ_i d_j,   σ²_ji += (σ²_ji ŷ_i)² e_j.
func (l *layer) update() {
	for i, y := range l.y {
		if y == 0 {
			continue
		}
		// Not negative, as −e_j < 1/v_j and v_j ≥ u y, but for rounding.
		mean, variance := l.Input(i)
		kernel.Update(mean, variance, l.d, l.e, y, y, 0)
	}
}
