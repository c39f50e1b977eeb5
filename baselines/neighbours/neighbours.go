package control

import (
	"errors"
	"fmt"
	"math"
)

// NeighboursConfig describes Neighbours.
type NeighboursConfig struct {
	Classes int // at least 2

	// K is the number of neighbours, at most that of examples; zero stands for 5.
	K int
}

// Neighbours predicts the classes of the examples that are nearest to the input,
// in Euclidean distance (Fix and Hodges 1951; Cover and Hart 1967). It must not
// be used by several goroutines at once.
type Neighbours struct {
	x     [][]float64
	class []int
	n     int // classes

	// The nearest examples so far: squared distances in ascending order, and
	// classes.
	distance []float64
	nearest  []int
}

// FitNeighbours returns the neighbours among the examples x[i] of class[i] (from
// 0). It keeps x and class, which must not be modified as long as they are used.
// It returns an error if cfg is not valid, an input not finite or a class out of
// range, and panics if lengths do not fit.
func FitNeighbours(cfg NeighboursConfig, x [][]float64, class []int) (*Neighbours, error) {
	if len(x) != len(class) {
		panic(fmt.Sprintf("control: %d examples and %d classes; need one class per example", len(x), len(class)))
	}
	if cfg.Classes < 2 {
		return nil, fmt.Errorf("control: Classes = %d: need at least 2", cfg.Classes)
	}
	if cfg.K == 0 {
		cfg.K = 5
	}
	if cfg.K < 1 || cfg.K > len(x) {
		return nil, fmt.Errorf("control: K = %d: need 1 to the number of examples, %d", cfg.K, len(x))
	}
	for i, xi := range x {
		if len(xi) != len(x[0]) {
			panic(fmt.Sprintf("control: example %d has length %d, example 0 length %d", i, len(xi), len(x[0])))
		}
		if err := checkFinite(xi); err != nil {
			return nil, fmt.Errorf("control: example %d: %w", i, err)
		}
		if c := class[i]; c < 0 || c >= cfg.Classes {
			return nil, fmt.Errorf("control: example %d: class %d: need 0 to %d", i, c, cfg.Classes-1)
		}
	}
	return &Neighbours{
		x: x, class: class, n: cfg.Classes,
		distance: make([]float64, cfg.K), nearest: make([]int, cfg.K),
	}, nil
}

// Predict sets p to the probabilities of the classes: with k_c of the k nearest
// examples of class c, and n classes,
//
//	p_c = (k_c + 1/n)/(k + 1),
//
// as if one more neighbour were of all classes in equal parts. Of examples at the
// same distance the first is the nearest. Predict returns an error if x is not
// finite or the distance to one of the neighbours overflows, and panics if a
// length does not fit.
func (q *Neighbours) Predict(p, x []float64) error {
	if len(p) != q.n {
		panic(fmt.Sprintf("control: probabilities of length %d; the model has %d classes", len(p), q.n))
	}
	if len(x) != len(q.x[0]) {
		panic(fmt.Sprintf("control: input of length %d; the model has %d inputs", len(x), len(q.x[0])))
	}
	if err := checkFinite(x); err != nil {
		return fmt.Errorf("control: %w", err)
	}
	q.find(x)
	k := len(q.distance)
	if math.IsInf(q.distance[k-1], 1) {
		return errors.New("control: the distance to a neighbour overflows")
	}
	share := 1 / float64(k+1)
	for c := range p {
		p[c] = share / float64(q.n)
	}
	for _, c := range q.nearest {
		p[c] += share
	}
	return nil
}

// find sets distance and nearest for x.
func (q *Neighbours) find(x []float64) {
	last := len(q.distance) - 1
	for i := range q.distance {
		q.distance[i] = math.Inf(1)
	}
	for i, xi := range q.x {
		d := squaredDistance(x, xi, q.distance[last])
		if !(d < q.distance[last]) {
			continue
		}
		place := last
		for ; place > 0 && d < q.distance[place-1]; place-- {
			q.distance[place], q.nearest[place] = q.distance[place-1], q.nearest[place-1]
		}
		q.distance[place], q.nearest[place] = d, q.class[i]
	}
}

// squaredDistance returns |a − b|², or a part of that sum that is not below
// enough.
func squaredDistance(a, b []float64, enough float64) float64 {
	const block = 16 // terms between two looks at the sum
	var sum float64
	for len(a) > block {
		var even, odd float64
		for i := 0; i < block; i += 2 {
			d, e := a[i]-b[i], a[i+1]-b[i+1]
			even += d * d
			odd += e * e
		}
		if sum += even + odd; sum >= enough {
			return sum
		}
		a, b = a[block:], b[block:]
	}
	for i, ai := range a {
		d := ai - b[i]
		sum += d * d
	}
	return sum
}
