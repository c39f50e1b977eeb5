package bnn

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// Bank is a mixture whose members are weighted by how they predicted each example before they learned
// it: a choice of settings in one pass over the examples, without a validation set.
//
// Its probabilities are calibrated by the same predictions: p becomes the mean of the p^τ/Σp^τ with
// τ = 0.7, 0.85, 1, 1.2, 1.5 and 2, each weighted by the probability that it gave to the classes so far
// (temperature scaling: Guo et al., "On calibration of modern neural networks", 2017). A mean of
// distributions is less certain than is right where each of them is calibrated (Ranjan and Gneiting,
// "Combining probability forecasts", 2010).
//
// A member whose Observe returns an error counts as one that gave the class the probability zero, and has
// not learned the example. If all members do, the weights stay, and Observe returns the error of the last.
type Bank struct {
	mixture
	state  BankState
	shares [][4]int             // the members that each mixture is the mean of
	powers [len(powers)]float64 // weights of the powers τ
	p      []float64            // probabilities of the class but for a factor
	before Prediction           // of the example that Observe learns
}

// NewBank returns the bank of the members, 64 at most, with equal weights before the first example. The
// members belong to the bank from now on. The error is that of [Combine], or says that a member, such as an
// output layer, does not report Update.LogP.
func NewBank(members ...Model) (*Bank, error) { return RestoreBank(BankState{}, members...) }

// RestoreBank returns the bank of the members, see [NewBank], with the weights of a [Bank.State].
func RestoreBank(s BankState, members ...Model) (*Bank, error) {
	m, err := newMixture(members)
	if err != nil {
		return nil, err
	}
	for k, member := range members {
		if len(member.Members()) == 0 {
			return nil, fmt.Errorf("bnn: member %d does not report the probability of the class; need networks", k)
		}
	}
	b := &Bank{mixture: m, p: make([]float64, len(members))}
	if err := b.restore(s); err != nil {
		return nil, err
	}
	return b, nil
}

// NewDefaultBank returns a bank of variants of a configuration, such as that of [Default]. Three
// networks have the prior variances of cfg times 1 in hidden layers and 3 in the output layer, times
// 0.1 and 10, and times 0.1 and 0.3; without hidden layers there are none of these. Three networks have
// no hidden layers and prior variances times 1, 0.1 and 0.001, relative to the default without hidden
// layers if those of cfg are the default. The bank takes about three times as long as one network. The
// prior means are drawn as for [NewEnsemble]; core/README.md says how the members were chosen. An error
// names the field of cfg.
func NewDefaultBank(cfg Config, src rand.Source) (*Bank, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("bnn: %w", err)
	}
	last, linear := len(cfg.PriorVar)-1, cfg.linear()
	var all []Config
	for _, factor := range []struct{ hidden, output float64 }{{1, 3}, {0.1, 10}, {0.1, 0.3}} {
		if last > 0 {
			c := cfg.clone()
			floats.Scale(factor.hidden, c.PriorVar[:last])
			c.PriorVar[last] *= factor.output
			all = append(all, c)
		}
	}
	for _, factor := range []float64{1, 0.1, 0.001} {
		c := linear.clone()
		c.PriorVar[0] *= factor
		all = append(all, c)
	}
	members, err := newMembers(src, all)
	if err != nil {
		return nil, err
	}
	return NewBank(models(members)...)
}

// linear returns the configuration without the hidden layers, if there are any. The ratio of
// the prior variance of output weights to their default stays.
func (c Config) linear() Config {
	last := len(c.PriorVar) - 1
	if last == 0 {
		return c
	}
	standard := c.clone()
	standard.SetCovariance(c.Covariance...)
	ratio := c.PriorVar[last] / standard.PriorVar[last]
	d := Default(c.Layers[0], c.classes())
	c.Layers = d.Layers
	c.SetCovariance(d.Covariance...)
	c.PriorVar[0] *= ratio
	return c
}

// Fix leaves the weights as they are from now on, for a second pass over the same examples.
func (b *Bank) Fix() { b.state.Fixed = true }

// Observe updates all members, and weights them by the probability that each gave the class before.
// An input of the wrong length or that is not finite, or a class out of range, is an error that
// leaves the bank unchanged. The update is as for [Ensemble.Observe], over the members that learned
// the example; its LogP is of the mixture before calibration.
func (b *Bank) Observe(x []float64, class int) (Update, error) {
	if err := checkExample(b, x, class); err != nil {
		return Update{Action: Refused}, err
	}
	if b.judges() && b.mean(&b.before, x, Model.Before) == nil {
		b.judge(b.before.P, class)
	}
	b.x, b.class = x, class
	b.each((*mixture).observe)
	if !slices.Contains(b.errs, nil) {
		last := len(b.errs) - 1
		return Update{Action: Refused}, fmt.Errorf("member %d: %w", last, b.errs[last])
	}
	u := b.update()
	b.weigh(b.logP)
	return u, nil
}

// Predict sets dst to the prediction of the mixture for x, see [Ensemble.Predict], with means
// weighted by dst.Weights. dst.P is the distribution of the label, which adds up to 1: the mean of those
// of the members, calibrated. dst.Moments and dst.Cov are those of the mixture before. A member that
// cannot predict x has weight zero in this prediction alone. Predict returns an error if none can
// predict x.
func (b *Bank) Predict(dst *Prediction, x []float64) error {
	err := b.mean(dst, x, Model.Predict)
	b.temper(dst.P)
	return err
}

// Before implements [Model]: it is Predict, by the Before of the members.
func (b *Bank) Before(dst *Prediction, x []float64) error {
	err := b.mean(dst, x, Model.Before)
	b.temper(dst.P)
	return err
}

// mean is Predict before calibration, by a method of the members.
func (b *Bank) mean(dst *Prediction, x []float64, by func(Model, *Prediction, []float64) error) error {
	err := b.predict(dst, x, by)
	if !dst.label {
		dst.P, dst.label = slices.Clone(dst.P), true
	}
	left := kernel.Sum(dst.Weights)
	if left == 0 {
		dst.invalidate()
		return err
	}
	if err != nil {
		for k := range dst.Weights {
			dst.Weights[k] /= left
		}
	}
	dst.mix()
	clear(dst.P)
	for k, w := range dst.Weights { // Σ_k w_k p_k/Σp_k
		if m := &dst.Members[k]; w > 0 {
			sum := m.Sum()
			for j, pj := range m.P {
				dst.P[j] += float64(w * (pj / sum))
			}
		}
	}
	return nil
}
