package classifier_test

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"closedform/core/classifier"
	"closedform/core/random"
)

// circle yields 500 points, of class 1 inside of the unit circle and of class 0 outside.
func circle(yield func(x []float64, class int) bool) {
	rnd := rand.New(random.Source("examples"))
	for range 500 {
		x, class := []float64{rnd.NormFloat64(), rnd.NormFloat64()}, 0
		if x[0]*x[0]+x[1]*x[1] < 1 {
			class = 1
		}
		if !yield(x, class) {
			return
		}
	}
}

// Each point is predicted before it is learned. Nothing is tuned, and no examples are held out.
func ExampleNew() {
	c, err := classifier.New(classifier.Options{Inputs: 2, Classes: 2}, random.Source("first program"))
	if err != nil {
		log.Fatal(err)
	}
	var p classifier.Prediction
	wrong := 0
	for x, class := range circle { // points inside and outside of the unit circle
		if err := errors.Join(c.Predict(&p, x), c.Learn(x, class)); err != nil {
			log.Fatal(err)
		}
		if p.Class != class {
			wrong++
		}
	}
	s, err := c.Snapshot() // for any input, in any order
	if err != nil {
		log.Fatal(err)
	}
	for _, x := range [][]float64{{0.1, 0.2}, {1.5, -1}, {30, 30}} {
		if err := s.Predict(&p, x); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: class %2d, p = %.2f, familiar %.1g\n", x, p.Class, p.P, p.Familiarity)
	}
	fmt.Printf("%d of 500 were not predicted, or wrongly\n", wrong)
	// Output:
	// [0.1 0.2]: class  1, p = [0.00 1.00], familiar 1
	// [1.5 -1]: class  0, p = [1.00 0.00], familiar 0.2
	// [30 30]: class -1, p = [1.00 0.00], familiar 2e-10
	// 25 of 500 were not predicted, or wrongly
}

// In a service one goroutine learns a stream, and now and then stores a snapshot. Others predict at the same
// time, each with its own Prediction.
func Example_service() {
	must := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	c, err := classifier.New(classifier.Options{Inputs: 2, Classes: 2}, random.Source("service"))
	must(err)
	var latest atomic.Pointer[classifier.Snapshot]
	var service sync.WaitGroup
	service.Go(func() {
		rnd := rand.New(random.Source("stream"))
		for k := range 1000 {
			x, class := []float64{rnd.NormFloat64(), rnd.NormFloat64()}, 0
			if x[0] > 0 {
				class = 1
			}
			must(c.Learn(x, class))
			if k%200 == 199 {
				s, err := c.Snapshot()
				must(err)
				latest.Store(s)
			}
		}
	})
	for range 4 {
		service.Go(func() {
			var p classifier.Prediction
			for range 100 {
				must(c.Predict(&p, []float64{2, 0})) // the next label of the stream
				if s := latest.Load(); s != nil {
					must(s.Predict(&p, []float64{2, 0})) // the label in whatever order the examples came
				}
			}
		})
	}
	service.Wait()
	var p classifier.Prediction
	for _, x := range [][]float64{{2, 0}, {-2, 0}} {
		must(c.Predict(&p, x))
		fmt.Printf("%v: next class %d\n", x, p.Class)
		must(latest.Load().Predict(&p, x))
		fmt.Printf("%v: class %d by the snapshot\n", x, p.Class)
	}
	// Output:
	// [2 0]: next class 1
	// [2 0]: class 1 by the snapshot
	// [-2 0]: next class 0
	// [-2 0]: class 0 by the snapshot
}
