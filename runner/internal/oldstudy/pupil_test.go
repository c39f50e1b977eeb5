package study

import (
	"slices"
	"testing"

	"closedform/runner/internal/dataset"
)

// A break-down over a test example makes all predictions equal.
func TestAnswerAfterFailure(t *testing.T) {
	p, class := answer(&fragile{good: 520}, blank(600))
	for i := range p {
		if p[i][0] != 0.5 || p[i][1] != 0.5 {
			t.Fatalf("example %d: %v", i, p[i])
		}
	}
	if len(p) != 600 || len(class) != 600 {
		t.Errorf("%d answers, %d classes", len(p), len(class))
	}
	if p, _ := answer(&fragile{good: 600}, blank(600)); p[0][0] != 1 {
		t.Errorf("%v without a failure", p[0])
	}
}

// blank returns n examples of two classes with one input.
func blank(n int) *dataset.Examples {
	set := dataset.Set{}
	for range n {
		set.X, set.Class = append(set.X, []float64{0}), append(set.Class, 0)
	}
	return dataset.NewExamples(set, 2)
}

// fragile is a pupil that breaks down after some predictions.
type fragile struct {
	good int
	steps
}

func (f *fragile) observe([]float64, int) {}

func (f *fragile) labels(inputs [][]float64) [][]float64 {
	if f.good -= len(inputs); f.good < 0 {
		f.failed = true
		return equal(len(inputs), 2)
	}
	return slices.Repeat([][]float64{{1, 0}}, len(inputs))
}

func (f *fragile) done() steps { return f.steps }
