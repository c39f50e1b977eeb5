package checkpoint_test

import (
	"bytes"
	"fmt"
	"log"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/random"
)

// A network is stored, read again, and goes on learning.
func Example() {
	network, err := bnn.New(bnn.Default(2, 3), random.Source("example"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := network.Observe([]float64{0.5, 1.5}, 0); err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := checkpoint.Save(&file, network, ""); err != nil {
		log.Fatal(err)
	}

	again, _, err := checkpoint.Load(bytes.NewReader(file.Bytes()))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := again.Observe([]float64{-1, 0.3}, 2); err != nil {
		log.Fatal(err)
	}
	var p bnn.Prediction
	if err := again.Predict(&p, []float64{-1, 0.3}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", p.P)

	// One altered byte is found.
	file.Bytes()[300] ^= 1
	_, _, err = checkpoint.Load(bytes.NewReader(file.Bytes()))
	fmt.Println(err)
	// Output:
	// [0.090 0.069 0.842]
	// checkpoint: the checksum at its end does not fit: the file is truncated, altered or no checkpoint
}
