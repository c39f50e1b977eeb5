package posterior

import (
	"bytes"
	"math"

	"closedform/baselines/learners/perceptron"
	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/gauss"
)

// check writes down the bytes of the checkpoint of a network of the paper's rule after k examples;
// the largest difference of its predictions from those of its twin, 0 where nothing is sampled; and
// how far it is from Huber's perceptron where there is one.
func (c *cell) check(m method, k int) error {
	if m.twin == nil {
		return nil
	}
	var saved bytes.Buffer
	if err := checkpoint.Save(&saved, network(m.Tolerant), ""); err != nil {
		return err
	}
	c.state.Add(m.name, c.Task, c.Seed, k, saved.Len(), gap(m.Probabilities(c.square.Points), m.twin.Probabilities(c.square.Points)))
	huber := c.method(perceptronPrefix + string(perceptron.Huber))
	if huber == nil {
		return nil
	}
	gaps, err := m.agreement(huber, c.square)
	if err == nil {
		c.agreement.Add(m.name, c.Task, c.Seed, k, gaps)
	}
	return err
}

// gap returns the largest difference of two predictions.
func gap(p, q [][]float64) (largest float64) {
	for i := range p {
		for j, x := range p[i] {
			largest = max(largest, math.Abs(x-q[i][j]))
		}
	}
	return largest
}

// agreement compares a network of two classes with Huber's perceptron. It returns the total
// variation between the predictions of the two, each with what it has learned, averaged over the
// square; and with the beliefs of the network, the largest difference of p, and those of Cov(a, y)
// and Var y, averaged over the square and relative to Huber's. A network that has broken down has none.
func (m method) agreement(huber *method, s *square) ([]float64, error) {
	var tv, pGap, crossGap, cross, varianceGap, variance float64
	ours, theirs := m.Probabilities(s.Points), huber.Probabilities(s.Points)
	var own bnn.Prediction
	for i, x := range s.Points {
		w := s.weight[i]
		tv += w * math.Abs(ours[i][0]-theirs[i][0])
		if m.Steps().Failed {
			pGap = math.NaN()
			continue
		}
		if err := network(m.Tolerant).Predict(&own, x); err != nil {
			return nil, err
		}
		v := own.Variance[0] + own.Variance[1]
		p, huberCross, huberVariance := huberMoments(m.lambda, own.Mean[0]-own.Mean[1], v)
		pGap = max(pGap, math.Abs(own.P[0]-p))
		crossGap += w * math.Abs(v*own.Moments.E.At(0, 1)-huberCross)
		cross += w * huberCross
		varianceGap += w * math.Abs(own.Cov.At(0, 0)-huberVariance)
		variance += w * huberVariance
	}
	return []float64{tv, pGap, crossGap / cross, varianceGap / variance}, nil
}

// huberMoments returns the moments that Huber's perceptron takes a step by, p,
// Cov(a, y) and Var y, for an activation a ~ N(m, v): see package perceptron.
func huberMoments(lambda, m, v float64) (p, cross, variance float64) {
	t := math.Sqrt(1 + lambda*lambda*v)
	xi := lambda * m / t
	p = gauss.CDF(xi)
	return p, v * lambda / t * gauss.PDF(xi), p * gauss.CDF(-xi) * (1 - 1/t)
}
