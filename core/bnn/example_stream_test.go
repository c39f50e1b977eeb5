package bnn_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"closedform/core/bnn"
	"closedform/core/random"
)

// rings is a stream of points in the plane: class 1 inside the circle of radius 1, else class 0.
func rings(rnd *rand.Rand) (x []float64, class int) {
	x = []float64{rnd.NormFloat64(), rnd.NormFloat64()}
	if x[0]*x[0]+x[1]*x[1] < 1 {
		class = 1
	}
	return x, class
}

// A network predicts each example of a stream before it learns it. The share of correct
// predictions so far is its running accuracy.
func ExampleDefault() {
	network, err := bnn.New(bnn.Default(2, 20, 2), random.Source("stream"))
	if err != nil {
		log.Fatal(err)
	}
	rnd := rand.New(random.Source("rings"))
	var p bnn.Prediction
	right := 0
	for k := 1; k <= 400; k++ {
		x, class := rings(rnd)
		if err := network.Predict(&p, x); err != nil {
			log.Fatal(err)
		}
		if p.Class() == class {
			right++
		}
		if _, err := network.Observe(x, class); err != nil {
			log.Fatal(err)
		}
		if k%100 == 0 {
			fmt.Printf("%d examples: accuracy %.2f\n", k, float64(right)/float64(k))
		}
	}
	// Output:
	// 100 examples: accuracy 0.82
	// 200 examples: accuracy 0.87
	// 300 examples: accuracy 0.90
	// 400 examples: accuracy 0.91
}

// An ensemble averages networks with different prior means. Decide leaves inputs undecided
// whose largest probability is below a threshold.
func ExampleNewEnsemble() {
	ensemble, err := bnn.NewEnsemble(bnn.Default(2, 20, 2), 6, random.Source("ensemble"))
	if err != nil {
		log.Fatal(err)
	}
	rnd := rand.New(random.Source("rings"))
	for range 300 {
		if _, err := ensemble.Observe(rings(rnd)); err != nil {
			log.Fatal(err)
		}
	}
	var p bnn.Prediction
	for _, x := range [][]float64{{0, 0}, {0.7, 0.7}, {2, 1}} {
		if err := ensemble.Predict(&p, x); err != nil {
			log.Fatal(err)
		}
		switch class := p.Decide(bnn.Probability, 0.9); class {
		case bnn.Unknown:
			fmt.Printf("%v: unknown, p = %.2f\n", x, p.P)
		default:
			fmt.Printf("%v: class %d, p = %.2f\n", x, class, p.P)
		}
	}
	// Output:
	// [0 0]: class 1, p = [0.00 1.00]
	// [0.7 0.7]: unknown, p = [0.56 0.44]
	// [2 1]: class 0, p = [1.00 0.00]
}
