package bnn_test

import (
	"errors"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
)

// The network of the paper: two inputs, three classes, and weights that start
// from given means with unit variance. It sees four examples, one after another,
// and says how sure it is.
func Example() {
	paper := bnn.Default(2, 3)
	paper.Bias, paper.Output, paper.PriorVar = false, bnn.Joint, []float64{1}
	paper.Softmax = softmax.Probit{Lambda: 0.3, Rho: 0.5}
	network, err := bnn.New(paper, random.Source("example"))
	if err != nil {
		log.Fatal(err)
	}
	_, cov := network.Weights(0)
	mean := mat.NewDense(3, 2, []float64{
		1, 0,
		0, 1,
		1, 1,
	})
	if err := network.SetWeights(0, mean, cov); err != nil {
		log.Fatal(err)
	}

	var prediction bnn.Prediction
	show := func(when string) {
		if err := network.Predict(&prediction, []float64{0.2, 1.5}); err != nil {
			log.Fatal(err)
		}
		p, c := prediction.P, prediction.Cov
		fmt.Printf("%s: p = %.3f, variances %.3f %.3f %.3f\n", when, p, c.At(0, 0), c.At(1, 1), c.At(2, 2))
	}
	show("before")
	for _, example := range []struct {
		x     []float64
		class int
	}{
		{[]float64{0.1, 1.2}, 0},
		{[]float64{-0.4, -1.6}, 1},
		{[]float64{1.8, 0.3}, 2},
		{[]float64{0.5, 1.9}, 0},
	} {
		if _, err := network.Observe(example.x, example.class); err != nil {
			log.Fatal(err)
		}
	}
	show("after")
	// Output:
	// before: p = [0.206 0.380 0.414], variances 0.084 0.131 0.136
	// after: p = [0.600 0.116 0.284], variances 0.128 0.045 0.106
}

// The paper's rule takes the label for a noise-free observation of the
// probabilities. With a steep probit the covariance of the probabilities can
// turn indefinite, and there is no such step. By default the network then stays
// as it was and says so; the rule Total can always take the step.
func ExampleIndefiniteError() {
	for _, rule := range []bnn.OutputRule{bnn.Joint, bnn.Total} {
		paper := bnn.Default(2, 3)
		paper.Bias, paper.Output, paper.PriorVar = false, rule, []float64{0.1}
		paper.Softmax = softmax.Probit{Lambda: 2, Rho: 0.5}
		paper.Paper.OnIndefinite = bnn.Fail // the default
		network, err := bnn.New(paper, random.Source("example"))
		if err != nil {
			log.Fatal(err)
		}
		_, cov := network.Weights(0)
		mean := mat.NewDense(3, 2, []float64{3, 0, 0, 3, 3, 3})
		if err := network.SetWeights(0, mean, cov); err != nil {
			log.Fatal(err)
		}

		update, err := network.Observe([]float64{1, 0.2}, 1)
		var indefinite *bnn.IndefiniteError
		switch {
		case errors.As(err, &indefinite):
			fmt.Printf("%v: no step, smallest eigenvalue %.3f\n", rule, indefinite.Update.MinEigenvalue)
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Printf("%v: step %v\n", rule, update.Action)
		}
	}
	// Output:
	// joint: no step, smallest eigenvalue -0.245
	// total: step applied
}
