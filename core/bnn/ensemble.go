package bnn

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"

	"closedform/core/random"
	"closedform/internal/linalg"
)

// Ensemble is the mean of networks that learn the same examples: a mixture with equal weights. If a member
// cannot learn or predict an example, the ensemble returns its error, and no member learns the example. An
// ensemble of one predicts as its network does, to the bit. Only Predict is safe for concurrent use, each
// call with its own Prediction.
type Ensemble struct {
	members  []*Network
	weights  []float64 // equal weights of the members
	parallel bool      // the members learn in parallel

	// Scratch space of Observe: the example and the members' results.
	x       []float64
	class   int
	updates []Update
	errs    []error
}

// NewEnsemble returns an ensemble of networks with one configuration and their prior weights. The first
// member draws its prior means from src, as [New] does; every other member draws from a stream named by the
// next number of src. An error names the invalid field of cfg.
func NewEnsemble(cfg Config, members int, src rand.Source) (*Ensemble, error) {
	var name uint64
	networks := make([]*Network, max(0, members))
	for k := range networks {
		if k == 1 {
			name = src.Uint64()
		}
		if k > 0 {
			src = random.Source("member", name, k)
		}
		n, err := New(cfg, src)
		if err != nil {
			return nil, err
		}
		networks[k] = n
	}
	return Combine(networks...)
}

// Combine returns an ensemble that takes over the networks. They may have learned the same examples in
// different orders. Errors are those of [SameShape].
func Combine(members ...*Network) (*Ensemble, error) {
	if err := SameShape(members); err != nil {
		return nil, fmt.Errorf("bnn: %w", err)
	}
	n := len(members)
	e := &Ensemble{
		members: slices.Clone(members), weights: slices.Repeat([]float64{1 / float64(n)}, n),
		updates: make([]Update, n), errs: make([]error, n),
	}
	e.parallel = n > 1 && runtime.GOMAXPROCS(0) > 1 && slices.ContainsFunc(members, (*Network).Large)
	return e, nil
}

// Large reports whether networks of this size learn faster in parallel: whether it has 2¹⁶ covariances, which
// take some 60 µs. With two processors the default is as fast in parallel for 20 inputs and 3 classes, 5 % faster
// for 30 and 4, and 18 % for 64 and 10.
func (n *Network) Large() bool {
	covariances := 0
	for l := range n.layers {
		rows, cols := n.cfg.SpreadDims(l)
		covariances += rows * cols
	}
	return covariances >= 1<<16
}

// Serial makes large members learn one after another, for programs that already use all processors.
func (e *Ensemble) Serial() { e.parallel = false }

// Members returns the networks. Changing one changes the ensemble.
func (e *Ensemble) Members() []*Network { return e.members }

// Shape implements [Model].
func (e *Ensemble) Shape() (inputs, classes int) { return e.members[0].Shape() }

// AddClass adds a class to all members, see [Network.AddClass], or after an error to none.
func (e *Ensemble) AddClass() error {
	for k, n := range e.members {
		if _, err := n.grown(); err != nil {
			return memberError(k, len(e.members), err)
		}
	}
	for _, n := range e.members {
		_ = n.AddClass()
	}
	return nil
}

// Observe updates all members by one example, or none. The update is that of [MixUpdates].
func (e *Ensemble) Observe(x []float64, class int) (Update, error) {
	if err := checkExample(e, x, class); err != nil {
		return Update{Action: Refused}, err
	}
	e.x, e.class = x, class
	e.each((*Ensemble).prepare)
	for k, err := range e.errs {
		if err != nil {
			return e.updates[k], memberError(k, len(e.errs), err)
		}
	}
	e.each((*Ensemble).move)
	return MixUpdates(e.weights, e.updates), nil
}

func (e *Ensemble) prepare(k int) { e.updates[k], e.errs[k] = e.members[k].prepare(e.x, e.class) }

func (e *Ensemble) move(k int) {
	if e.updates[k].Action != Skipped {
		e.members[k].move()
	}
}

// each calls do for each member. A method in place of a function literal for do allocates nothing.
func (e *Ensemble) each(do func(e *Ensemble, k int)) {
	if e.parallel {
		linalg.Parallel(len(e.members), func(k int) { do(e, k) })
		return
	}
	for k := range e.members {
		do(e, k)
	}
}

// Snapshot implements [Model] by a copy.
func (e *Ensemble) Snapshot() Predictor {
	s := *e
	s.members = make([]*Network, len(e.members))
	for k, n := range e.members {
		s.members[k] = n.Snapshot().(*Network)
	}
	return &s
}

// Predict sets dst to the prediction for x, see [Prediction.Mix]. P is Moments.P.
func (e *Ensemble) Predict(dst *Prediction, x []float64) error {
	return e.predict(dst, x, (*Network).Predict)
}

// Before implements [Sequential] by the members' Before.
func (e *Ensemble) Before(dst *Prediction, x []float64) error {
	return e.predict(dst, x, (*Network).Before)
}

func (e *Ensemble) predict(
	dst *Prediction, x []float64, predict func(n *Network, dst *Prediction, x []float64) error,
) error {
	if len(e.members) == 1 {
		return predict(e.members[0], dst, x)
	}
	err := dst.Mix(e, x, e.weights, func(k int, dst *Prediction) error { return predict(e.members[k], dst, x) })
	if err != nil {
		dst.invalidate()
	}
	return err
}
