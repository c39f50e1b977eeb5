// Package readout is an output layer on fixed inputs, such as those of core/features. It keeps sums over the
// examples and follows from them in closed form. It does not depend on the order of the examples, to the
// bit, forgets none, and can be given another class at any time.
//
// Inputs are limited to ±32 and rounded to multiples of 2⁻⁹, which makes all sums of up to 2²⁵ examples exact.
// The rounding is harmless where the inputs have a root mean square around 1. The parameters λ, ν and τ are
// those that predict kept examples best, each left out. Up to 2,000 examples are kept, the same
// number of each class and at least one: those with the smallest hashes.
package readout

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/softmax"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Kind is what a layer predicts by.
type Kind string

const (
	// Ridge is a ridge regression on the one-hot labels, with class Gaussians on its outputs. It keeps
	// inputs²/2 numbers.
	Ridge Kind = "ridge"

	// Gaussian has a Gaussian of each class on the inputs. It keeps inputs²/2 numbers for each class.
	Gaussian Kind = "gaussian"
)

const (
	step       = 1.0 / 512        // between inputs
	limit      = 32               // of inputs
	floor      = step * step / 12 // variance of the rounding
	mostInputs = 1 << 14
)

// Config describes a layer. The tags are keys of manifests, for errors, and of checkpoints.
type Config struct {
	Kind    Kind `toml:"output" json:"kind"`
	Inputs  int  `toml:"inputs" json:"inputs"`
	Classes int  `toml:"classes" json:"classes"` // 2 to bnn.MostClasses
}

// Validate returns a [*field.Error] unless a layer can be made of the configuration.
func (c Config) Validate() error {
	if err := field.OneOf("output", c.Kind, Ridge, Gaussian); err != nil {
		return err
	}
	if err := field.Within("inputs", c.Inputs, 1, mostInputs); err != nil {
		return err
	}
	return field.Within("classes", c.Classes, 2, bnn.MostClasses)
}

// Layer is an output layer. Predict, Scores, State and Config may be called by several goroutines at
// once, each with its own dst. The first Predict or Scores after an example solves, while the others wait; that
// takes some inputs³ operations, with Gaussian times the classes. Observe and AddClass need the layer for themselves.
type Layer struct {
	cfg     Config
	sums    [][]float64 // of each class Σx
	counts  []int       // of each class
	squares []*square   // of each class, or of all
	kept    [][]example // of each class
	rounded []float64   // of Observe

	mu     sync.Mutex
	solved solution  // what has been asked for since the last example
	pool   sync.Pool // of *scratch
}

var _ bnn.Model = (*Layer)(nil)

// New returns a layer without examples.
func New(c Config) (*Layer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	l := &Layer{cfg: c, rounded: make([]float64, c.Inputs)}
	l.cfg.Classes = 0
	if c.Kind == Ridge {
		l.squares = []*square{newSquare(c.Inputs)}
	}
	for range c.Classes {
		l.addClass()
	}
	return l, nil
}

// Config returns the configuration, with the classes that were added.
func (l *Layer) Config() Config { return l.cfg }

// Members implements [bnn.Model]: there are none.
func (l *Layer) Members() []*bnn.Network { return nil }

// Shape implements [bnn.Model].
func (l *Layer) Shape() (inputs, classes int) { return l.cfg.Inputs, l.cfg.Classes }

// AddClass adds a class behind the others, of which there are no examples. The error is that of too
// many classes.
func (l *Layer) AddClass() error {
	if err := field.Within("classes", l.cfg.Classes+1, 2, bnn.MostClasses); err != nil {
		return err
	}
	l.addClass()
	return nil
}

func (l *Layer) addClass() {
	l.cfg.Classes++
	l.sums = append(l.sums, make([]float64, l.cfg.Inputs))
	l.counts = append(l.counts, 0)
	l.kept = append(l.kept, nil)
	if l.cfg.Kind == Gaussian {
		l.squares = append(l.squares, newSquare(l.cfg.Inputs))
	}
	l.solved = solution{}
}

// Observe adds an example. Of the update all numbers are NaN: the probability of the class would take a
// solution. An input of the wrong length or that is not finite, or a class out of range, is an error
// that leaves the layer unchanged.
func (l *Layer) Observe(x []float64, class int) (bnn.Update, error) {
	u := bnn.Update{MinEigenvalue: math.NaN(), MinVariance: math.NaN(), LogP: math.NaN()}
	err := l.round(l.rounded, x)
	if class < 0 || class >= l.cfg.Classes {
		err = fmt.Errorf("readout: class %d; the layer has classes 0 to %d", class, l.cfg.Classes-1)
	}
	if err != nil {
		u.Action = bnn.Refused
		return u, err
	}
	l.solved = solution{}
	l.counts[class]++
	l.keep(class, l.rounded)
	kernel.AddScaled(l.sums[class], 1, l.rounded)
	l.squares[class%len(l.squares)].add(l.rounded)
	return u, nil
}

