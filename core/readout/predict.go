package readout

import (
	"cmp"
	"math"
	"slices"

	"closedform/core/bnn"
	"closedform/internal/kernel"
)

// solution has the models that are fitted to all examples.
type solution struct {
	moments     *moments
	sample      sample       // the kept examples
	ridge       *ridge       // nil for kind Gaussian, unless complete
	classes     *gaussians   // Gaussians on the inputs; for Ridge, on the outputs of the regression
	familiarity *familiarity // nil unless complete
}

// solve fits what is needed for predictions, and if complete for the familiarity.
func (l *Layer) solve(complete bool) solution {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, onInputs := &l.solved, l.cfg.Kind == Gaussian
	if s.moments == nil {
		s.moments, s.sample = l.totals.moments(), newSample(slices.Concat(l.kept...), l.totals.counts)
		if often := copies(s.sample.examples); often > 1 {
			s.moments, s.sample = s.moments.divided(often), s.sample.divided(often)
		}
		if onInputs {
			s.classes, _ = fitGaussians(s.moments, s.sample, false)
		}
	}
	if s.ridge == nil && (complete || !onInputs) {
		s.ridge = fitRidge(s.moments, s.sample)
	}
	if !onInputs {
		s.classes = s.ridge.classes
	}
	if s.familiarity == nil && complete {
		s.familiarity = newFamiliarity(l.cfg.Kind, s.moments, s.sample, s.ridge)
	}
	return *s
}

// Predict sets dst to the prediction for x. After N examples, with the shares q_c of the classes and the log
// densities s_c of the class Gaussians, P_c = (N π_c + 1/classes)/(N + 1) with π_c ∝ q_c exp(τ s_c): equal at
// first, and 1/classes/(N + 1) for a class without examples. The logits are log P with variance 0, and Cov is
// 0, as the layer has no distribution of the probabilities. A wrong length, or a number that is not finite,
// is an error.
//
// With Config.Sequential the prediction is that of the recursion, without a solution, and not safe for
// concurrent use.
func (l *Layer) Predict(dst *bnn.Prediction, x []float64) error {
	if l.sequence == nil {
		return l.predict(dst, x, 0, false)
	}
	var p []float64
	err := l.check(x, 0)
	if err == nil {
		round(l.rounded, x)
		l.sequence.predict(l.rounded, l.totals.examples())
		p = l.sequence.prob
	}
	l.fill(dst, p)
	return err
}

// Snapshot implements [bnn.Model] by a *Layer without the recursion. Its first prediction solves a system.
func (l *Layer) Snapshot() bnn.Predictor {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &Layer{cfg: l.cfg, totals: l.totals.clone(), kept: slices.Clone(l.kept), limited: l.limited}
	s.cfg.Sequential = false
	for c, list := range s.kept {
		s.kept[c] = slices.Clone(list)
	}
	return s
}

// PredictLeftOut implements [bnn.LeftOut]: it predicts a learned example as if it had not been learned,
// except that λ, ν, τ and the Gaussians on the outputs of a ridge regression stay.
func (l *Layer) PredictLeftOut(dst *bnn.Prediction, x []float64, class int) error {
	return l.predict(dst, x, class, true)
}

func (l *Layer) predict(dst *bnn.Prediction, x []float64, class int, left bool) error {
	var p []float64
	e, err := l.example(x, class)
	if err == nil {
		p = l.probabilities([]example{e}, left)[0]
	}
	l.fill(dst, p)
	return err
}

// PredictAll predicts several inputs by the solution. It is faster than the Predict of a snapshot for each, as
// the inputs share passes over the covariances. After an error all predictions are NaN.
func (l *Layer) PredictAll(dst []bnn.Prediction, x [][]float64) (err error) {
	examples, p := make([]example, len(x)), make([][]float64, len(x))
	for i, x := range x {
		e, wrong := l.example(x, 0)
		examples[i], err = e, cmp.Or(err, wrong)
	}
	if err == nil {
		p = l.probabilities(examples, false)
	}
	for i, p := range p {
		l.fill(&dst[i], p)
	}
	return err
}

func (l *Layer) example(x []float64, class int) (example, error) {
	e, err := example{x: make([]float64, l.cfg.Inputs), class: class}, l.check(x, class)
	if err == nil {
		round(e.x, x)
	}
	return e, err
}

// probabilities returns the P of Predict for each example. With left, learned examples are left out.
func (l *Layer) probabilities(examples []example, left bool) [][]float64 {
	total, p := l.totals.examples(), matrix(len(examples), l.cfg.Classes)
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
	if !onInputs {
		examples = withInputs(examples, s.ridge.outputs(examples, left))
	}
	for i, density := range s.classes.densities(examples, left && onInputs) {
		if class := examples[i].class; left && l.totals.counts[class] <= 1 {
			density[class] = math.Inf(-1)
		}
		s.classes.softmax(p[i], density)
		blend(p[i], total)
	}
	return p
}

// blend replaces the probabilities π after n examples by (nπ + 1/classes)/(n + 1).
func blend(p []float64, n int) {
	for c := range p {
		if n == 0 {
			p[c] = 0
		}
		p[c] = (float64(float64(n)*p[c]) + 1/float64(len(p))) / float64(n+1)
	}
}

// fill sets dst to a prediction of the probabilities p, or to NaN if p is nil.
func (l *Layer) fill(dst *bnn.Prediction, p []float64) {
	n := l.cfg.Classes
	if p == nil {
		p = slices.Repeat([]float64{math.NaN()}, n)
	}
	if dst.Fit(l, n) {
		dst.Mean, dst.Variance = make([]float64, n), make([]float64, n)
	}
	copy(dst.P, p)
	for i, p := range dst.P {
		dst.Mean[i], dst.Variance[i] = kernel.Log(p), float64(0*p)
		if dst.Brief {
			continue
		}
		for j, q := range dst.P {
			if dst.Cov != nil {
				dst.Cov.SetSym(i, j, float64(0*p))
			}
			dst.Moments.E.Set(i, j, float64(p*q))
		}
		dst.Moments.E.Set(i, i, float64(0*p))
	}
}

func matrix(rows, columns int) [][]float64 {
	return slices.Collect(slices.Chunk(make([]float64, rows*columns), columns))
}
