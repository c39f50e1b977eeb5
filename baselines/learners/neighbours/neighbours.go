// Package neighbours is a classifier that does not learn: it predicts the classes of the examples
// that are nearest to the input, in Euclidean distance (Fix and Hodges 1951; Cover and Hart 1967).
package neighbours

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"closedform/baselines/learners/mlp"
	"closedform/internal/field"
)

// Config describes a model.
type Config struct {
	Classes int `toml:"-"` // at least 2

	// Neighbours are as many, or all examples if there are fewer.
	Neighbours int `toml:"neighbours" default:"5" range:"1 1000000"`
}

// Model has all the examples.
type Model struct {
	x     [][]float64
	class []int
	n     int // classes

	// The nearest examples so far: squared distances in ascending order, and classes.
	distance []float64
	nearest  []int
}

// Fit returns the model of the examples x[k], at least one, of the classes class[k], counted from 0. It keeps
// x and class. Nothing is drawn from the source, which may be nil.
func Fit(cfg Config, x [][]float64, class []int, _ rand.Source) (*Model, error) {
	if err := field.Resolve(&cfg); err != nil {
		return nil, err
	}
	if len(x) == 0 || cfg.Classes < 2 {
		return nil, fmt.Errorf("neighbours: %d examples of %d classes; need at least 1 and 2",
			len(x), cfg.Classes)
	}
	k := min(len(x), cfg.Neighbours)
	m := &Model{x: x, class: class, n: cfg.Classes, distance: make([]float64, k), nearest: make([]int, k)}
	return m, mlp.CheckExamples(x, class, len(x[0]), cfg.Classes)
}

// Predict sets p to the probabilities of the classes: with k_c of the k nearest examples of class c, and n
// classes,
//
//	p_c = (k_c + 1/n)/(k + 1).
//
// Of examples at the same distance the first is the nearest.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, m.n)
	if err := field.Input(x, len(m.x[0])); err != nil {
		return err
	}
	m.find(x)
	k := len(m.distance)
	if math.IsInf(m.distance[k-1], 1) {
		return errors.New("neighbours: the distance to a neighbour overflows")
	}
	share := 1 / float64(k+1)
	for c := range p {
		p[c] = share / float64(m.n)
	}
	for _, c := range m.nearest {
		p[c] += share
	}
	return nil
}

// find sets distance and nearest for x.
func (m *Model) find(x []float64) {
	last := len(m.distance) - 1
	for i := range m.distance {
		m.distance[i] = math.Inf(1)
	}
	for i, xi := range m.x {
		d := 0.0
		for j := 0; j < len(x) && d < m.distance[last]; j++ {
			d += (x[j] - xi[j]) * (x[j] - xi[j])
		}
		if !(d < m.distance[last]) {
			continue
		}
		place := last
		for place > 0 && d < m.distance[place-1] {
			place--
		}
		copy(m.distance[place+1:], m.distance[place:last])
		copy(m.nearest[place+1:], m.nearest[place:last])
		m.distance[place], m.nearest[place] = d, m.class[i]
	}
}