// round sets dst to the rounded input.
func (l *Layer) round(dst, x []float64) error {
	if len(x) != l.cfg.Inputs {
		return fmt.Errorf("readout: input of length %d; the layer has %d inputs", len(x), l.cfg.Inputs)
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("readout: input %d is %g; need a finite number", i, v)
		}
		dst[i] = math.RoundToEven(max(-limit, min(limit, v))/step)*step + 0 // and never −0
	}
	return nil
}

// scratch is the scratch space of one prediction.
type scratch struct {
	x, z       []float64 // inputs
	out, score []float64 // classes
}

func (l *Layer) scratch() *scratch {
	if s, _ := l.pool.Get().(*scratch); s != nil && len(s.out) == l.cfg.Classes {
		return s
	}
	numbers := func(n int) []float64 { return make([]float64, n) }
	d, n := l.cfg.Inputs, l.cfg.Classes
	return &scratch{numbers(d), numbers(max(d, n)), numbers(n), numbers(n)}
}

// Predict sets dst to the prediction for x. With the log densities s_c of the class Gaussians, on the
// inputs or on the outputs of the ridge regression, and the share q_c of the examples
//
//	P_c = (N π_c + 1/classes)/(N + 1),   π_c ∝ q_c exp(τ s_c),
//
// after N examples: equal probabilities at first, and 1/classes/(N + 1) for a class without examples. The
// layer has no distribution of the probabilities: dst has the logits log P with variance 0, and a Cov
// of 0. It returns an error if the length of x is not the number of inputs or x is not finite.
func (l *Layer) Predict(dst *bnn.Prediction, x []float64) error {
	n := l.cfg.Classes
	if len(dst.P) != n || dst.Layers != nil || dst.Members != nil {
		m := softmax.NewMoments(n)
		*dst = bnn.Prediction{P: m.P, Cov: mat.NewSymDense(n, nil), Mean: make([]float64, n), Variance: make([]float64, n), Moments: m}
	}
	w := l.scratch()
	defer l.pool.Put(w)
	err := l.round(w.x, x)
	if err == nil {
		l.probabilities(dst.P, w)
	} else {
		for i := range dst.P {
			dst.P[i] = math.NaN()
		}
	}
	for i, p := range dst.P {
		dst.Mean[i], dst.Variance[i] = kernel.Log(p), float64(0*p)
		for j, q := range dst.P {
			dst.Cov.SetSym(i, j, float64(0*p))
			dst.Moments.E.Set(i, j, float64(p*q))
		}
		dst.Moments.E.Set(i, i, float64(0*p))
	}
	return err
}

// probabilities sets p to those for w.x.
func (l *Layer) probabilities(p []float64, w *scratch) {
	total := 0
	for _, n := range l.counts {
		total += n
	}
	if total == 0 {
		for i := range p {
			p[i] = 1 / float64(len(p))
		}
		return
	}
	g, in := l.solve(false).inputs, w.x
	if l.cfg.Kind == Ridge {
		s := l.solve(false)
		s.ridge.outputs(w.out, w.z, w.x)
		g, in = s.outputs, w.out
	}
	g.densities(w.score, w.z[:len(in)], in)
	g.softmax(p, w.score)
	for i := range p {
		p[i] = (float64(float64(total)*p[i]) + 1/float64(len(p))) / float64(total+1)
	}
}

// Scores are scores of an input for open-set recognition.
type Scores struct {
	// Density has the log density of each class on the inputs, −∞ without examples: with Gaussian that
	// of its own Gaussian, with Ridge that of Gaussians with one covariance.
	Density []float64

	// Background is the log density of one Gaussian of all examples.
	Background float64

	// Ridge has the outputs of the ridge regression, around 1 for the class of an example and around 0 for
	// others. RidgeDensity has the log density of each class on these outputs, −∞ without examples.
	Ridge, RidgeDensity []float64
}

// Scores sets dst to the scores of x, with both kinds. It returns an error before the first example, and
// as Predict.
func (l *Layer) Scores(dst *Scores, x []float64) error {
	w := l.scratch()
	defer l.pool.Put(w)
	if err := l.round(w.x, x); err != nil {
		return err
	}
	if !slices.ContainsFunc(l.counts, func(n int) bool { return n > 0 }) {
		return fmt.Errorf("readout: no scores before the first example")
	}
	s := l.solve(true)
	for _, v := range []*[]float64{&dst.Density, &dst.Ridge, &dst.RidgeDensity} {
		*v = slices.Grow((*v)[:0], l.cfg.Classes)[:l.cfg.Classes]
	}
	s.inputs.densities(dst.Density, w.z[:len(w.x)], w.x)
	s.background.densities(w.score[:1], w.z[:len(w.x)], w.x)
	dst.Background = w.score[0]
	s.ridge.outputs(dst.Ridge, w.z, w.x)
	s.outputs.densities(dst.RidgeDensity, w.z[:l.cfg.Classes], dst.Ridge)
	return nil
}
