// Package activation has the moments of the piece-wise linear unit of a hidden layer, f(z) = max(αz, βz) with
// 0 ≤ α ≤ 1 and α ≤ β, of a normal z: E f(z), Var f(z) and Cov(z, f(z)).
package activation

import (
	"fmt"
	"math"

	"closedform/internal/kernel"
)

// PiecewiseLinear is f(z) = max(αz, βz), 0 ≤ α ≤ 1, α ≤ β: a ReLU for α = 0, β = 1, linear for α = β, and
// zero for the zero value. It is safe for concurrent use.
type PiecewiseLinear struct {
	Alpha float64 `toml:"alpha" json:"alpha" range:"0 1"`
	Beta  float64 `toml:"beta" json:"beta" range:"1e-300 1e300"`
}

// Eval returns f(z).
func (f PiecewiseLinear) Eval(z float64) float64 {
	if z < 0 {
		return f.Alpha * z
	}
	return f.Beta * z
}

// Moments returns the mean and the variance of f(z) and its covariance with z for z ~ N(m, v), v ≥ 0 (Prop.
// 3.1(1) of the paper). With a = m/√v, δ = β − α and the rectified normal r = max(Z+a, 0),
//
//	mean     = f(m) + δ √v (E r − max(a, 0))
//	variance = v (α² + 2αδ Φ(a) + δ² Var r)
//	cross    = v (α + δ Φ(a))
//
// from f(z) = αz + δ max(z, 0) and Cov(z, max(z, 0)) = v Φ(a). All terms but f(m) are non-negative, so the
// relative error is a few 2⁻⁵³ (1+a²). Moments panics if v is negative, or if m or v is not finite.
func (f PiecewiseLinear) Moments(m, v float64) (mean, variance, cross float64) {
	var y, s, c [1]float64
	f.AllMoments(y[:], s[:], c[:], []float64{m}, []float64{v})
	return y[0], s[0], c[0]
}

// AllMoments sets mean_j, variance_j, cross_j to the moments for m_j, v_j, all of the length of m.
func (f PiecewiseLinear) AllMoments(mean, variance, cross, m, v []float64) {
	for j, vj := range v {
		if !(0 <= vj && vj <= math.MaxFloat64 && math.Abs(m[j]) <= math.MaxFloat64) {
			panic(fmt.Sprintf("activation: mean %v, variance %v, want finite ones and variance ≥ 0", m[j], vj))
		}
		mean[j] = m[j] / math.Sqrt(vj)
	}
	kernel.Rectified(cross, mean, variance, mean)
	delta := f.Beta - f.Alpha
	for j, vj := range v {
		if vj == 0 {
			mean[j], variance[j], cross[j] = f.Eval(m[j]), 0, 0
			continue
		}
		prob, gap, rectified := cross[j], mean[j], variance[j]
		mean[j] = f.Eval(m[j]) + delta*math.Sqrt(vj)*gap
		variance[j] = vj * (f.Alpha*f.Alpha + delta*(2*f.Alpha*prob+delta*rectified))
		cross[j] = vj * (f.Alpha + delta*prob)
	}
}
