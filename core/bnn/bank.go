package bnn

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// Bank is a mixture of models that learn the same examples, weighted by how they predicted: a choice of
// settings in one pass over the examples, without a validation set. Members may be networks, output layers
// and other banks. Large members learn side by side, on all processors.
//
// As long as the classes seem to come in a random order, a member is weighted by how it predicted each
// example before it learned it. Otherwise, as when one class follows another, what counts is how it predicts
// a random sample of all examples now: see [Order].
//
// Its probabilities are calibrated by the same predictions: p becomes the mean of the p^τ/Σp^τ with
// τ = 0.7, 0.85, 1, 1.2, 1.5 and 2, each weighted by the probability that it gave to the classes so far
// (temperature scaling: Guo et al., "On calibration of modern neural networks", 2017). A mean of
// distributions is less certain than is right where each of them is calibrated (Ranjan and Gneiting,
// "Combining probability forecasts", 2010).
//
// A member whose Observe returns an error counts as one that gave the class the probability zero, and has
// not learned the example. If all members do, nothing changes, and Observe returns the error of the first.
//
// Predict, Weights and State may be called by several goroutines at once, each with its own prediction; the
// other methods need the bank for themselves. The first Predict after an example judges the order, for which
// all networks predict the sample.
type Bank struct {
	models   []Model
	equal    bool // the weights are equal and stay: an ensemble
	parallel bool // each model learns in a goroutine
	state    BankState
	along    *weighing // by the predictions along the stream

	mu     sync.Mutex
	judged *weighing // what Predict uses; nil: not known since the last example

	// Scratch space of Observe: the example, and what each model reports.
	x          []float64
	class      int
	calibrates bool // the example changes the weights of the powers
	before     Prediction
	updates    []Update
	errs       []error
	logP       []float64
}

// NewBank returns the bank of the members, with equal weights before the first example. The members belong to
// the bank from now on. It returns an error if there are none or more than 16, if they differ in the number of
// inputs or classes, or if a network occurs twice.
func NewBank(members ...Model) (*Bank, error) { return RestoreBank(BankState{}, members...) }

// RestoreBank returns the bank of the members, see [NewBank], with the weights of a [Bank.State].
func RestoreBank(s BankState, members ...Model) (*Bank, error) {
	b, err := newBank(members)
	if err != nil {
		return nil, err
	}
	if err := b.restore(s); err != nil {
		return nil, err
	}
	return b, nil
}

// Fix leaves the weights as they are from now on, for a second pass over the same examples.
func (b *Bank) Fix() {
	w := b.current()
	b.along, b.state.Fixed = w, true
}

// Forget has the past count less: before each example the logarithms of the weights are multiplied by
// 1 − fraction, and the order of the classes is not judged. It is for streams whose distribution changes for
// good, with [Network.AddProcessNoise] for the members; a fraction of 0, the default, forgets nothing. Unless
// 0 ≤ fraction ≤ 1 it returns an error and changes nothing.
func (b *Bank) Forget(fraction float64) error {
	if !(0 <= fraction && fraction <= 1) {
		return fmt.Errorf("bnn: forgetting of %g: need 0 to 1", fraction)
	}
	b.state.Forgetting, b.judged = fraction, nil
	return nil
}

// Observe updates all members, and weights them by the probability that each gave the class before.
// An input of the wrong length or that is not finite, or a class out of range, is an error that
// leaves the bank unchanged.
//
// LogP of the update is the logarithm of the probability of the mixture before calibration, and 0 is the
// probability of members that failed. MinEigenvalue and MinVariance are the smallest of the members that
// learned the example and have one, Floored is the sum, Indefinite is true if it is for any of them, and
// Action is Projected or Skipped if it is for any of them.
func (b *Bank) Observe(x []float64, class int) (Update, error) {
	if err := checkExample(b, x, class); err != nil {
		return Update{Action: Refused}, err
	}
	b.x, b.class, b.calibrates = x, class, b.calibrating()
	if b.calibrates {
		b.allocate(&b.before, b.along)
	}
	b.each((*Bank).learn)
	failed := slices.IndexFunc(b.errs, func(err error) bool { return err != nil })
	if failed >= 0 && (b.equal || !slices.Contains(b.errs, nil)) {
		return b.updates[failed], b.named(failed, b.errs[failed])
	}
	if b.judged = nil; b.equal {
		b.each((*Bank).move)
		return b.update(), nil
	}
	u := b.update()
	if b.calibrates && floats.Equal(b.before.Weights, b.along.members) { // all predicted it
		b.before.average()
		b.along.judge(b.before.P, class, 1)
	}
	b.weigh(b.logP)
	return u, nil
}

