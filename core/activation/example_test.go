package activation_test

import (
	"fmt"

	"closedform/core/activation"
)

// A rectified linear unit whose input is far below its threshold: the variance
// is tiny but not lost.
func ExamplePiecewiseLinear_Moments() {
	relu := activation.PiecewiseLinear{Alpha: 0, Beta: 1}
	for _, m := range []float64{1, -10} {
		mean, variance, cross := relu.Moments(m, 1)
		fmt.Printf("z ~ N(%v, 1): mean %.6g, variance %.6g, covariance with z %.6g\n", m, mean, variance, cross)
	}
	// Output:
	// z ~ N(1, 1): mean 1.08332, variance 0.751088, covariance with z 0.841345
	// z ~ N(-10, 1): mean 7.47456e-25, variance 1.45293e-25, covariance with z 7.61985e-24
}
