package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// Bank is a mixture of models of any kind with the same inputs and classes that all learn the same
// examples, weighted by how they predicted each example before they learned it: a choice of settings
// in one pass over the examples, without a validation set. It refers to its members.
//
// A member whose Observe returns an error counts as one that gave the class the probability zero, and has
// not learned the example. If all members do, the weights stay, and Observe returns the error of the last.
//
// Predict may be called by several goroutines at once, each with its own prediction; the other methods
// need the bank for themselves.
type Bank struct {
	members []Model
	all     []*Network // of the members
	weights *MixtureWeights
	logP    []float64
	before  Prediction // of the example that Observe is shown
}

// NewBank returns the bank of the members, with equal weights before the first example. The members
// belong to the bank from now on, and report LogP unless all weights are Equal. It returns an error if
// there are none, if they differ in the number of inputs or classes, if a member or a network is there
// twice, or if the weighing is not valid.
func NewBank(w Weighing, members ...Model) (*Bank, error) {
	return RestoreBank(MixtureWeights{Weighing: w, Members: len(members)}, members...)
}

// RestoreBank returns the bank of the members, see [NewBank], with the weights of a
// [Bank.State], which are copied.
func RestoreBank(w MixtureWeights, members ...Model) (*Bank, error) {
	if len(members) != w.Members {
		return nil, fmt.Errorf("bnn: a bank of %d members with weights of %d", len(members), w.Members)
	}
	weights, err := w.restored()
	if err != nil {
		return nil, err
	}
	b := &Bank{members: slices.Clone(members), weights: weights, logP: make([]float64, len(members))}
	for k, m := range members {
		inputs, classes := m.Shape()
		if in, out := b.Shape(); in != inputs || out != classes {
			return nil, fmt.Errorf("bnn: member %d has %d inputs and %d classes, and member 0 %d and %d; need the same", k, inputs, classes, in, out)
		}
		if slices.Contains(members[:k], m) {
			return nil, fmt.Errorf("bnn: member %d is there twice", k)
		}
		for _, n := range m.Members() {
			if slices.Contains(b.all, n) {
				return nil, fmt.Errorf("bnn: a network of member %d is there twice", k)
			}
			b.all = append(b.all, n)
		}
	}
	if w.Weights != Equal {
		b.ReportLogP()
	}
	return b, nil
}

// NewDefaultBank returns a bank of variants of a configuration, such as that of [Default], with the
// weights [Universal] and a temperature. Three networks have the prior variances of cfg times 1 in
// hidden layers and 3 in the output layer, times 0.1 and 10, and times 0.1 and 0.3; without hidden
// layers there are none of these. Three networks have no hidden layers and prior variances times 1,
// 0.1 and 0.001, relative to the default without hidden layers if those of cfg are the default. The
// bank takes about three times as long as one network. The prior means are drawn as for
// [NewEnsemble]; core/README.md says how the members were chosen. An error names the field of cfg.
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
	networks, err := newMembers(src, all)
	if err != nil {
		return nil, err
	}
	members := make([]Model, len(networks))
	for k, n := range networks {
		members[k] = n
	}
	return NewBank(Weighing{Weights: Universal, Temperature: true}, members...)
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
	c.Layers, c.Covariance, c.PriorVar, c.Replications = d.Layers, d.Covariance, d.PriorVar, d.Replications
	c.SetCovariance(c.Covariance...)
	c.PriorVar[0] *= ratio
	return c
}

// Members implements [Model]: the networks of all members. Changing one changes the bank.
func (b *Bank) Members() []*Network { return b.all }

// Shape implements [Model].
func (b *Bank) Shape() (inputs, classes int) { return b.members[0].Shape() }

// ReportLogP implements [Model]: all members report it.
func (b *Bank) ReportLogP() {
	for _, m := range b.members {
		m.ReportLogP()
	}
}

// Models returns the members. Changing one changes the bank.
func (b *Bank) Models() []Model { return b.members }

