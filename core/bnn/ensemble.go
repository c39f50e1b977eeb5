package bnn

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/kernel"
)

// Ensemble is networks of one configuration that all learn the same examples: a mixture
// of Gaussian posteriors in place of one, whose members differ by what their prior means
// were drawn from. Of one member it is that network, to the bit. Members learn one after
// another: several ensembles are the work for several cores.
type Ensemble struct {
	members []*Network
	updates []Update // of Observe
}

// NewEnsemble returns the ensemble of the networks, which belong to it from now on. It
// returns an error if there is none, if one is there twice or has another configuration.
func NewEnsemble(members ...*Network) (*Ensemble, error) {
	if len(members) == 0 {
		return nil, errors.New("bnn: an ensemble without members")
	}
	for k, n := range members {
		if slices.Contains(members[:k], n) {
			return nil, fmt.Errorf("bnn: member %d is there twice", k)
		}
		if !reflect.DeepEqual(n.cfg, members[0].cfg) {
			return nil, fmt.Errorf("bnn: member %d has another configuration than member 0", k)
		}
	}
	return &Ensemble{slices.Clone(members), make([]Update, len(members))}, nil
}

// Members returns the networks.
func (e *Ensemble) Members() []*Network { return e.members }

// Observe shows the example to all members, see [Network.Observe]. If one cannot learn it,
// all stay as they were, and the error says which. A member that skips it is passed over.
//
// Of the update LogP is that of the mixture; MinEigenvalue and MinVariance are the least
// of the members', Floored the sum; Indefinite is that of any; Action is Projected or
// Skipped where any member did so.
func (e *Ensemble) Observe(x []float64, class int) (Update, error) {
	for k, n := range e.members {
		var err error
		if e.updates[k], err = n.prepare(x, class); err != nil {
			return e.updates[k], e.of(k, err)
		}
	}
	all := e.updates[0]
	for k, n := range e.members {
		u := &e.updates[k]
		if u.Action != Skipped {
			n.move()
		}
		if k == 0 {
			continue
		}
		all.MinEigenvalue, all.MinVariance = min(all.MinEigenvalue, u.MinEigenvalue), min(all.MinVariance, u.MinVariance)
		all.Indefinite = all.Indefinite || u.Indefinite
		all.Floored += u.Floored
		all.Action = max(all.Action, u.Action)
	}
	all.LogP = e.logP()
	return all, nil
}

// logP returns the logarithm of the mean of the members' probabilities.
func (e *Ensemble) logP() float64 {
	top, sum := math.Inf(-1), 0.0
	for _, u := range e.updates {
		top = max(top, u.LogP)
	}
	if math.IsInf(top, -1) {
		return top
	}
	for _, u := range e.updates {
		sum += kernel.Exp(u.LogP - top)
	}
	return top + kernel.Log(sum/float64(len(e.updates)))
}

// of says of which member an error is, if there are several.
func (e *Ensemble) of(k int, err error) error {
	if len(e.members) == 1 {
		return err
	}
	return fmt.Errorf("member %d: %w", k, err)
}

// AddProcessNoise adds it to all members, see [Network.AddProcessNoise], or after an error
// to none.
func (e *Ensemble) AddProcessNoise(fraction float64) error {
	for k, n := range e.members {
		if err := n.checkNoise(fraction); err != nil {
			return e.of(k, err)
		}
	}
	for _, n := range e.members {
		n.addNoise(fraction)
	}
	return nil
}

// Predict sets dst to the prediction of the mixture for x, and dst.Members to those of the
// members, see [Network.Predict]. P and the moments E[s_j s_i] are the means of the
// members', so that by the law of total variance Cov is the mean of their covariances plus
// the covariance of their probabilities; Mean and Variance are those of the logits of the
// mixture.
func (e *Ensemble) Predict(dst *Prediction, x []float64) error {
	if len(e.members) == 1 {
		return e.members[0].Predict(dst, x)
	}
	if dst.of != e {
		classes := e.members[0].cfg.classes()
		*dst = newPrediction(e, classes)
		dst.Mean, dst.Variance = make([]float64, classes), make([]float64, classes)
		dst.Members = make([]Prediction, len(e.members))
	}
	share := 1 / float64(len(e.members))
	dst.Moments.Zero()
	clear(dst.Mean)
	clear(dst.Variance)
	for k, n := range e.members {
		m := &dst.Members[k]
		if err := n.Predict(m, x); err != nil {
			return e.of(k, err)
		}
		dst.Moments.AddScaled(share, m.Moments)
		floats.AddScaled(dst.Mean, share, m.Mean)
		floats.AddScaled(dst.Variance, share, m.Variance)
	}
	dst.Moments.Cov(dst.Cov)
	for _, m := range dst.Members {
		for j, mean := range m.Mean {
			d := mean - dst.Mean[j]
			dst.Variance[j] += share * d * d
		}
	}
	return nil
}

// MutualInformation returns that of the label and the member, in nats: what the members
// disagree about,
//
//	I = H(p) − Σ_k w_k H(p_k) ≥ 0,
//
// with the entropy H and w_k = 1/K of K members; where the moments of an approximation do not
// add up to one, w_k goes as their sum. It is 0 of a network by itself.
func (p *Prediction) MutualInformation() float64 {
	if len(p.Members) == 0 {
		return 0
	}
	sum := 1 + p.Moments.Excess()
	information := kernel.Entropy(p.P, sum)
	for _, m := range p.Members {
		of := 1 + m.Moments.Excess()
		information -= of / sum / float64(len(p.Members)) * kernel.Entropy(m.P, of)
	}
	return max(0, information) // but for rounding
}
