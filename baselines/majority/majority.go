// Package control has two classifiers that every other must beat: one that does
// not look at the input, and one that does not learn.
package control

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// MajorityConfig describes a Majority.
type MajorityConfig struct {
	Classes int // at least 2

	// Smoothing is what every class counts before the first example, above 0;
	// zero stands for 1, Laplace's rule of succession.
	Smoothing float64
}

// Majority predicts the frequencies of the classes whatever the input. The class
// that it finds most probable is that of the majority.
type Majority struct {
	count []float64 // with the smoothing
}

// NewMajority returns a Majority that has seen nothing, or an error that names
// the field if cfg is not valid.
func NewMajority(cfg MajorityConfig) (*Majority, error) {
	if cfg.Classes < 2 {
		return nil, fmt.Errorf("control: Classes = %d: need at least 2", cfg.Classes)
	}
	if cfg.Smoothing == 0 {
		cfg.Smoothing = 1
	}
	const most = 1e100 // a sum over the classes does not overflow
	if !(cfg.Smoothing > 0 && cfg.Smoothing <= most) {
		return nil, fmt.Errorf("control: Smoothing = %g: need above 0, to %g", cfg.Smoothing, most)
	}
	m := &Majority{count: make([]float64, cfg.Classes)}
	for c := range m.count {
		m.count[c] = cfg.Smoothing
	}
	return m, nil
}

// Observe counts the class of an example. It returns an error if the class is out
// of range or the input, which is not used, not finite.
func (m *Majority) Observe(x []float64, class int) error {
	if class < 0 || class >= len(m.count) {
		return fmt.Errorf("control: class %d; the model has classes 0 to %d", class, len(m.count)-1)
	}
	if err := checkFinite(x); err != nil {
		return fmt.Errorf("control: %w", err)
	}
	m.count[class]++
	return nil
}

// Predict sets p to the probabilities of the classes: with N examples, of which
// N_c are of class c, n classes and the smoothing a,
//
//	p_c = (N_c + a)/(N + na).
//
// It returns an error if x, which is not used, is not finite, and panics if the
// length of p is not the number of classes.
func (m *Majority) Predict(p, x []float64) error {
	if len(p) != len(m.count) {
		panic(fmt.Sprintf("control: probabilities of length %d; the model has %d classes", len(p), len(m.count)))
	}
	if err := checkFinite(x); err != nil {
		return fmt.Errorf("control: %w", err)
	}
	floats.ScaleTo(p, 1/floats.Sum(m.count), m.count)
	return nil
}

// checkFinite returns an error that names the first input that is not finite.
func checkFinite(x []float64) error {
	for a, xa := range x {
		if !(math.Abs(xa) <= math.MaxFloat64) {
			return fmt.Errorf("input %d is %g; need a finite number", a, xa)
		}
	}
	return nil
}
