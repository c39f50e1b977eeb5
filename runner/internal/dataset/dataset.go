// Package dataset makes and reads the data of the experiments.
//
// Made data are labelled points in the plane of which everything is known, the
// class probabilities at each point and the least error that any classifier can
// have. A Task names the law of the points and its parameters; the file of each
// task gives it as a formula.
//
// Read data are Examples, from a CSV file or from a pair of IDX files. They are
// cut into a training and a test part by SplitFraction or Rows, numbered by Parts
// or Align, and scaled by a Scaler that has seen the training part only.
package dataset

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Set is a list of labelled examples: X[k] has the class Class[k], from 0.
type Set struct {
	X     [][]float64
	Class []int
}

// Generator draws examples of a task on the square [Low, High]² whose true
// classes are known everywhere.
type Generator struct {
	Inputs, Classes int
	Low, High       float64

	// Label returns the class of a point, from 0, or NoClass for a point
	// exactly on a boundary.
	Label func(x []float64) int

	// LinearCeiling is the best accuracy on the square of one linear score
	// without bias per class.
	LinearCeiling float64

	// Boundary is where the class changes.
	Boundary []Segment
}

// NoClass is the label of a point exactly on a boundary. It counts in no metric.
const NoClass = -1

// Segment is a piece of a boundary.
type Segment struct{ X0, Y0, X1, Y1 float64 }

var generators = map[string]Generator{
	"wedges": wedges,
}

// Lookup returns the generator of that name.
func Lookup(name string) (Generator, error) {
	g, ok := generators[name]
	if !ok {
		return Generator{}, fmt.Errorf("dataset: no generator %q; allowed: %s", name, strings.Join(slices.Sorted(maps.Keys(generators)), ", "))
	}
	return g, nil
}

// Draw returns n examples with inputs uniform on the square.
func (g Generator) Draw(n int, src rand.Source) Set {
	rnd := rand.New(src)
	var set Set
	for len(set.X) < n {
		x := make([]float64, g.Inputs)
		set.Class = append(set.Class, g.example(x, rnd))
		set.X = append(set.X, x)
	}
	return set
}

// example puts the next example into x and returns its class.
func (g Generator) example(x []float64, rnd *rand.Rand) int {
	for {
		for i := range x {
			x[i] = g.Low + (g.High-g.Low)*rnd.Float64()
		}
		if class := g.Label(x); class != NoClass {
			return class
		}
	}
}

// Axis returns n ≥ 2 coordinates from Low to High. They are symmetric about the
// middle to the last digit, so that a grid of them is, too.
func (g Generator) Axis(n int) []float64 { return axis(g.Low, g.High, n) }