// Weights returns a copy of the weights of the members.
func (b *Bank) Weights() []float64 { return slices.Clone(b.weights.Values()) }

// Fix leaves the weights as they are from now on, for a second pass over the same examples.
func (b *Bank) Fix() { b.weights.Fixed = true }

// State returns a copy of all that there is to know of the bank but its members.
func (b *Bank) State() MixtureWeights {
	s := *b.weights
	s.Log, s.LogPowers, s.weights = slices.Clone(s.Log), slices.Clone(s.LogPowers), nil
	return s
}

// Observe updates all members, and weights them by the probability that each gave the class before.
// An input of the wrong length or that is not finite, or a class out of range, is an error that
// leaves the bank unchanged. The update is as for [Ensemble.Observe], over the members that learned
// the example; its LogP is of the mixture without a temperature.
func (b *Bank) Observe(x []float64, class int) (Update, error) {
	if err := checkExample(b, x, class); err != nil {
		return Update{Action: Refused}, err
	}
	if b.weights.Judges() {
		if err := b.Before(&b.before, x); err == nil {
			b.before.mixLabels()
			b.weights.Judge(b.before.P, class)
		}
	}
	all, learned, last := noUpdate, 0, error(nil)
	for k, m := range b.members {
		u, err := m.Observe(x, class)
		if err != nil {
			b.logP[k], last = math.Inf(-1), fmt.Errorf("member %d: %w", k, err)
			continue
		}
		b.logP[k] = u.LogP
		all.add(u)
		learned++
	}
	if learned == 0 {
		return Update{Action: Refused}, last
	}
	all.LogP = mixtureLogP(b.weights.Values(), b.logP)
	b.weights.Update(b.logP)
	return all, nil
}

// Predict sets dst to the prediction of the mixture for x, see [Ensemble.Predict], with means
// weighted by dst.Weights. dst.P is the distribution of the label, which adds up to 1: the mean of those
// of the members, changed by a temperature if there is one. dst.Moments and dst.Cov are those of the
// mixture, without temperature. A member that cannot predict x has weight zero in this prediction
// alone. Predict returns an error if none can predict x.
func (b *Bank) Predict(dst *Prediction, x []float64) error { return b.predict(dst, x, Model.Predict) }

// Before implements [Model]: it is Predict, by the Before of the members.
func (b *Bank) Before(dst *Prediction, x []float64) error { return b.predict(dst, x, Model.Before) }

func (b *Bank) predict(dst *Prediction, x []float64, by func(Model, *Prediction, []float64) error) error {
	if _, classes := b.Shape(); !dst.fits(b, classes) {
		dst.allot(b, classes, len(b.members))
		dst.P, dst.label = slices.Clone(dst.P), true
	}
	copy(dst.Weights, b.weights.Values())
	err := checkInput(b, x)
	if err != nil {
		dst.invalidate()
		return err
	}
	left := 0.0
	for k, m := range b.members {
		if dst.Weights[k] == 0 {
			dst.Members[k].invalidate()
		} else if failed := by(m, &dst.Members[k], x); failed != nil {
			dst.Weights[k], err = 0, fmt.Errorf("member %d: %w", k, failed)
		} else {
			left += dst.Weights[k]
		}
	}
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
	dst.mixLabels()
	b.weights.Temper(dst.P)
	return nil
}

// mixLabels sets P to Σ_k w_k p_k/Σp_k, the mean of the members' distributions of the label.
func (p *Prediction) mixLabels() {
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

// mixtureLogP returns the logarithm of the weighted mean of probabilities, given by their
// logarithms. Those of weight zero do not count.
func mixtureLogP(weights, logP []float64) float64 {
	top, sum := math.Inf(-1), 0.0
	for k, w := range weights {
		if w > 0 {
			top = max(top, logP[k])
		}
	}
	if math.IsInf(top, -1) {
		return top
	}
	for k, w := range weights {
		if w > 0 {
			sum += w * kernel.Exp(logP[k]-top)
		}
	}
	return top + kernel.Log(sum)
}
