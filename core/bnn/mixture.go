package bnn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// Observe updates all members, and weights them by the probability that each gave the class before. LogP is
// that of the mixture before calibration. Floored and Capped are sums over the members that learned the
// example, Indefinite and Action are those of the worst member, MinEigenvalue and MinVariance are NaN.
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
	b.judged = nil
	u := b.update()
	if b.equal {
		b.each((*Bank).move)
		return u, nil
	}
	if b.calibrates && floats.Equal(b.before.Weights, b.along.members) { // all have predicted it
		b.before.average()
		b.along.judge(b.before.P, class, 1)
	}
	b.weigh()
	return u, nil
}

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

func (b *Bank) update() Update {
	sum := Update{MinEigenvalue: math.NaN(), MinVariance: math.NaN()}
	for k, u := range b.updates {
		if b.errs[k] != nil {
			b.logP[k] = math.Inf(-1)
			continue
		}
		b.logP[k] = atLeast(u.LogP, math.Inf(-1)) // which is NaN if it is not known
		sum.Indefinite = sum.Indefinite || u.Indefinite
		sum.Floored += u.Floored
		sum.Capped += u.Capped
		sum.Action = max(sum.Action, u.Action)
	}
	top, p := max(slices.Max(b.logP), smallest), 0.0
	for k, w := range b.along.members {
		p += w * kernel.Exp(b.logP[k]-top)
	}
	sum.LogP = top + kernel.Log(p)
	return sum
}

func (b *Bank) each(do func(b *Bank, k int)) {
	if b.parallel {
		last := len(b.models) - 1 // a layer, as a rule, which takes longest: first
		linalg.Parallel(last+1, func(k int) { do(b, last-k) })
		return
	}
	for k := range b.models {
		do(b, k)
	}
}

// Predict sets dst to the prediction for x. E[s_j s_i] are the weighted means of the members', so that, by
// the law of total variance, Cov is the mean of their covariances plus the covariance of their probabilities.
// Mean and Variance are those of the logits of the mixture. P is the distribution of the label: the mean of
// the members' distributions, calibrated; for an [Ensemble] it is Moments.P. A member that cannot predict x
// has weight zero. It is an error if no member can, or in an ensemble if one cannot. The first prediction
// after an example predicts the sample.
func (b *Bank) Predict(dst *Prediction, x []float64) error {
	return b.predict(dst, x, b.current(), Model.Predict)
}

// Before implements [Sequential] by the members' Before, with the weights along the stream.
func (b *Bank) Before(dst *Prediction, x []float64) error { return b.predict(dst, x, b.along, before) }

type predictor func(m Model, dst *Prediction, x []float64) error

func before(m Model, dst *Prediction, x []float64) error {
	if s, ok := m.(Sequential); ok {
		return s.Before(dst, x)
	}
	return m.Predict(dst, x)
}

func (b *Bank) predict(dst *Prediction, x []float64, w *weighing, by predictor) error {
	if b.equal && len(b.models) == 1 {
		return by(b.models[0], dst, x)
	}
	failed := checkExample(b, x, 0)
	if b.allocate(dst, w); failed != nil {
		clear(dst.Weights)
	}
	for k := range b.models {
		if err := b.member(dst, k, x, by); err != nil {
			failed = b.named(k, err)
		}
	}
	left := kernel.Sum(dst.Weights)
	if left == 0 || b.equal && failed != nil {
		dst.invalidate()
		return failed
	}
	if failed != nil {
		floats.Scale(1/left, dst.Weights)
	}
	if dst.mix(); !b.equal {
		dst.average()
		w.temper(dst.P)
	}
	return nil
}

func (b *Bank) allocate(dst *Prediction, w *weighing) {
	if _, classes := b.Shape(); dst.fit(b, classes) {
		dst.Mean, dst.Variance = make([]float64, classes), make([]float64, classes)
		dst.Members, dst.Weights = make([]Prediction, len(b.models)), make([]float64, len(b.models))
		if !b.equal {
			dst.P = make([]float64, classes)
		}
	}
	copy(dst.Weights, w.members)
}

// member predicts with member k if its weight is not zero, and sets the weight to zero after an error.
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

func (b *Bank) named(k int, err error) error {
	if len(b.models) == 1 {
		return err
	}
	return fmt.Errorf("member %d: %w", k, err)
}

func (p *Prediction) mix() {
	p.Moments.Zero()
	clear(p.Mean)
	clear(p.Variance)
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			p.Moments.AddScaled(w, m.Moments)
			floats.AddScaled(p.Mean, w, m.Mean)
			floats.AddScaled(p.Variance, w, m.Variance)
		}
	}
	p.Moments.Cov(p.Cov)
	for k, w := range p.Weights {
		for j, mean := range p.Members[k].Mean {
			if d := mean - p.Mean[j]; w > 0 {
				p.Variance[j] += w * d * d
			}
		}
	}
}

// average sets P to Σ_k w_k p_k/Σp_k over the members.
func (p *Prediction) average() {
	clear(p.P)
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			sum := m.Sum()
			for j, pj := range m.P {
				p.P[j] += float64(w * (pj / sum))
			}
		}
	}
}
