package features_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/random"
	"closedform/core/readout"
)

// A ridge regression on random features learns whether points are inside the unit circle.
func ExampleModel() {
	m, err := features.New(features.Relu, 2, 64, 1)
	if err != nil {
		log.Fatal(err)
	}
	layer, err := readout.New(readout.Config{Kind: readout.Ridge, Inputs: 64, Classes: 2})
	if err != nil {
		log.Fatal(err)
	}
	model := features.Model{Map: m, Model: layer}
	rnd := rand.New(random.Source("circle"))
	for range 300 {
		x, class := []float64{rnd.NormFloat64(), rnd.NormFloat64()}, 0
		if x[0]*x[0]+x[1]*x[1] < 1 {
			class = 1
		}
		if _, err := model.Observe(x, class); err != nil {
			log.Fatal(err)
		}
	}
	var p bnn.Prediction
	for _, x := range [][]float64{{0, 0.1}, {0.7, 0.6}, {1.5, -1}} {
		if err := model.Predict(&p, x); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %.2f\n", x, p.P)
	}
	// Output:
	// [0 0.1]: [0.00 1.00]
	// [0.7 0.6]: [0.54 0.46]
	// [1.5 -1]: [1.00 0.00]
}