// learn has a member learn the example. In an ensemble, whose members are networks, it computes the step of
// the member, and move applies it.
func (b *Bank) learn(k int) {
	if b.calibrates {
		_ = b.member(&b.before, k, b.x, before)
	}
	if !b.equal {
		b.updates[k], b.errs[k] = b.models[k].Observe(b.x, b.class)
		return
	}
	b.updates[k], b.errs[k] = b.models[k].(*Network).prepare(b.x, b.class)
}

func (b *Bank) move(k int) {
	if b.updates[k].Action != Skipped {
		b.models[k].(*Network).move()
	}
}

// Predict sets dst to the prediction for x. dst.Members are the predictions of the members, and dst.Weights
// their weights. The moments E[s_j s_i] are the weighted means of the members', so that by the law of total
// variance Cov is the mean of their covariances plus the covariance of their probabilities; Mean and Variance
// are those of the logits of the mixture.
//
// dst.P is the distribution of the label, which adds up to 1: the mean of those of the members, calibrated.
// dst.Moments and dst.Cov are those of before. A member that cannot predict x has weight zero in this
// prediction alone. Predict returns an error if none can predict x.
//
// P of an [Ensemble] is dst.Moments.P, not calibrated, and an error of a member is one of the ensemble.
func (b *Bank) Predict(dst *Prediction, x []float64) error {
	return b.predict(dst, x, b.current(), Model.Predict)
}

// Before implements [Sequential], by that of the members, with the weights along the stream.
func (b *Bank) Before(dst *Prediction, x []float64) error { return b.predict(dst, x, b.along, before) }

// before predicts an example that is learned next.
func before(m Model, dst *Prediction, x []float64) error {
	if s, ok := m.(Sequential); ok {
		return s.Before(dst, x)
	}
	return m.Predict(dst, x)
}

// predict sets dst to the prediction with some weights, by a method of the members.
func (b *Bank) predict(dst *Prediction, x []float64, w *weighing, by predictor) error {
	if b.equal && len(b.models) == 1 {
		return by(b.models[0], dst, x)
	}
	b.allocate(dst, w)
	err := checkInput(b, x)
	if err != nil {
		clear(dst.Weights)
	}
	var failed error
	for k := range b.models {
		if e := b.member(dst, k, x, by); e != nil {
			failed = b.named(k, e)
		}
	}
	left := kernel.Sum(dst.Weights)
	if left == 0 || b.equal && failed != nil {
		dst.invalidate()
		return cmp.Or(err, failed)
	}
	if failed != nil {
		for k := range dst.Weights {
			dst.Weights[k] /= left
		}
	}
	if dst.mix(); !b.equal {
		dst.average()
		w.temper(dst.P)
	}
	return nil
}

// predictor is a way to predict by a model.
type predictor func(m Model, dst *Prediction, x []float64) error

// allocate makes memory for predictions of the bank, and sets dst.Weights.
func (b *Bank) allocate(dst *Prediction, w *weighing) {
	if _, classes := b.Shape(); !dst.fits(b, classes) {
		*dst = newPrediction(b, classes)
		dst.Mean, dst.Variance = make([]float64, classes), make([]float64, classes)
		dst.Members, dst.Weights = make([]Prediction, len(b.models)), make([]float64, len(b.models))
		if !b.equal {
			dst.P, dst.label = make([]float64, classes), true
		}
	}
	copy(dst.Weights, w.members)
}

// member predicts by member k if it has a weight, which is 0 after an error.
func (b *Bank) member(dst *Prediction, k int, x []float64, by predictor) error {
	if dst.Weights[k] == 0 {
		dst.Members[k].invalidate()
		return nil
	}
	err := by(b.models[k], &dst.Members[k], x)
	if err != nil {
		dst.Weights[k] = 0
	}
	return err
}

// named returns the error of a member with its number, if there are others.
func (b *Bank) named(k int, err error) error {
	if len(b.models) == 1 {
		return err
	}
	return fmt.Errorf("member %d: %w", k, err)
}
