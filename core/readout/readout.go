// Package readout is an output layer on fixed inputs, such as those of core/features, computed in closed form
// from sums over the examples. It does not depend on the order of the examples, to the bit, and can get
// another class at any time. With inputs z = (x, 1), one-hot labels y and class Gaussians N(m_c, C_c), the
// two kinds are
//
//	Ridge     W = (Λ + Σzzᵀ)⁻¹ Σzyᵀ, and class Gaussians on the outputs Wᵀz
//	Gaussian  p(c|x) ∝ π_c N(x; m_c, C_c)^τ
//
// Inputs are limited to ±32 and rounded to multiples of 2⁻⁹, which makes all sums of up to 2²⁵ examples
// exact. The parameters λ, ν and τ minimise the loss of kept examples, each left out. Up to 2,000 different
// inputs are kept with their numbers of examples: those with the smallest hashes, equally many per class.
package readout

import (
	"cmp"
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
	// Ridge is a ridge regression on one-hot labels, with class Gaussians on its outputs: inputs²/2 numbers.
	Ridge Kind = "ridge"

	// Gaussian has the mean and covariance of each class: inputs²/2 numbers for each.
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

	// Sequential makes Before and Update.LogP cheap: a Ridge layer is also solved recursively, example by
	// example. That takes some 1.1 inputs² operations an example, and inputs² more numbers.
	Sequential bool `toml:"-" json:"sequential,omitempty"`
}

// Validate returns a [*bnn.FieldError] unless a layer can be made of the configuration.
func (c Config) Validate() error {
	err := cmp.Or(
		field.OneOf("output", c.Kind, Ridge, Gaussian),
		field.Within("inputs", c.Inputs, 1, mostInputs),
		field.Within("classes", c.Classes, 2, bnn.MostClasses),
	)
	if err == nil && c.Sequential && c.Kind != Ridge {
		err = field.Errorf("sequential", "not allowed with output = %q; allowed: %s", c.Kind, Ridge)
	}
	return field.InGo(err, c)
}

// Layer is an output layer. Predict, PredictAll, Familiarity, State and Config are safe for concurrent use,
// each call with its own dst; the other methods are not. The first Predict or Familiarity after an example
// solves, in some inputs³ operations, for Gaussian times the classes.
type Layer struct {
	cfg Config
	totals
	kept    [][]labelled // of each class
	rounded []float64    // of Observe
	limited int          // see Limited

	sequence *sequence // nil unless Config.Sequential

	mu     sync.Mutex
	solved solution // what has been asked for since the last example
}

var (
	_ bnn.Model      = (*Layer)(nil)
	_ bnn.Sequential = (*Layer)(nil)
	_ bnn.LeftOut    = (*Layer)(nil)
)

// New returns a layer without examples.
func New(c Config) (*Layer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	l := &Layer{cfg: c, rounded: make([]float64, c.Inputs)}
	l.inputs, l.pooled = c.Inputs, c.Kind == Ridge
	l.cfg.Classes = 0
	if c.Sequential {
		l.sequence = newSequence(c.Inputs)
	}
	for range c.Classes {
		l.addClass()
	}
	return l, nil
}

// Config returns the configuration, with the classes that were added.
func (l *Layer) Config() Config { return l.cfg }

// Shape implements [bnn.Model].
func (l *Layer) Shape() (inputs, classes int) { return l.cfg.Inputs, l.cfg.Classes }

// AddClass adds a class without examples after the others. The error is that of too many classes.
func (l *Layer) AddClass() error {
	if err := field.Within("classes", l.cfg.Classes+1, 2, bnn.MostClasses); err != nil {
		return err
	}
	l.addClass()
	return nil
}

func (l *Layer) addClass() {
	l.cfg.Classes++
	l.totals.addClass()
	l.kept = append(l.kept, nil)
	if l.sequence != nil {
		l.sequence.addClass()
	}
	l.solved = solution{}
}

// Observe adds an example. With Config.Sequential LogP of the update is by the prediction of Before, else
// NaN, as are the other numbers. A wrong length or class or a number not finite changes nothing.
func (l *Layer) Observe(x []float64, class int) (bnn.Update, error) {
	u := bnn.Update{MinEigenvalue: math.NaN(), MinVariance: math.NaN(), LogP: math.NaN()}
	if err := cmp.Or(field.Class(class, l.cfg.Classes), l.round(l.rounded, x)); err != nil {
		u.Action = bnn.Refused
		return u, err
	}
	if s, n := l.sequence, l.examples(); s != nil {
		s.predict(l.rounded, n)
		u.LogP = kernel.Log(max(s.prob[class], leastProb))
		s.learn(class, n)
	}
	l.solved = solution{}
	if slices.ContainsFunc(x, func(v float64) bool { return math.Abs(v) > limit }) {
		l.limited++
	}
	l.add(labelled{x: l.rounded, class: class, count: 1})
	l.keep(class, l.rounded)
	if s, n := l.sequence, l.examples(); s != nil {
		s.refit(n, l.counts)
		if n%fresh == 0 {
			s.solve(&l.totals)
		}
	}
	return u, nil
}

