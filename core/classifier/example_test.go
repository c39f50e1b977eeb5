package classifier_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"closedform/core/classifier"
	"closedform/core/random"
)

// Points inside and outside of the unit circle are learned one after another. Nothing is tuned, and no
// examples are held out.
func ExampleNew() {
	c, err := classifier.New(classifier.Options{Inputs: 2, Classes: 2}, random.Source("first program"))
	if err != nil {
		log.Fatal(err)
	}
	rnd := rand.New(random.Source("examples"))
	for range 500 {
		x, class := []float64{rnd.NormFloat64(), rnd.NormFloat64()}, 0
		if x[0]*x[0]+x[1]*x[1] < 1 {
			class = 1
		}
		if err := c.Learn(x, class); err != nil {
			log.Fatal(err)
		}
	}
	var p classifier.Prediction
	for _, x := range [][]float64{{0.1, 0.2}, {1.5, -1}, {30, 30}} {
		if err := c.Predict(&p, x); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: class %2d, p = %.2f, familiar %.1g\n", x, p.Class, p.P, p.Familiarity)
	}
	c.Decision.Confidence, err = c.Threshold(0.02, 0.95) // at most 2 % of the answers are wrong
	fmt.Printf("least confidence of an answer: %.2f, %v\n", c.Decision.Confidence, err)
	// Output:
	// [0.1 0.2]: class  1, p = [0.00 1.00], familiar 1
	// [1.5 -1]: class  0, p = [1.00 0.00], familiar 0.2
	// [30 30]: class -1, p = [1.00 0.00], familiar 9e-10
	// least confidence of an answer: 0.91, <nil>
}
