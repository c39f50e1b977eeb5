package mixture

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Observe updates all members by an example of the given class (from 0), and then the weights by the
// probabilities that the members gave the class before. The update is that of [bnn.MixUpdates] over the
// members that learned the example; its LogP is that of the mixture before calibration. If all members fail,
// Observe changes nothing and returns the first error.
func (m *Mixture) Observe(x []float64, class int) (bnn.Update, error) {
	inputs, classes := m.Shape()
	if err := cmp.Or(field.Class(class, classes), field.Input(x, inputs)); err != nil {
		return bnn.Update{Action: bnn.Refused}, fmt.Errorf("mixture: %w", err)
	}
	m.x, m.class = x, class
	calibrates := !m.state.Fixed && (m.state.Seen < 1000 || m.state.Seen%8 == 0)
	m.predict = calibrates && !slices.Equal(m.latest, x)
	m.each((*Mixture).learn)
	m.latest = m.latest[:0]
	if !slices.Contains(m.errs, nil) {
		return m.updates[0], fmt.Errorf("member 0: %w", m.errs[0])
	}
	for k, err := range m.errs {
		if err != nil {
			m.updates[k] = bnn.Update{LogP: math.Inf(-1)}
		}
		m.logP[k] = m.updates[k].LogP
	}
	u := bnn.MixUpdates(m.next.members.weight, m.updates)
	if !m.state.Fixed {
		m.weigh(calibrates && !slices.Contains(m.able, false))
	}
	return u, nil
}

// learn predicts the example with member k, if the powers need the prediction, and then learns it.
func (m *Mixture) learn(k int) {
	if m.predict {
		m.keep(k, &m.before[k], bnn.Before(m.members[k], &m.before[k], m.x))
	}
	m.updates[k], m.errs[k] = m.members[k].Observe(m.x, m.class)
}

// keep keeps the distribution that member k has predicted, unless that failed.
func (m *Mixture) keep(k int, p *bnn.Prediction, err error) {
	if m.able[k] = err == nil; err == nil {
		floats.ScaleTo(m.p[k], 1/p.Sum(), p.P)
	}
}

// weigh updates the weights, if calibrates those of the powers too, and the [Order] of the examples.
func (m *Mixture) weigh(calibrates bool) {
	if calibrates {
		mean(m.mixed, m.next.members.weight, m.p)
		m.next.powers.follow(m.mixed, m.class, m.state.Share)
		mean(m.mixed, m.whole.members.weight, m.p)
		m.whole.powers.add(m.mixed, m.class, 1)
	}
	m.state.Seen++
	m.state.Order.Add(m.x, m.class, m.logP)
	m.next.members.follow(m.logP, m.state.Share)
	m.whole.members.add(m.logP, 1, smallest)
	m.whole.normalise()
}

// Predict sets dst to the prediction of the next example of the stream, see [bnn.Prediction.Mix]. P is the
// distribution of the label: the mean of the members' distributions, calibrated. A member that cannot predict
// x has weight zero. It is an error if no member can predict x.
func (m *Mixture) Predict(dst *bnn.Prediction, x []float64) error {
	m.latest = m.latest[:0]
	err := m.next.predict(dst, m, x, func(k int, dst *bnn.Prediction) error {
		err := bnn.Before(m.members[k], dst, x)
		m.keep(k, dst, err)
		return err
	})
	if kernel.Sum(dst.Weights) > 0 {
		m.latest = append(m.latest, x...)
	}
	return err
}

// ByWholeStream returns the most probable class of a prediction by Predict, and the confidence in it, with
// the weights by the whole stream for those of the next example. It returns [bnn.Unknown] and NaN after an
// error.
func (m *Mixture) ByWholeStream(p *bnn.Prediction) (class int, confidence float64) {
	if p.Class() == bnn.Unknown {
		return bnn.Unknown, math.NaN()
	}
	q := bnn.Prediction{P: m.mixed, Members: p.Members, Weights: m.whole.members.weight}
	if slices.Contains(m.able, false) {
		q.Weights = p.Weights
	}
	mean(m.mixed, q.Weights, m.p)
	return q.Class(), q.Confidence()
}

// predict predicts x by the members of m with these weights.
func (w *weighting) predict(
	dst *bnn.Prediction, m bnn.Predictor, x []float64, member func(k int, dst *bnn.Prediction) error,
) error {
	err := dst.Mix(m, x, w.members.weight, member)
	if kernel.Sum(dst.Weights) == 0 {
		return err
	}
	if &dst.P[0] == &dst.Moments.P[0] { // Moments.P stays uncalibrated
		dst.P = make([]float64, len(dst.P))
	}
	clear(dst.P)
	for k, weight := range dst.Weights {
		if member := &dst.Members[k]; weight > 0 {
			kernel.AddScaled(dst.P, weight/member.Sum(), member.P)
		}
	}
	w.powers.calibrate(dst.P)
	return nil
}

// mean sets dst to the mean of the distributions.
func mean(dst, weight []float64, p [][]float64) {
	clear(dst)
	for k, w := range weight {
		if w > 0 {
			kernel.AddScaled(dst, w, p[k])
		}
	}
}
