package bnn_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
)

// must and ok end the program at an error.
func must[T any](v T, err error) T {
	ok(err)
	return v
}

func ok(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The network of the paper: two inputs, three classes, and weights that start
// from given means with unit variance. It sees four examples, one after another,
// and says how sure it is.
func Example() {
	paper := bnn.Default(2, 3)
	paper.Bias, paper.Output, paper.PriorVar = false, bnn.Joint, []float64{1}
	paper.Softmax = softmax.Probit{Lambda: 0.3, Rho: 0.5}
	network := must(bnn.New(paper, random.Source("example")))
	_, cov := network.Weights(0)
	mean := mat.NewDense(3, 2, []float64{
		1, 0,
		0, 1,
		1, 1,
	})
	ok(network.SetWeights(0, mean, cov))

	var prediction bnn.Prediction
	show := func(when string) {
		ok(network.Predict(&prediction, []float64{0.2, 1.5}))
		p, c := prediction.P, prediction.Cov
		fmt.Printf("%s: p = %.3f, variances %.3f %.3f %.3f\n", when, p, c.At(0, 0), c.At(1, 1), c.At(2, 2))
	}
	show("before")
	for class, x := range [][]float64{{0.1, 1.2}, {-0.4, -1.6}, {1.8, 0.3}} {
		must(network.Observe(x, class))
	}
	must(network.Observe([]float64{0.5, 1.9}, 0))
	show("after")
	// Output:
	// before: p = [0.206 0.380 0.414], variances 0.084 0.131 0.136
	// after: p = [0.600 0.116 0.284], variances 0.128 0.045 0.106
}
