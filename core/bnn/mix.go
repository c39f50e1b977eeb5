package bnn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// SameShape returns an error unless the models can be the members of a mixture: one or more, distinct, with
// the same numbers of inputs and of classes.
func SameShape[M interface {
	comparable
	Model
}](models []M,
) error {
	if len(models) == 0 {
		return errors.New("no members")
	}
	inputs, classes := models[0].Shape()
	for k, m := range models {
		if in, out := m.Shape(); in != inputs || out != classes {
			return fmt.Errorf("member %d has %d inputs and %d classes, and member 0 %d and %d; need the same",
				k, in, out, inputs, classes)
		}
		if slices.Contains(models[:k], m) {
			return fmt.Errorf("member %d is a member twice", k)
		}
	}
	return nil
}

// MixUpdates returns the update of a mixture whose members have the given weights and updates. LogP is
// log Σ_k w_k p_k, where a member without a LogP (NaN) has p_k = 0. Floored and Capped are sums, Indefinite
// and Action those of the worst member, MinEigenvalue and MinVariance NaN.
func MixUpdates(weights []float64, updates []Update) Update {
	mixed := Update{MinEigenvalue: math.NaN(), MinVariance: math.NaN()}
	top, p := kernel.Log(math.SmallestNonzeroFloat64), 0.0
	for _, u := range updates {
		mixed.Indefinite = mixed.Indefinite || u.Indefinite
		mixed.Floored += u.Floored
		mixed.Capped += u.Capped
		mixed.Action = max(mixed.Action, u.Action)
		if u.LogP > top {
			top = u.LogP
		}
	}
	for k, u := range updates {
		if !math.IsNaN(u.LogP) {
			p += weights[k] * kernel.Exp(u.LogP-top)
		}
	}
	mixed.LogP = top + kernel.Log(p)
	return mixed
}

// Mix sets p to the prediction of the mixture m for x. Its members have the given weights, which add up to 1;
// predict sets dst to the prediction of member k. E[s_j s_i] are the weighted means of the members', so that,
// by the law of total variance, Cov is the mean of their covariances plus the covariance of their
// probabilities. Mean and Variance are those of the logits of the mixture.
//
// A member whose prediction fails has weight zero in p, and the others share its weight. Mix returns the
// error of the last such member. If all members fail, or x is not an input of m, all weights are zero and the
// other numbers NaN.
func (p *Prediction) Mix(m Predictor, x, weights []float64, predict func(k int, dst *Prediction) error) error {
	failed := checkExample(m, x, 0)
	if _, classes := m.Shape(); p.Fit(m, classes) {
		p.Mean, p.Variance = make([]float64, classes), make([]float64, classes)
		p.Members, p.Weights = make([]Prediction, len(weights)), make([]float64, len(weights))
		for k := range p.Members {
			p.Members[k].member, p.Members[k].Brief = true, p.Brief
		}
	}
	if copy(p.Weights, weights); failed != nil {
		clear(p.Weights)
	}
	for k, w := range p.Weights {
		if w == 0 {
			p.Members[k].invalidate()
		} else if err := predict(k, &p.Members[k]); err != nil {
			p.Weights[k], failed = 0, memberError(k, len(weights), err)
		}
	}
	rest := kernel.Sum(p.Weights)
	if rest == 0 {
		p.invalidate()
		return failed
	}
	if failed != nil {
		floats.Scale(1/rest, p.Weights)
	}
	p.mixMoments()
	return failed
}

func (p *Prediction) mixMoments() {
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
	p.setCov()
	for k, w := range p.Weights {
		for j, mean := range p.Members[k].Mean {
			if d := mean - p.Mean[j]; w > 0 {
				p.Variance[j] += w * d * d
			}
		}
	}
}

// memberError names one of several members.
func memberError(k, members int, err error) error {
	if members == 1 {
		return err
	}
	return fmt.Errorf("member %d: %w", k, err)
}
