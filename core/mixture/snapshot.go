package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/internal/kernel"
)

// minMixture is the smallest log probability of a quartet for a kept example.
const minMixture = -20

// current returns the weighting of Predict: that of the stream, or that by the kept examples if the classes
// came in an order.
func (m *Mixture) current() *weighting {
	if m.state.Fixed || m.state.Forgetting > 0 {
		return m.stream
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.snapshot != nil {
		return m.snapshot
	}
	m.snapshot = m.stream
	sample, now := m.state.Order.sample(), make([][]float64, len(m.members)) // now: log probabilities by member
	forgotten := make([]bool, len(m.members))
	m.each(func(m *Mixture, k int) {
		if leftOut(m.members[k]) == nil {
			now[k] = m.logProbabilities(sample, k)
			forgotten[k] = hasForgotten(sample, k, now[k])
		}
	})
	if m.state.Order.hasRuns() || slices.Contains(forgotten, true) {
		m.each(func(m *Mixture, k int) {
			if now[k] == nil {
				now[k] = m.logProbabilities(sample, k)
			}
		})
		m.snapshot = m.weighted(sample, now)
	}
	return m.snapshot
}

// leftOut returns the model if it, and what it wraps, can predict a learned example as if it had not learned
// it; else nil.
func leftOut(m bnn.Model) bnn.LeftOut {
	if outer, ok := m.(interface{ Unwrap() bnn.Model }); ok && leftOut(outer.Unwrap()) == nil {
		return nil
	}
	l, _ := m.(bnn.LeftOut)
	return l
}

// predict predicts the example, leaving it out where the model can.
func (e *learned) predict(m bnn.Model, dst *bnn.Prediction, x []float64) error {
	if l := leftOut(m); l != nil {
		return l.PredictLeftOut(dst, x, e.class)
	}
	return m.Predict(dst, x)
}

// logProbabilities returns the present log probabilities of member k for the classes of the sample.
func (m *Mixture) logProbabilities(sample []learned, k int) []float64 {
	var p bnn.Prediction
	logP := make([]float64, len(sample))
	for i, e := range sample {
		if logP[i] = math.Inf(-1); e.predict(m.members[k], &p, e.X) == nil {
			logP[i] = kernel.Log(p.P[e.class] / p.Sum())
		}
	}
	return logP
}

// weighted returns the weighting by a sample with the present log probabilities of each member.
func (m *Mixture) weighted(sample []learned, now [][]float64) *weighting {
	w, logP := newWeighting(len(m.members)), make([]float64, len(m.members))
	for i, e := range sample {
		for k := range now {
			logP[k] = now[k][i]
		}
		w.members.add(logP, e.weight, minMixture)
	}
	w.normalise()
	p := m.newPrediction()
	for _, e := range sample {
		copy(p.Weights, w.members.weight)
		for k := range m.members {
			m.predictMember(&p, k, e.X, e.predict)
		}
		if rest := kernel.Sum(p.Weights); rest > 0 {
			floats.Scale(1/rest, p.Weights)
			average(&p)
			w.powers.add(p.P, e.class, e.weight)
		}
	}
	w.normalise()
	return w
}
