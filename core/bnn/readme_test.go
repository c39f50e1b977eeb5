package bnn_test

import (
	"fmt"

	"closedform/core/bnn"
	"closedform/core/random"
)

func Example_readme() {
	network, err := bnn.New(bnn.Default(2, 20, 2), random.Source("readme"))
	if err != nil {
		panic(err)
	}
	for _, x := range [][]float64{{1, 1}, {1, -1}, {-1, 0}, {2, 1}} {
		class := 0
		if x[1] <= 0 {
			class = 1
		}
		network.Observe(x, class) // one example, in closed form
	}
	var p bnn.Prediction
	network.Predict(&p, []float64{1, 2})
	fmt.Printf("class 0: %.2f, variance %.2f\n", p.P[0], p.Cov.At(0, 0))
	fmt.Println("unknown:", p.Decide(bnn.Probability, 0.9) == bnn.Unknown)
	// Output:
	// class 0: 0.88, variance 0.10
	// unknown: true
}
