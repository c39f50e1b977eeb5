package readout_test

import (
	"fmt"
	"log"

	"closedform/core/bnn"
	"closedform/core/readout"
)

// Whatever the order of the examples, a layer predicts the same. An input unlike those of its class has a
// small p-value.
func ExampleNew() {
	for _, step := range []int{1, 7} {
		layer, err := readout.New(readout.Config{Kind: readout.Gaussian, Inputs: 1, Classes: 2})
		if err != nil {
			log.Fatal(err)
		}
		for i := range 60 {
			k := i * step % 60 // 0, …, 59 in some order
			if _, err := layer.Observe([]float64{float64(k) / 15}, k/30); err != nil {
				log.Fatal(err)
			}
		}
		var p bnn.Prediction
		if err := layer.Predict(&p, []float64{1.8}); err != nil {
			log.Fatal(err)
		}
		familiarity, _, err := layer.Familiarity([][]float64{{1.8}, {30}}, []int{0, 1})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("p = %.4f, familiarity %.2f, far away < 0.001: %t\n",
			p.P, familiarity[0], familiarity[1] < 0.001)
	}
	// Output:
	// p = [0.7264 0.2736], familiarity 0.15, far away < 0.001: true
	// p = [0.7264 0.2736], familiarity 0.15, far away < 0.001: true
}
