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
// settings in one pass, without a validation set. As long as the classes seem to come in a random order, a
// member is weighted by how it predicted each example before it learned it, see [BankState]. Otherwise, as
// when one class follows another, by how it predicts a random sample of all examples now, see [Order].
//
// The same predictions calibrate the probabilities: p becomes the mean of the p^τ/Σp^τ with τ = 0.7, 0.85, 1,
// 1.2, 1.5 and 2, each weighted by the probability that it gave to the classes (temperature scaling: Guo et
// al., "On calibration of modern neural networks", 2017). A mean of distributions is less certain than is
// right where each of them is calibrated (Ranjan and Gneiting, "Combining probability forecasts", 2010).
//
// A member whose Observe returns an error, or no LogP, counts as one that gave the class the probability
// zero. If all return an error nothing changes, and Observe returns that of the first.
//
// Predict, Weights and State may be called by several goroutines at once, each with its own prediction; the
// other methods need the bank for themselves. At the first Predict after an example all networks predict the
// sample.
type Bank struct {
	models   []Model
	equal    bool // an ensemble: the weights stay, and all members learn an example or none
	parallel bool // the members learn side by side
	state    BankState
	along    *weighing // by the predictions along the stream

	mu     sync.Mutex
	judged *weighing // what Predict uses; nil: not known since the last example

	// Scratch space of Observe: the example, and what the members say of it.
	x          []float64
	class      int
	calibrates bool // the example changes the weights of the powers
	before     Prediction
	updates    []Update
	errs       []error
	logP       []float64
}

// NewBank returns the bank of the members, with equal weights before the first example. The members belong to
// the bank from now on. It returns an error if there are none or more than 16, if they differ in the number
// of inputs or classes, or if one occurs twice.
func NewBank(members ...Model) (*Bank, error) { return RestoreBank(BankState{}, members...) }

// RestoreBank returns the bank of the members, see [NewBank], with the weights of a [Bank.State].
func RestoreBank(s BankState, members ...Model) (*Bank, error) {
	b, err := newBank(members)
	if err == nil {
		err = b.restore(s)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Fix leaves the weights as they are from now on, for a second pass over the same examples.
func (b *Bank) Fix() { b.along, b.state.Fixed = b.current(), true }

// Serial has the members learn one after another in the goroutine of the caller: for programs that use all
// processors anyway. Otherwise large members learn side by side. The numbers are the same.
func (b *Bank) Serial() { b.parallel = false }

// Forget has the past count less: before each example the logarithms of the weights are multiplied by
// 1 − fraction, and the order of the classes is not judged. It is for streams whose distribution changes for
// good, with [Network.AddProcessNoise] for the members. The default is 0. Unless 0 ≤ fraction ≤ 1 it returns
// an error and changes nothing.
func (b *Bank) Forget(fraction float64) error {
	if !(0 <= fraction && fraction <= 1) {
		return fmt.Errorf("bnn: forgetting of %g: need 0 to 1", fraction)
	}
	b.state.Forgetting, b.judged = fraction, nil
	return nil
}

// Observe updates all members, and weights them by the probability that each gave the class before. An input
// of the wrong length or that is not finite, or a class out of range, is an error that changes nothing.
//
// LogP of the update is the logarithm of the probability of the mixture before calibration. MinEigenvalue and
// MinVariance are the smallest of the members that learned the example and have one, Floored and Capped are
// sums, and Indefinite and Action are those of the worst.
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
	if b.calibrates && floats.Equal(b.before.Weights, b.along.members) { // all have predicted it
		b.before.average()
		b.along.judge(b.before.P, class, 1)
	}
	b.weigh(b.logP)
	return u, nil
}

// learn has a member learn the example; in an ensemble move applies the step.
func (b *Bank) learn(k int) {
	if b.calibrates {
		_ = b.member(&b.before, k, b.x, before)
	}
	if b.equal {
		b.updates[k], b.errs[k] = b.models[k].(*Network).prepare(b.x, b.class)
	} else {
		b.updates[k], b.errs[k] = b.models[k].Observe(b.x, b.class)
	}
}

func (b *Bank) move(k int) {
	if b.updates[k].Action != Skipped {
		b.models[k].(*Network).move()
	}
}

// Predict sets dst to the prediction for x. dst.Members are those of the members, and dst.Weights their
// weights. The moments E[s_j s_i] are the weighted means of the members', so that by the law of total
// variance Cov is the mean of their covariances plus the covariance of their probabilities; Mean and Variance
// are those of the logits of the mixture. dst.P is the distribution of the label, which adds up to 1: the
// mean of those of the members, calibrated; for an [Ensemble] it is dst.Moments.P.
//
// A member that cannot predict x has weight zero in this prediction alone. Predict returns an error if none
// can, or in an ensemble not all.
func (b *Bank) Predict(dst *Prediction, x []float64) error {
	return b.predict(dst, x, b.current(), Model.Predict)
}

// Before implements [Sequential], by that of the members, with the weights along the stream.
func (b *Bank) Before(dst *Prediction, x []float64) error { return b.predict(dst, x, b.along, before) }

func before(m Model, dst *Prediction, x []float64) error {
	if s, ok := m.(Sequential); ok {
		return s.Before(dst, x)
	}
	return m.Predict(dst, x)
}

// predictor is a method of a model.
type predictor func(m Model, dst *Prediction, x []float64) error

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
		if err := b.member(dst, k, x, by); err != nil {
			failed = b.named(k, err)
		}
	}
	left := kernel.Sum(dst.Weights)
	if left == 0 || b.equal && failed != nil {
		dst.invalidate()
		return cmp.Or(err, failed)
	}
	for k := range dst.Weights {
		if failed != nil {
			dst.Weights[k] /= left
		}
	}
	if dst.mix(); !b.equal {
		dst.average()
		w.temper(dst.P)
	}
	return nil
}

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

// member predicts by member k if it has a weight, which becomes 0 after an error.
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
