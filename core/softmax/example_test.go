package softmax_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// Three logits of growing uncertainty: the mean of their softmax, and how its entries vary together. Every
// row of the covariances adds up to zero, because the probabilities always add up to one.
func ExampleProbit() {
	mean := []float64{1, 0, -1}
	variance := []float64{0.5, 1, 2}

	probit := softmax.Probit{Lambda: softmax.SlopeLambda(3, 0.5), Rho: 0.5}
	moments := softmax.NewMoments(3)
	probit.Moments(moments, mean, variance)
	fmt.Printf("p = %.4f\n", moments.P)

	var cov mat.SymDense
	moments.Cov(&cov)
	fmt.Printf("covariance of the probabilities\n%.4f\n", mat.Formatted(&cov))
	var cross mat.Dense
	moments.Cross(&cross, variance)
	fmt.Printf("covariance of logits and probabilities\n%.4f\n", mat.Formatted(&cross))
	// Output:
	// p = [0.5855 0.2736 0.1408]
	// covariance of the probabilities
	// ⎡ 0.0520  -0.0345  -0.0175⎤
	// ⎢-0.0345   0.0394  -0.0049⎥
	// ⎣-0.0175  -0.0049   0.0224⎦
	// covariance of logits and probabilities
	// ⎡ 0.0953  -0.0629  -0.0325⎤
	// ⎢-0.1257   0.1594  -0.0336⎥
	// ⎣-0.1299  -0.0673   0.1972⎦
}
