// Package data draws and reads the labelled examples of the experiments. A [Task] draws a stream of them. A
// [Source] is the data of a manifest: a task, a table or IDX files, with their split into a training and a test
// part, which are [dataset.Examples].
package data

import (
	"cmp"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/internal/field"
	"closedform/runner/dataset"
)

// Generator names a task and its parameters, 0 for their defaults.
type Generator struct {
	// Name is the generator of the examples; default none: they are read from files.
	Name string `toml:"generator,omitempty" json:"generator,omitempty"`
	// Noise is the noise of points or labels; default by generator.
	Noise float64 `toml:"noise,omitzero" json:"noise,omitzero" range:"1e-6 10"`
	// Arms is the number of arms of spirals (default 3), or of sectors (default 5).
	Arms int `toml:"arms,omitzero" json:"arms,omitzero" range:"2 100"`
	// Period is how many examples a concept or a turn takes, of a generator that changes; default by generator.
	Period int `toml:"period,omitzero" json:"period,omitzero" range:"1 1,000,000"`
}

var generators = map[string]struct {
	noise  float64               // default noise; 0: the task has no noise
	arms   int                   // default number of arms; 0: the task has no arms
	period int                   // default period; 0: the task does not change
	task   func(Generator) *Task // makes the task of a valid generator with its defaults
}{
	"drifting-shares":  {0.4, 0, 4000, driftingShares},  // noise is the standard deviation of each input
	"flipping-labels":  {0.4, 0, 2500, flippingLabels},  // noise is the standard deviation of each input
	"gaussians":        {0.4, 0, 0, gaussians},          // noise is the standard deviation of each input
	"hyperplane":       {0.05, 0, 10_000, hyperplane},   // noise is the probability of a wrong label
	"logistic":         {1, 0, 0, logistic},             // noise is the width of the boundary
	"moons":            {0.1, 0, 0, moons},              // noise is the standard deviation of each input
	"moving-gaussians": {0.4, 0, 4000, movingGaussians}, // noise is the standard deviation of each input
	"rings":            {0.05, 0, 0, rings},             // noise is the standard deviation of the radius
	"sea":              {0.1, 0, 2500, sea},             // noise is the probability of a wrong label
	"sectors":          {0.7, 5, 0, sectors},            // noise is the width of the boundaries
	"spirals":          {0.12, 3, 0, spirals},           // noise is the standard deviation of the angle (radians)
	"wedges":           {0, 0, 0, wedges},
	"xor":              {0.4, 0, 0, xor}, // noise is the standard deviation of each input
}

// Validate fills in the defaults. It returns an error if the task is unknown or lacks a given parameter.
func (g *Generator) Validate() error {
	standard, ok := generators[g.Name]
	if !ok {
		return field.Among("generator", slices.Sorted(maps.Keys(generators)), g.Name)
	}
	labels := g.Name == "sea" || g.Name == "hyperplane"
	err := errors.Join(
		field.Refuse(g.Noise != 0 && standard.noise == 0, "noise", g.Noise, "a generator with noise"),
		field.Refuse(g.Arms != 0 && standard.arms == 0, "arms", g.Arms, "a generator with arms"),
		field.Refuse(g.Period != 0 && standard.period == 0, "period", g.Period, "a generator that changes"),
		field.Refuse(labels && g.Noise > 0.5, "noise", g.Noise, "at most 0.5, the probability of a wrong label"))
	g.Noise, g.Arms = cmp.Or(g.Noise, standard.noise), cmp.Or(g.Arms, standard.arms)
	g.Period = cmp.Or(g.Period, standard.period)
	return err
}

// Task returns the task. It panics if the generator is not valid.
func (g Generator) Task() *Task {
	if err := field.Resolve(&g); err != nil {
		panic("data: " + err.Error())
	}
	return generators[g.Name].task(g)
}

// Task is a stream of labelled examples, independent but not all of one distribution if the task changes. The
// Region and the Boundary are those of a task in the plane, which has two inputs.
type Task struct {
	Inputs, Classes int

	Region   Region       // the rectangle to draw maps on; nearly all examples are in it
	Boundary [2][]float64 // x₁ and x₂ along lines where the class changes sharply, with NaN between lines

	// Probabilities sets dst to P(class | x), but returns false exactly on a sharp boundary. It is nil if the
	// probabilities are not known, or change.
	Probabilities func(dst, x []float64) bool

	draw func(i int, x []float64, rnd *rand.Rand) int // puts example i, from 0, into x and returns its class
}

// NoClass is the label of a point exactly on a boundary. No metric counts such a point.
const NoClass = -1

type (
	Set      = dataset.Set
	Examples = dataset.Examples
)

// Draw returns n examples. Longer lists from the same stream begin with the same examples.
func (t *Task) Draw(n int, src rand.Source) Set {
	rnd := rand.New(src)
	set, numbers := Set{X: make([][]float64, n), Class: make([]int, n)}, make([]float64, n*t.Inputs)
	for i := range set.X {
		set.X[i] = numbers[i*t.Inputs : (i+1)*t.Inputs]
		set.Class[i] = t.draw(i, set.X[i], rnd)
	}
	return set
}

// Label returns the most probable class of a point, or NoClass on a boundary.
func (t *Task) Label(x []float64) int {
	p := make([]float64, t.Classes)
	if !t.Probabilities(p, x) {
		return NoClass
	}
	return floats.MaxIdx(p)
}

// Region is a rectangle in the plane.
type Region struct{ Low, High [2]float64 }

// Grid is a grid of points, row by row: the first coordinate changes fastest.
type Grid struct {
	X, Y   []float64 // coordinates along the axes, ascending
	Points [][]float64
}

// Grid returns the grid of n by n points that divides the region evenly.
func (r Region) Grid(n int) *Grid {
	g := &Grid{X: r.axis(0, n), Y: r.axis(1, n)}
	for _, y := range g.Y {
		for _, x := range g.X {
			g.Points = append(g.Points, []float64{x, y})
		}
	}
	return g
}

func square(half float64) Region { return Region{[2]float64{-half, -half}, [2]float64{half, half}} }

// axis returns n ≥ 2 evenly spaced coordinates of input i. They are exactly symmetric if Low[i] = −High[i].
func (r Region) axis(i, n int) []float64 {
	axis := make([]float64, n)
	for k := range axis {
		axis[k] = (r.High[i]*float64(k) + r.Low[i]*float64(n-1-k)) / float64(n-1)
	}
	return axis
}

func addNoise(x []float64, sd float64, rnd *rand.Rand) {
	for i := range x {
		x[i] += float64(sd * random.Normal(rnd))
	}
}
