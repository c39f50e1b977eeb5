// Package nearest is a classifier that predicts the classes of those among the latest examples that are
// nearest to the input, in Euclidean distance (Fix and Hodges 1951; Cover and Hart 1967).
package nearest

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Config describes a model.
type Config struct {
	// Neighbours is how many of the nearest examples vote.
	Neighbours int `toml:"neighbours" default:"5" range:"1 1,000"`
	// Window is how many of the latest examples are kept.
	Window int `toml:"window" default:"1000" range:"1 1,000,000"`
}

// Validate returns an error unless the window holds the neighbours.
func (c *Config) Validate() error {
	return field.Refuse(c.Neighbours > c.Window, "neighbours", c.Neighbours, "at most window")
}

// Numbers returns how many numbers the inputs of a window are.
func (c Config) Numbers(layers []int) float64 { return float64(c.Window) * float64(layers[0]) }

// Model is the latest examples, of which example i is in row i mod window.
type Model struct {
	window, classes int
	seen            int         // examples learned so far
	x               []float64   // the inputs, row by row
	class           []int       // by row
	nearest         []neighbour // of the last prediction, the nearest one first
}

type neighbour struct {
	distance float64 // squared
	class    int
}

// New returns a model without examples. It does not use the source.
func New(cfg Config, inputs, classes int, _ rand.Source) (*Model, error) {
	if err := field.Resolve(&cfg); err != nil {
		return nil, err
	}
	if inputs < 1 || classes < 1 {
		return nil, fmt.Errorf("nearest: %d inputs and %d classes; need 1 or more", inputs, classes)
	}
	return &Model{
		window: cfg.Window, classes: classes, x: make([]float64, cfg.Window*inputs),
		class: make([]int, cfg.Window), nearest: make([]neighbour, 0, cfg.Neighbours),
	}, nil
}

// row returns the inputs in a row.
func (m *Model) row(i int) []float64 {
	inputs := len(m.x) / m.window
	return m.x[i*inputs:][:inputs]
}

// Observe keeps an example in place of the oldest one.
func (m *Model) Observe(x []float64, class int) error {
	i := m.seen % m.window
	if err := cmp.Or(field.Input(x, len(m.row(i))), field.Class(class, m.classes)); err != nil {
		return err
	}
	copy(m.row(i), x)
	m.class[i] = class
	m.seen++
	return nil
}

// Predict sets p to the probabilities of the n classes by Laplace's rule of succession: of the k nearest
// examples, k_c are of class c, and
//
//	p_c = (k_c + 1)/(k + n).
//
// Of examples at the same distance the latest is the nearest. If there are fewer than k, all of them vote.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, m.classes)
	if err := field.Input(x, len(m.row(0))); err != nil {
		return err
	}
	m.find(x)
	for c := range p {
		p[c] = 1
	}
	for _, n := range m.nearest {
		if !kernel.Finite(n.distance) {
			return errors.New("nearest: the distance from a neighbour overflows")
		}
		p[n.class]++
	}
	floats.Scale(1/float64(len(m.nearest)+m.classes), p)
	return nil
}

// find sets nearest to the nearest examples, from the latest to the oldest.
func (m *Model) find(x []float64) {
	near := m.nearest[:0]
	i := m.seen % m.window
	for range min(m.seen, m.window) {
		if i == 0 {
			i = m.window
		}
		i--
		d := 0.0
		for j, v := range m.row(i) {
			d += float64((x[j] - v) * (x[j] - v))
		}
		if k := len(near); k < cap(near) {
			near = near[:k+1]
		} else if d >= near[k-1].distance {
			continue
		}
		place := len(near) - 1
		for ; place > 0 && near[place-1].distance > d; place-- {
			near[place] = near[place-1]
		}
		near[place] = neighbour{d, m.class[i]}
	}
	m.nearest = near
}
