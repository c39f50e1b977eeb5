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
	// 100 examples: accuracy 0.84
	// 200 examples: accuracy 0.89
	// 300 examples: accuracy 0.92
	// 400 examples: accuracy 0.93
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
	// [0.7 0.7]: unknown, p = [0.49 0.51]
	// [2 1]: class 0, p = [1.00 0.00]
}

// The default bank learns with several priors at once, with a hidden layer and without, and weights each
// by how it predicted the examples so far: nothing is tuned, and no examples are held out.
func ExampleNewDefaultBank() {
	bank, err := bnn.NewDefaultBank(bnn.Default(2, 20, 2), random.Source("bank"))
	if err != nil {
		log.Fatal(err)
	}
	rnd := rand.New(random.Source("rings"))
	for k := 1; k <= 300; k++ {
		if _, err := bank.Observe(rings(rnd)); err != nil {
			log.Fatal(err)
		}
		if k%100 == 0 {
			fmt.Printf("%d examples: weights %.2f\n", k, bank.Weights())
		}
	}
	var p bnn.Prediction
	if err := bank.Predict(&p, []float64{0.7, 0.7}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("p = %.2f, variance %.2f\n", p.P, p.Cov.At(0, 0))
	// Output:
	// 100 examples: weights [0.69 0.26 0.06 0.00 0.00 0.00]
	// 200 examples: weights [0.54 0.44 0.01 0.00 0.00 0.00]
	// 300 examples: weights [0.56 0.43 0.00 0.00 0.00 0.00]
	// p = [0.46 0.54], variance 0.11
}

// The members of an ensemble differ more if each learns the examples in an order of its own.
// They learn by themselves, on several processors where wanted, and are combined afterwards.
func ExampleCombine() {
	rnd := rand.New(random.Source("rings"))
	var x [][]float64
	var class []int
	for range 300 {
		xi, ci := rings(rnd)
		x, class = append(x, xi), append(class, ci)
	}
	members := make([]*bnn.Network, 4)
	for k := range members {
		network, err := bnn.New(bnn.Default(2, 20, 2), random.Source("member", k))
		if err != nil {
			log.Fatal(err)
		}
		for _, i := range rand.New(random.Source("order", k)).Perm(len(x)) {
			if _, err := network.Observe(x[i], class[i]); err != nil {
				log.Fatal(err)
			}
		}
		members[k] = network
	}
	ensemble, err := bnn.Combine(members...)
	if err != nil {
		log.Fatal(err)
	}
	var p bnn.Prediction
	if err := ensemble.Predict(&p, []float64{0.7, 0.7}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("p = %.2f, mutual information %.2f\n", p.P, p.MutualInformation())
	// Output:
	// p = [0.52 0.48], mutual information 0.03
}
