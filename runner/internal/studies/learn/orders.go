package learn

import (
	"math/rand/v2"
	"slices"

	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
)

// Order is the order in which the examples of a pass are learned.
type Order string

// The orders of a stream.
const (
	Shuffled Order = "shuffled" // each pass anew; those of a generator come as they are drawn in the first
	Given    Order = "given"    // as in the files
	Sorted   Order = "sorted"   // one class after another; beside it the same examples shuffled
	Repeated Order = "repeated" // by several networks, each in an order of its own, see repeated.go
)

// orders has the function of each order; nil: the examples come as they are.
var orders = map[Order]func(*dataset.Examples, rand.Source) []int{
	Shuffled: learner.Shuffled, Given: nil, Sorted: byClass, Repeated: nil,
}

// byClass is the shuffled order, stably sorted by class; the classes are in a random order: class-incremental
// learning in the words of van de Ven and Tolias, "Three scenarios for continual learning", arXiv 1904.07734
// (2019).
func byClass(e *dataset.Examples, src rand.Source) []int {
	rnd := rand.New(src)
	order, place := rnd.Perm(e.Len()), rnd.Perm(len(e.Classes()))
	slices.SortStableFunc(order, func(a, b int) int { return place[e.Class(a)] - place[e.Class(b)] })
	return order
}

// ends returns the numbers of examples of an order by class after which a class is complete, and the classes.
func ends(e *dataset.Examples, order []int) (after, classes []int) {
	for i, k := range order {
		if class := e.Class(k); i+1 == len(order) || e.Class(order[i+1]) != class {
			after, classes = append(after, i+1), append(classes, class)
		}
	}
	return after, classes
}

// only returns the predictions of the examples of some classes.
func only(p [][]float64, class, classes []int) (q [][]float64, truth []int) {
	for i, c := range class {
		if slices.Contains(classes, c) {
			q, truth = append(q, p[i]), append(truth, c)
		}
	}
	return q, truth
}
