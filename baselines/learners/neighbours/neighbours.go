// Package neighbours is a classifier that does not learn: it predicts the classes of the examples
// that are nearest to the input, in Euclidean distance (Fix and Hodges 1951; Cover and Hart 1967).
package neighbours

import (
	"cmp"
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

	// Neighbours are as many, or all examples if there are fewer; zero stands for 5.
	Neighbours int `toml:"neighbours"`
}

// WithDefaults returns the configuration with its defaults filled in.
func (c Config) WithDefaults() Config {
	c.Neighbours = cmp.Or(c.Neighbours, 5)
	return c
}

// Validate returns an error of package field if a value is not allowed. It doesn't look at Classes.
func (c Config) Validate() error {
	return field.Within("neighbours", c.WithDefaults().Neighbours, 1, 1_000_000)
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

// Fit returns the model of the examples x[k], at least one, of the classes class[k], counted from
// 0. It keeps x and class, which must not be modified as long as it is used. Nothing is drawn from
// the source, which may be nil.
func Fit(cfg Config, x [][]float64, class []int, _ rand.Source) (*Model, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("neighbours: %w", err)
	}
	if len(x) == 0 || cfg.Classes < 2 {
		return nil, fmt.Errorf("neighbours: %d examples of %d classes; need at least 1 and 2", len(x), cfg.Classes)
	}
	if err := mlp.CheckExamples(x, class, len(x[0]), cfg.Classes); err != nil {
		return nil, fmt.Errorf("neighbours: %w", err)
	}
	k := min(len(x), cfg.WithDefaults().Neighbours)
	return &Model{x: x, class: class, n: cfg.Classes, distance: make([]float64, k), nearest: make([]int, k)}, nil
}

// Predict sets p to the probabilities of the classes: with k_c of the k nearest
// examples of class c, and n classes,
//
//	p_c = (k_c + 1/n)/(k + 1),
//
// as if one more neighbour were of all classes in equal parts. Of examples at the same distance the
// first is the nearest.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, m.n)
	mlp.CheckLength(x, len(m.x[0]))
	if err := mlp.CheckInput(x); err != nil {
		return fmt.Errorf("neighbours: %w", err)
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
		d := squaredDistance(x, xi, m.distance[last])
		if !(d < m.distance[last]) {
			continue
		}
		place := last
		for ; place > 0 && d < m.distance[place-1]; place-- {
			m.distance[place], m.nearest[place] = m.distance[place-1], m.nearest[place-1]
		}
		m.distance[place], m.nearest[place] = d, m.class[i]
	}
}

// squaredDistance returns |a − b|², or a partial sum of at least enough.
func squaredDistance(a, b []float64, enough float64) (sum float64) {
	for i, ai := range a {
		d := ai - b[i]
		if sum += d * d; sum >= enough {
			break
		}
	}
	return sum
}