// Limited returns the number of examples that had an input beyond ±32. If it is large, scale the inputs: the
// layer cannot distinguish 33 from 1,000.
func (l *Layer) Limited() int { return l.limited }

func (l *Layer) round(dst, x []float64) error {
	if err := field.Input(x, l.cfg.Inputs); err != nil {
		return err
	}
	for i, v := range x {
		dst[i] = math.RoundToEven(max(-limit, min(limit, v))/step)*step + 0 // and never −0
	}
	return nil
}

// Predict sets dst to the prediction for x. After N examples, with the shares q_c of the classes and the log
// densities s_c of the class Gaussians, P_c = (N π_c + 1/classes)/(N + 1) with π_c ∝ q_c exp(τ s_c): equal at
// first, and 1/classes/(N + 1) for a class without examples. The logits are log P with variance 0, and Cov is
// 0, as the layer has no distribution of the probabilities. A wrong length or a number not finite is an
// error.
func (l *Layer) Predict(dst *bnn.Prediction, x []float64) error {
	return l.predict(dst, x, 0, false)
}

// PredictAll is Predict for several inputs, faster, as they share passes over the covariances. After an error
// all predictions are NaN.
func (l *Layer) PredictAll(dst []bnn.Prediction, x [][]float64) (err error) {
	all, p := make([]labelled, len(x)), matrix(len(x), l.cfg.Classes)
	for i, x := range x {
		all[i].x = make([]float64, l.cfg.Inputs)
		err = cmp.Or(err, l.round(all[i].x, x))
	}
	if err == nil {
		p = l.probabilities(all, false)
	}
	for i, p := range p {
		l.fill(&dst[i], p, err)
	}
	return err
}

// PredictLeftOut implements [bnn.LeftOut]: it predicts a learned example as if it had not been learned,
// except that λ, ν, τ and the Gaussians on the outputs of a ridge regression stay.
func (l *Layer) PredictLeftOut(dst *bnn.Prediction, x []float64, class int) error {
	return l.predict(dst, x, class, true)
}

func (l *Layer) predict(dst *bnn.Prediction, x []float64, class int, left bool) error {
	e, p := labelled{x: make([]float64, l.cfg.Inputs), class: class}, make([]float64, l.cfg.Classes)
	err := cmp.Or(field.Class(class, l.cfg.Classes), l.round(e.x, x))
	if err == nil {
		p = l.probabilities([]labelled{e}, left)[0]
	}
	l.fill(dst, p, err)
	return err
}

func (l *Layer) probabilities(all []labelled, left bool) [][]float64 {
	total, p := l.examples(), matrix(len(all), l.cfg.Classes)
	if left {
		total--
	}
	if total < 1 {
		for _, p := range p {
			blend(p, 0)
		}
		return p
	}
	s, onInputs := l.solve(false), l.cfg.Kind == Gaussian
	if left && s.ridge != nil && s.ridge.dual != nil {
		for i, e := range all {
			e.hash = hash(e.x)
			k, _ := slices.BinarySearchFunc(s.kept, e, order)
			all[i].place = min(k, len(s.kept)-1)
		}
	}
	if !onInputs {
		all = withInputs(all, s.ridge.outputs(all, left))
	}
	for i, density := range s.classes.densities(all, left && onInputs) {
		if class := all[i].class; left && l.counts[class] <= 1 {
			density[class] = math.Inf(-1)
		}
		s.classes.softmax(p[i], density)
		blend(p[i], total)
	}
	return p
}

func blend(p []float64, n int) {
	for c := range p {
		if n == 0 {
			p[c] = 0
		}
		p[c] = (float64(float64(n)*p[c]) + 1/float64(len(p))) / float64(n+1)
	}
}

func (l *Layer) fill(dst *bnn.Prediction, p []float64, err error) {
	n := l.cfg.Classes
	if err != nil {
		p = slices.Repeat([]float64{math.NaN()}, n)
	}
	if len(dst.P) != n || dst.Layers != nil || dst.Members != nil {
		m := softmax.NewMoments(n)
		*dst = bnn.Prediction{
			P: m.P, Cov: mat.NewSymDense(n, nil), Mean: make([]float64, n), Variance: make([]float64, n), Moments: m,
		}
	}
	copy(dst.P, p)
	for i, p := range dst.P {
		dst.Mean[i], dst.Variance[i] = kernel.Log(p), float64(0*p)
		for j, q := range dst.P {
			dst.Cov.SetSym(i, j, float64(0*p))
			dst.Moments.E.Set(i, j, float64(p*q))
		}
		dst.Moments.E.Set(i, i, float64(0*p))
	}
}
