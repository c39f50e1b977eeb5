package bnn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/internal/kernel"
)

// Ensemble is a mixture of networks of one configuration that all learn the same examples. Their prior
// means are drawn from different streams. An ensemble of one network predicts as the network, to the
// bit. Large members learn at the same time, on all processors.
//
// Predict may be called by several goroutines at once, each with its own prediction; the other methods
// need the ensemble for themselves.
type Ensemble struct {
	members []*Network
	shares  []float64 // 1/K of each
	atOnce  bool      // whether each member learns in a goroutine of its own

	// Of Observe: the example, and what each member makes of it.
	x       []float64
	class   int
	updates []Update
	errs    []error
	logP    []float64
}

// largeMember is the number of connections of a member from which its work outweighs that of
// handing it to another processor.
const largeMember = 1 << 14

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
// the same examples in different orders. It returns an error if there is no network, or if a network
// is there twice or has another configuration than the first.
func Combine(members ...*Network) (*Ensemble, error) {
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
	k := len(members)
	return &Ensemble{
		members: slices.Clone(members), shares: slices.Repeat([]float64{1 / float64(k)}, k),
		atOnce:  k > 1 && runtime.GOMAXPROCS(0) > 1 && connections(members[0].cfg.Layers) >= largeMember,
		updates: make([]Update, k), errs: make([]error, k), logP: make([]float64, k),
	}, nil
}

func connections(layers []int) (n int) {
	for l, out := range layers[1:] {
		n += out * layers[l]
	}
	return n
}

// Members implements [Model]. Changing a member changes the ensemble.
func (e *Ensemble) Members() []*Network { return e.members }

// Before implements [Model]: it is Predict, by the Before of the members.
func (e *Ensemble) Before(dst *Prediction, x []float64) error {
	return e.predict(dst, x, (*Network).Before)
}

// ReportLogP implements [Model].
func (e *Ensemble) ReportLogP() {}

// Shape implements [Model].
func (e *Ensemble) Shape() (inputs, classes int) { return e.members[0].Shape() }

// Observe updates all members by the example, see [Network.Observe]. If one of them fails, all stay as
// they were, and the error names it.
//
// LogP of the update is the logarithm of the probability of the mixture; MinEigenvalue and MinVariance
// are the smallest of the members, Floored is the sum, Indefinite is true if it is for any member, and
// Action is Projected or Skipped if it is for any member.
func (e *Ensemble) Observe(x []float64, class int) (Update, error) {
	if err := checkExample(e, x, class); err != nil {
		return Update{Action: Refused}, err
	}
	e.x, e.class = x, class
	e.each((*Ensemble).prepare)
	for k, err := range e.errs {
		if err != nil {
			return e.updates[k], e.of(k, err)
		}
	}
	e.each((*Ensemble).move)
	all := noUpdate
	for k, u := range e.updates {
		e.logP[k] = u.LogP
		all.add(u)
	}
	all.LogP = mixtureLogP(e.shares, e.logP)
	return all, nil
}

func (e *Ensemble) prepare(k int) { e.updates[k], e.errs[k] = e.members[k].prepare(e.x, e.class) }

func (e *Ensemble) move(k int) {
	if e.updates[k].Action != Skipped {
		e.members[k].move()
	}
}

// each calls do for every member.
func (e *Ensemble) each(do func(e *Ensemble, k int)) {
	if !e.atOnce {
		for k := range e.members {
			do(e, k)
		}
		return
	}
	var busy sync.WaitGroup
	for k := range e.members {
		busy.Go(func() { do(e, k) })
	}
	busy.Wait()
}

// noUpdate is that of no members.
var noUpdate = Update{MinEigenvalue: math.Inf(1), MinVariance: math.Inf(1)}

// add adds the update of a member.
func (u *Update) add(of Update) {
	u.MinEigenvalue, u.MinVariance = min(u.MinEigenvalue, of.MinEigenvalue), min(u.MinVariance, of.MinVariance)
	u.Indefinite = u.Indefinite || of.Indefinite
	u.Floored += of.Floored
	u.Action = max(u.Action, of.Action)
}

// of adds the number of the member to its error, if there are several.
func (e *Ensemble) of(k int, err error) error {
	if len(e.members) == 1 {
		return err
	}
	return fmt.Errorf("member %d: %w", k, err)
}

// AddProcessNoise adds it to all members, see [Network.AddProcessNoise], or after an error to none.
func (e *Ensemble) AddProcessNoise(fraction float64) error {
	for _, n := range e.members {
		if err := n.AddProcessNoise(fraction); err != nil {
			return err // of the fraction
		}
	}
	return nil
}

// Predict sets dst to the prediction of the mixture for x, and dst.Members to those of the members,
// see [Network.Predict]. P and the moments E[s_j s_i] are the means of the members', so that by the
// law of total variance Cov is the mean of their covariances plus the covariance of their
// probabilities; Mean and Variance are those of the logits of the mixture.
func (e *Ensemble) Predict(dst *Prediction, x []float64) error {
	return e.predict(dst, x, (*Network).Predict)
}

func (e *Ensemble) predict(dst *Prediction, x []float64, by func(*Network, *Prediction, []float64) error) error {
	if len(e.members) == 1 {
		return by(e.members[0], dst, x)
	}
	dst.allot(e, e.members[0].cfg.classes(), len(e.members))
	copy(dst.Weights, e.shares)
	if err := checkInput(e, x); err != nil {
		dst.invalidate()
		return err
	}
	for k, n := range e.members {
		if err := by(n, &dst.Members[k], x); err != nil {
			dst.invalidate()
			return e.of(k, err)
		}
	}
	dst.mix()
	return nil
}

// allot allocates p for predictions of a mixture of so many members.
func (p *Prediction) allot(of any, classes, members int) {
	if p.fits(of, classes) {
		return
	}
	*p = newPrediction(of, classes)
	p.Mean, p.Variance = make([]float64, classes), make([]float64, classes)
	p.Members, p.Weights = make([]Prediction, members), make([]float64, members)
}

// mix sets all but Members and Weights to the mixture of the members.
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

// MutualInformation returns the mutual information of the label and the member, in nats:
//
//	I = H(p) − Σ_k w_k H(p_k) ≥ 0,
//
// with the entropy H, the Weights w_k and the probabilities p and p_k of Moments. It measures how much
// the members disagree, and is 0 for a network. Probabilities that do not add up to 1 are divided by
// their sum, and w_k is multiplied by the sum of p_k over the sum of p.
func (p *Prediction) MutualInformation() float64 {
	if len(p.Members) == 0 {
		return 0
	}
	sum := 1 + p.Moments.Excess()
	information := kernel.Entropy(p.Moments.P, sum)
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			of := 1 + m.Moments.Excess()
			information -= of / sum * w * kernel.Entropy(m.P, of)
		}
	}
	return max(0, information) // but for rounding
}
