package checkpoint_test

import (
	"bytes"
	"fmt"
	"log"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/random"
)

// check ends the program at an error.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A network is stored, read again, and goes on learning.
func Example() {
	network, err := bnn.New(bnn.Default(2, 3), random.Source("example"))
	check(err)
	_, err = network.Observe([]float64{0.5, 1.5}, 0)
	check(err)
	var file bytes.Buffer
	check(checkpoint.Save(&file, network, ""))

	again, _, err := checkpoint.Load(bytes.NewReader(file.Bytes()))
	check(err)
	_, err = again.Observe([]float64{-1, 0.3}, 2)
	check(err)
	var p bnn.Prediction
	check(again.Predict(&p, []float64{-1, 0.3}))
	fmt.Printf("%.3f\n", p.P)

	// One altered byte is found.
	file.Bytes()[300] ^= 1
	_, _, err = checkpoint.Load(bytes.NewReader(file.Bytes()))
	fmt.Println(err)
	// Output:
	// [0.090 0.069 0.842]
	// checkpoint: the file is truncated, altered or no checkpoint
}
