package study

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"

	"closedform/runner/internal/dataset"
)

// pupil learns a stream and predicts along it. One that has broken down says from
// then on that all classes are equally probable.
type pupil interface {
	observe(x []float64, class int)
	labels(inputs [][]float64) [][]float64 // distributions of the labels
	done() steps
}

// steps counts what became of the examples.
type steps struct {
	indefinite, skipped, projected int
	raised                         int // hidden pre-activations whose variance was raised to its floor
	failed                         bool
}

// equal returns n times equal probabilities for all classes.
func equal(n, classes int) [][]float64 {
	return slices.Repeat([][]float64{slices.Repeat([]float64{1 / float64(classes)}, classes)}, n)
}

// teach shows a pupil all examples, pass after pass (at least once), each in an
// order from a stream of its own.
func teach(ctx context.Context, p pupil, e *dataset.Examples, passes int, order func(pass int) rand.Source) error {
	x := make([]float64, e.Inputs())
	for pass := 1; pass <= max(1, passes); pass++ {
		for i, row := range rand.New(order(pass)).Perm(e.Len()) {
			if i%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			e.Input(x, row)
			p.observe(x, e.Class(row))
		}
	}
	return ctx.Err()
}

// answer returns the predictions of all examples, and their classes. Where the pupil
// breaks down over one of them, all are equal probabilities.
func answer(q pupil, test *dataset.Examples) (p [][]float64, class []int) {
	const chunk = 512 // examples that are held as floating-point numbers
	for first := 0; first < test.Len(); first += chunk {
		x := make([][]float64, min(chunk, test.Len()-first))
		for i := range x {
			x[i] = make([]float64, test.Inputs())
			test.Input(x[i], first+i)
			class = append(class, test.Class(first+i))
		}
		p = append(p, q.labels(x)...)
	}
	if q.done().failed && len(p) > 0 {
		p = equal(len(p), len(p[0]))
	}
	return p, class
}

// spelled writes probabilities to six digits, separated by spaces.
func spelled(p []float64) string {
	var text []byte
	for j, x := range p {
		if j > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendFloat(text, x, 'g', 6, 64)
	}
	return string(text)
}
