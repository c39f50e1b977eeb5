package study

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strconv"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/gauss"
	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// paperNetwork is a network that learns by the paper's rule, with what it takes to
// measure what the paper says of the rule itself.
type paperNetwork struct {
	name   string
	lambda float64
	*learner

	// twin begins with the same weights and another random stream, and sees the
	// same examples. Where nothing is sampled it stays the same.
	twin *learner
}

// newPaperNetwork returns the network of a learner with its twin, whose random
// stream is src.
func newPaperNetwork(m manifest.Model, lambda float64, l *learner, src rand.Source) (*paperNetwork, error) {
	n, err := newNetwork(m, lambda, src)
	if err != nil {
		return nil, err
	}
	mean, cov := l.network.Weights(0)
	if err := n.SetWeights(0, mean, cov); err != nil {
		return nil, err
	}
	return &paperNetwork{m.Name, lambda, l, &learner{network: n, classes: l.classes}}, nil
}

var (
	stateHeader     = []string{"variant", "seed", "k", "bytes", "twin_gap"}
	agreementHeader = []string{"variant", "seed", "k", "tv", "p_gap", "cross_gap", "variance_gap"}
)

// state is a row about the network after k examples: the bytes of its checkpoint,
// all that it keeps of them, and the largest difference of its predictions at the
// points from those of its twin.
func (p *paperNetwork) state(seed, k int, points *plane) ([]string, error) {
	var saved bytes.Buffer
	if err := checkpoint.Write(&saved, p.network); err != nil {
		return nil, err
	}
	var gap float64
	twin := p.twin.labels(points.x)
	for i, q := range p.labels(points.x) {
		for j, qj := range q {
			gap = max(gap, math.Abs(qj-twin[i][j]))
		}
	}
	return []string{p.name, strconv.Itoa(seed), strconv.Itoa(k), strconv.Itoa(saved.Len()), store.Float(gap)}, nil
}

// agreement is a row about a network of two classes and Huber's perceptron after k
// examples: tv, the total variation between the predictions of the two, each with
// what it has learned, averaged over the plane; and at equal beliefs, those of the
// network, the largest difference of p, and those of Cov(a, y) and of Var y, averaged
// over the plane and relative to Huber's. A network that has broken down has no
// beliefs to compare.
func (p *paperNetwork) agreement(seed, k int, huber pupil, points *plane) []string {
	var tv, pGap float64
	theirs := huber.labels(points.x)
	for i, q := range p.labels(points.x) {
		tv += points.weight[i] * math.Abs(q[0]-theirs[i][0])
	}
	var crossGap, cross, varianceGap, variance float64
	var own bnn.Prediction
	for i, x := range points.x {
		if p.failed {
			pGap, crossGap, varianceGap = math.NaN(), math.NaN(), math.NaN()
			break
		}
		p.failed = p.network.Predict(&own, x) != nil
		v := own.Variance[0] + own.Variance[1]
		h := huberMoments(p.lambda, own.Mean[0]-own.Mean[1], v)
		w := points.weight[i]
		pGap = max(pGap, math.Abs(own.P[0]-h.p))
		crossGap += w * math.Abs(v*own.Moments.E.At(0, 1)-h.cross)
		cross += w * h.cross
		varianceGap += w * math.Abs(own.Cov.At(0, 0)-h.variance)
		variance += w * h.variance
	}
	return []string{
		p.name, strconv.Itoa(seed), strconv.Itoa(k),
		store.Float(tv), gapped(pGap), gapped(crossGap / cross), gapped(varianceGap / variance),
	}
}

// huber has the moments that Huber's perceptron takes a step by: p, Cov(a, y) and
// Var y.
type huber struct{ p, cross, variance float64 }

// huberMoments returns them for an activation N(m, v): see package perceptron.
func huberMoments(lambda, m, v float64) huber {
	t := math.Sqrt(1 + lambda*lambda*v)
	xi := lambda * m / t
	p := gauss.CDF(xi)
	return huber{p, v * lambda / t * gauss.PDF(xi), p * gauss.CDF(-xi) * (1 - 1/t)}
}
