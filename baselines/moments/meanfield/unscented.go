package meanfield

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
)

// unscented is the unscented transform (Julier and Uhlmann 1997, "A new extension of the Kalman
// filter to nonlinear systems") without a point at the mean, the third-degree cubature rule
// (Arasaratnam and Haykin 2009, "Cubature Kalman filters"), with 2n points of weight w = 1/(2n):
//
//	z_±j = m ± √(n v_j) e_j        y = softmax(z)
//
//	p    = Σ w y
//	Σ_y  = Σ w (y − p)(y − p)ᵀ
//	Σ_zy = Σ w (z − m)(y − p)ᵀ
//
// Σp = 1, and Σ_y has zero row sums.
func unscented(mean, variance []float64) moments {
	n := len(mean)
	p, y := make([]float64, n), make([][]float64, 2*n) // of +j and −j
	step := make([]float64, n)
	for k := range y {
		j := k / 2
		step[j] = math.Sqrt(float64(n) * variance[j])
		y[k] = slices.Clone(mean)
		y[k][j] += step[j] * float64(1-2*(k%2))
		mlp.Normalise(y[k])
		floats.AddScaled(p, 1/float64(2*n), y[k])
	}
	cov := func(i, j int) (sum float64) {
		for _, y := range y {
			sum += (y[i] - p[i]) * (y[j] - p[j]) / float64(2*n)
		}
		return sum
	}
	return moments{p, cov, func(j, i int) float64 { return step[j] * (y[2*j][i] - y[2*j+1][i]) / float64(2*n) }}
}
