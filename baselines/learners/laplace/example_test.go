package laplace_test

import (
	"fmt"
	"log"

	"closedform/baselines/learners/laplace"
	"closedform/core/random"
)

// The predictive of three classes after four examples.
func Example() {
	model := laplace.Prior{Layers: []int{2, 3}, Bias: true}
	x := [][]float64{{1, 0}, {1.5, 0.5}, {-1, 1}, {-1, -1}}
	p, err := laplace.NewProblem(model, x, []int{0, 0, 1, 2})
	if err != nil {
		log.Fatal(err)
	}
	sample, err := laplace.Importance{Draws: 20000}.Sample(p, random.Source("example"))
	if err != nil {
		log.Fatal(err)
	}
	probabilities, _, err := sample.Predict([]float64{2, 0})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f\n", probabilities)
	// Output:
	// [0.8 0.1 0.1]
}
