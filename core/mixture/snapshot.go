package mixture

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/random"
	"closedform/core/readout"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// minMixture is the smallest log probability of a quartet for a kept example.
const minMixture = -20

// Snapshot is what a [Mixture] had learned, for any inputs like those learned, in whatever order they came. It
// does not change, and is safe for concurrent use, each call with its own Prediction. The first call computes
// the weights.
type Snapshot struct {
	members  []bnn.Predictor
	follows  []bool // members that forget by design, which the test of the order leaves out
	parallel bool
	relearns bool // whether untrained members may learn the kept examples, at least half of all
	order    *Order
	sample   []learned

	once    sync.Once
	weights *weighting
	ordered bool
}

// Snapshot implements [bnn.Model] by a [*Snapshot].
func (m *Mixture) Snapshot() bnn.Predictor {
	s := &Snapshot{parallel: m.parallel, weights: m.whole.clone()}
	if s.order = m.state.Order.Clone(); !m.state.Fixed {
		s.sample = s.order.sample()
	}
	s.relearns = 2*len(s.sample) >= s.order.examples()
	for _, member := range m.members {
		s.members, s.follows = append(s.members, member.Snapshot()), append(s.follows, Follows(member))
	}
	if !slices.Contains(s.follows, false) {
		clear(s.follows) // test some member
	}
	return s
}

// Shape implements [bnn.Predictor].
func (s *Snapshot) Shape() (inputs, classes int) { return s.members[0].Shape() }

// Predict sets dst to the prediction for any x, as [Mixture.Predict] does for the next example.
func (s *Snapshot) Predict(dst *bnn.Prediction, x []float64) error {
	s.once.Do(s.weigh)
	return s.weights.predict(dst, s, x, func(k int, dst *bnn.Prediction) error {
		return s.members[k].Predict(dst, x)
	})
}

// Ordered reports whether the classes came in an order that is not random, see [Order].
func (s *Snapshot) Ordered() bool {
	s.once.Do(s.weigh)
	return s.ordered
}

// Weights returns a copy of the members' weights.
func (s *Snapshot) Weights() []float64 {
	s.once.Do(s.weigh)
	return slices.Clone(s.weights.members.weight)
}

// weigh tests the order. If it is not random, untrained models learn the kept examples in a random order where
// these are at least half of all; otherwise the weights follow from them.
func (s *Snapshot) weigh() {
	now, forgotten := make([][]float64, len(s.members)), make([]bool, len(s.members))
	s.each(func(k int) {
		if !s.follows[k] && leftOut(s.members[k]) == nil {
			now[k] = logProbabilities(s.members[k], s.sample)
			forgotten[k] = s.order.hasForgotten(s.sample, k, now[k])
		}
	})
	if s.ordered = len(s.sample) > 0 && s.order.HasRuns(shortRuns) || slices.Contains(forgotten, true); !s.ordered {
		return
	}
	if s.relearns && s.relearn() {
		return
	}
	s.each(func(k int) {
		if now[k] == nil {
			now[k] = logProbabilities(s.members[k], s.sample)
		}
	})
	s.weights = s.weighted(now)
}

// relearn replaces the members, but for output layers, by untrained ones that learn the kept examples in a
// random order, and the weights by those of this stream. It reports false, and changes nothing, for members of
// other kinds.
func (s *Snapshot) relearn() bool {
	var members []bnn.Model
	for k, p := range s.members {
		m := untrained(p, random.Source("snapshot", k))
		if m == nil {
			return false
		}
		members = append(members, m)
	}
	m, err := New(members...)
	if err != nil {
		return false
	}
	m.parallel = s.parallel
	for _, i := range rand.New(random.Source("snapshot")).Perm(len(s.sample)) {
		_, _ = m.Observe(s.sample[i].X, s.sample[i].class) // a member that fails has no weight
	}
	for k, member := range members {
		if leftOut(s.members[k]) == nil {
			s.members[k] = member
		}
	}
	s.weights = m.whole
	return true
}

// untrained returns an untrained model with the configuration of a snapshot, or nil if it is of another kind.
func untrained(p bnn.Predictor, src rand.Source) (m bnn.Model) {
	var err error
	switch p := p.(type) {
	case *bnn.Network:
		m, err = bnn.New(p.Config(), src)
	case *bnn.Ensemble:
		m, err = bnn.NewEnsemble(p.Members()[0].Config(), len(p.Members()), src)
	case *readout.Layer:
		c := p.Config()
		c.Sequential = true
		m, err = readout.New(c)
	case features.Predictor:
		if inner := untrained(p.Predictor, src); inner != nil {
			return features.Model{Map: p.Map, Model: inner}
		}
	}
	if err != nil {
		return nil
	}
	return m
}

func (s *Snapshot) each(do func(k int)) {
	if s.parallel {
		linalg.Parallel(len(s.members), do)
		return
	}
	for k := range s.members {
		do(k)
	}
}

// leftOut returns the predictor if it, and what it wraps, can predict a learned example as if it had not
// learned it; else nil.
func leftOut(p bnn.Predictor) bnn.LeftOut {
	if outer, ok := p.(interface{ Unwrap() bnn.Predictor }); ok && leftOut(outer.Unwrap()) == nil {
		return nil
	}
	l, _ := p.(bnn.LeftOut)
	return l
}

// predict predicts the example, leaving it out where the predictor can.
func (e *learned) predict(p bnn.Predictor, dst *bnn.Prediction) error {
	if l := leftOut(p); l != nil {
		return l.PredictLeftOut(dst, e.X, e.class)
	}
	return p.Predict(dst, e.X)
}

// logProbabilities returns the present log probabilities of the classes of the sample.
func logProbabilities(p bnn.Predictor, sample []learned) []float64 {
	q := bnn.Prediction{Brief: true}
	logP := make([]float64, len(sample))
	for i, e := range sample {
		if logP[i] = math.Inf(-1); e.predict(p, &q) == nil {
			logP[i] = kernel.Log(q.P[e.class] / q.Sum())
		}
	}
	return logP
}

// weighted returns the weighting by the sample with the present log probabilities of each member.
func (s *Snapshot) weighted(now [][]float64) *weighting {
	w, logP := newWeighting(len(s.members)), make([]float64, len(s.members))
	for i, e := range s.sample {
		for k := range now {
			logP[k] = now[k][i]
		}
		w.members.add(logP, e.weight, minMixture)
	}
	w.normalise()
	_, classes := s.Shape()
	predictions, sum := make([]bnn.Prediction, len(s.members)), make([]float64, classes)
	for _, e := range s.sample {
		rest := 0.0
		clear(sum)
		for k, member := range s.members {
			p := &predictions[k]
			p.Brief = true
			if weight := w.members.weight[k]; weight > 0 && e.predict(member, p) == nil {
				kernel.AddScaled(sum, weight/p.Sum(), p.P)
				rest += weight
			}
		}
		if rest > 0 {
			floats.Scale(1/rest, sum)
			w.powers.add(sum, e.class, e.weight)
		}
	}
	w.normalise()
	return w
}
