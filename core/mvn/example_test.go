package mvn_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"closedform/core/mvn"
)

// Three variables, each pair correlated by ½, are all negative with probability ¼.
func ExampleCDF() {
	corr := mat.NewSymDense(3, []float64{1, 0.5, 0.5, 0.5, 1, 0.5, 0.5, 0.5, 1})
	x := []float64{0, 0, 0}
	p, abserr := mvn.CDF(x, corr)
	fmt.Printf("P = %.6f ± %.0e\n", p, abserr)
	fmt.Printf("gradient %.6f\n", mvn.Gradient(nil, x, corr))
	// Output:
	// P = 0.250000 ± 1e-13
	// gradient [0.121313 0.121313 0.121313]
}
