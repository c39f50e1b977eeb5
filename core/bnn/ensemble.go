package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/core/random"
	"closedform/internal/kernel"
)

// Ensemble is a mixture of networks with equal weights, as a rule of one configuration and with prior means
// that are drawn from different streams. An ensemble of one predicts as the network, to the bit.
type Ensemble struct{ mixture }

// NewEnsemble returns an ensemble of networks with their prior weights. The first member draws its
// prior means from src, as [New] does, and each other one from a stream of its own, whose name is the
// next number of src. It returns an error that names the field if cfg is not valid, and panics if src
// is nil.
func NewEnsemble(cfg Config, members int, src rand.Source) (*Ensemble, error) {
	if members < 1 {
		return nil, fmt.Errorf("bnn: an ensemble of %d networks; need 1 or more", members)
	}
	all, err := newMembers(src, slices.Repeat([]Config{cfg}, members))
	if err != nil {
		return nil, err
	}
	return Combine(all...)
}

// newMembers returns networks with prior weights, which are drawn as for NewEnsemble.
func newMembers(src rand.Source, configs []Config) ([]*Network, error) {
	var name uint64
	all := make([]*Network, len(configs))
	for k, cfg := range configs {
		stream := src
		if k > 0 {
			stream = random.Source("member", name, k)
		}
		n, err := New(cfg, stream)
		if err != nil {
			return nil, err
		}
		if k == 0 && len(configs) > 1 {
			name = src.Uint64()
		}
		all[k] = n
	}
	return all, nil
}

// Combine returns the ensemble of the networks, which belong to it from now on. They may have learned
// the same examples in different orders. It returns an error if there are none, if they differ in the
// number of inputs or classes, or if a network occurs twice.
func Combine(members ...*Network) (*Ensemble, error) {
	m, err := newMixture(models(members))
	if err != nil {
		return nil, err
	}
	return &Ensemble{m}, nil
}

func models(networks []*Network) (all []Model) {
	for _, n := range networks {
		all = append(all, n)
	}
	return all
}

// Observe updates all members by the example. If one of them fails all stay as they were, and the error
// names it.
//
// LogP of the update is the logarithm of the probability of the mixture; MinEigenvalue and MinVariance
// are the smallest of the members, Floored is the sum, Indefinite is true if it is for any member, and
// Action is Projected or Skipped if it is for any member.
func (e *Ensemble) Observe(x []float64, class int) (Update, error) {
	if err := checkExample(e, x, class); err != nil {
		return Update{Action: Refused}, err
	}
	e.x, e.class = x, class
	e.each((*mixture).prepare)
	for k, err := range e.errs {
		if err != nil && len(e.errs) > 1 {
			err = fmt.Errorf("member %d: %w", k, err)
		}
		if err != nil {
			return e.updates[k], err
		}
	}
	e.each((*mixture).move)
	return e.update(), nil
}

// Predict sets dst to the prediction of the mixture for x, and dst.Members to those of the members.
// P and the moments E[s_j s_i] are the means of the members', so that by the law of total variance Cov
// is the mean of their covariances plus the covariance of their probabilities; Mean and Variance are
// those of the logits of the mixture.
func (e *Ensemble) Predict(dst *Prediction, x []float64) error { return e.mean(dst, x, Model.Predict) }

// Before implements [Model]: it is Predict, by the Before of the members.
func (e *Ensemble) Before(dst *Prediction, x []float64) error { return e.mean(dst, x, Model.Before) }

func (e *Ensemble) mean(dst *Prediction, x []float64, by func(Model, *Prediction, []float64) error) error {
	if len(e.models) == 1 {
		return by(e.models[0], dst, x)
	}
	if err := e.predict(dst, x, by); err != nil {
		dst.invalidate()
		return err
	}
	dst.mix()
	return nil
}

// MutualInformation returns the mutual information of the label and the member, in nats:
//
//	I = H(p) − Σ_k w_k H(p_k) ≥ 0,
//
// with the entropy H, the Weights w_k and the probabilities p and p_k of Moments. It measures how much
// the members disagree, and is 0 for a network. Probabilities that do not add up to 1 are divided by
// their sum, and w_k is multiplied by the sum of p_k over the sum of p.
func (p *Prediction) MutualInformation() float64 {
	if !p.valid() {
		return math.NaN()
	}
	if len(p.Members) == 0 {
		return 0
	}
	sum := 1 + p.Moments.Excess()
	information := kernel.Entropy(p.Moments.P, sum)
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			share := 1 + m.Moments.Excess()
			information -= share / sum * w * kernel.Entropy(m.P, share)
		}
	}
	return max(0, information) // but for rounding
}
