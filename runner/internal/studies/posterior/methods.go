package posterior

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/jointgaussian"
	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/perceptron"
	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

type method struct {
	name string
	*learner.Classifier
	twin *learner.Classifier // the same network with another random stream; nil unless of the paper's rule
}

func (c *cell) newMethods() error {
	for _, v := range c.Models {
		l, err := v.Learner(c.task.Inputs, c.task.Classes, c.Stream("prior"))
		twin, failed := v.Learner(c.task.Inputs, c.task.Classes, c.Stream("twin"))
		if err = cmp.Or(err, failed); err != nil {
			return err
		}
		if v.Model.Output != bnn.Joint {
			twin = nil
		}
		m := method{v.Name, l, twin}
		c.methods = append(c.methods, m)
		if slices.Contains(c.Softmax, m.name) {
			c.add(m.name+softmaxSuffix, bySoftmax{m})
		}
	}
	prior := c.methods[0].network()
	mean, cov := prior.Weights(0)
	c.prior = laplace.Prior{Layers: prior.Config().Layers, Bias: c.Model.Bias, Mean: mean.RawMatrix().Data}
	for _, sigma := range cov {
		for i := range sigma.SymmetricDim() {
			c.prior.Var = append(c.prior.Var, sigma.At(i, i))
		}
	}
	if c.task.Classes == 2 {
		for _, rule := range []perceptron.Rule{perceptron.Huber, perceptron.ADF} {
			l := c.add("perceptron-"+string(rule), newPerceptron(rule, c.Model, c.prior))
			c.huber = cmp.Or(c.huber, l)
		}
	}
	for i, l := range []jointgaussian.Likelihood{jointgaussian.Probit, jointgaussian.Exact} {
		c.add(joint[i], jointgaussian.WithPrior(l, c.task.Inputs, c.task.Classes, c.prior.Mean, c.prior.Var))
	}
	return nil
}

func (c *cell) add(name string, l learner.Learner) *learner.Classifier {
	out := learner.NewClassifier(l, c.task.Classes)
	c.methods = append(c.methods, method{name, out, nil})
	return out
}

func (m method) network() *bnn.Network { return m.Network().Members()[0] }

// bySoftmax predicts by the exact softmax with the weights of a network.
type bySoftmax struct{ method }

func (s bySoftmax) Observe([]float64, int) error { return nil }

func (s bySoftmax) Predict(p, x []float64) error {
	var q bnn.Prediction
	if err := s.network().Predict(&q, x); err != nil {
		return err
	}
	softmax.Exact{}.Moments(q.Moments, q.Mean, q.Variance)
	copy(p, q.Moments.P)
	return nil
}

// agreement compares a network of two classes with Huber's formulas at the network's weights: the largest
// difference of p, and those of Cov(a, y) and Var y, averaged over the square and relative to Huber's. They
// are missing for a failed network.
func (m method) agreement(s *grid) []float64 {
	var pGap, crossGap, cross, varianceGap, variance float64
	lambda := m.network().Config().Softmax.(softmax.Probit).Lambda
	var q bnn.Prediction
	for i, x := range s.Points {
		if m.Steps().Failed || m.network().Predict(&q, x) != nil {
			return table.Gaps(3)
		}
		w, v := s.weight[i], q.Variance[0]+q.Variance[1]
		p, huberCross, huberVariance := huberMoments(lambda, q.Mean[0]-q.Mean[1], v)
		pGap = max(pGap, math.Abs(q.P[0]-p))
		crossGap += w * math.Abs(v*q.Moments.E.At(0, 1)-huberCross)
		cross += w * huberCross
		varianceGap += w * math.Abs(q.Cov.At(0, 0)-huberVariance)
		variance += w * huberVariance
	}
	return []float64{pGap, crossGap / cross, varianceGap / variance}
}

// huberMoments returns p, Cov(a, y) and Var y of Huber's perceptron for a ~ N(m, v), see package perceptron.
func huberMoments(lambda, m, v float64) (p, cross, variance float64) {
	t := math.Sqrt(1 + lambda*lambda*v)
	xi := lambda * m / t
	p = gauss.CDF(xi)
	return p, v * lambda / t * gauss.PDF(xi), p * gauss.CDF(-xi) * (1 - 1/t)
}

// neuron is a perceptron that separates class 0 from class 1 by the sign of the difference of their logits.
type neuron struct {
	*perceptron.Perceptron
	bias  bool
	steps learner.Steps
}

// newPerceptron returns a perceptron with the prior of the logits' difference, and λ and policy of a model.
func newPerceptron(rule perceptron.Rule, m learner.Model, prior laplace.Prior) *neuron {
	d := len(prior.Mean) / 2
	mean := floats.SubTo(make([]float64, d), prior.Mean[:d], prior.Mean[d:])
	variance := floats.AddTo(make([]float64, d), prior.Var[:d], prior.Var[d:])
	return &neuron{Perceptron: perceptron.New(perceptron.Config{
		Rule: rule, Lambda: m.Lambda.Value(2, m.Rho), OnIndefinite: m.OnIndefinite, VarianceFloor: m.VarianceFloor,
	}, mean, mat.NewDiagDense(d, variance)), bias: m.Bias}
}

func withBias(x []float64, bias bool) []float64 {
	if bias {
		x = append(slices.Clip(x), 1)
	}
	return x
}

func (n *neuron) Observe(x []float64, class int) error {
	update, err := n.Perceptron.Observe(withBias(x, n.bias), class == 0)
	n.steps.Count(update)
	return err
}

func (n *neuron) Predict(p, x []float64) error {
	got, err := n.Perceptron.Predict(withBias(x, n.bias))
	p[0], p[1] = got.Positive, got.Negative
	return err
}

func (n *neuron) Steps() learner.Steps { return n.steps }
