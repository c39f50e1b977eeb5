package posterior

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/perceptron"
	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
)

type method struct {
	name string
	*learner.Classifier
	twin *learner.Classifier // of a network of the paper's rule: the same with another random stream
}

func (c *cell) newMethods() error {
	for _, v := range c.Models {
		l, err := v.Learner(data.Inputs, c.task.Classes, c.Stream("prior"))
		if err != nil {
			return err
		}
		m := method{name: v.Name, Classifier: l}
		if v.Model.Output == bnn.Joint {
			if m.twin, err = v.Learner(data.Inputs, c.task.Classes, c.Stream("twin")); err != nil {
				return err
			}
		}
		c.methods = append(c.methods, m)
	}
	prior := c.methods[0].network()
	if c.task.Classes == 2 {
		for _, rule := range []perceptron.Rule{perceptron.Huber, perceptron.ADF} {
			l := c.add("perceptron-"+string(rule), newPerceptron(rule, c.Model, prior))
			c.huber = cmp.Or(c.huber, l) // the first
		}
	}
	mean, cov := prior.Weights(0)
	c.prior = laplace.Prior{Layers: c.Model.Layers, Bias: c.Model.Bias, Mean: mean.RawMatrix().Data}
	for _, sigma := range cov {
		for i := range sigma.SymmetricDim() {
			c.prior.Var = append(c.prior.Var, sigma.At(i, i))
		}
	}
	if c.task.Classes <= mostJoint {
		c.add(jointName, newJoint(c.prior))
	}
	return nil
}

func (c *cell) add(name string, l learner.Learner) *learner.Classifier {
	out := learner.NewClassifier(l, c.task.Classes)
	c.methods = append(c.methods, method{name, out, nil})
	return out
}

func (m method) network() *bnn.Network { return m.Network().Members()[0] }

func (m method) bySoftmax(points [][]float64) [][]float64 {
	p, moments := learner.Equal(len(points), m.Classes), softmax.NewMoments(m.Classes)
	var q bnn.Prediction
	for i, x := range points {
		if m.network().Predict(&q, x) == nil {
			softmax.Exact{}.Moments(moments, q.Mean, q.Variance)
			p[i] = slices.Clone(moments.P)
		}
	}
	return p
}

// agreement compares a network of two classes with Huber's perceptron: the total variation between their
// predictions, each with its own weights, averaged over the square; and with the network's weights, the
// largest difference of p, and those of Cov(a, y) and Var y, averaged over the square and relative to
// Huber's. They are missing for a failed network.
func (m method) agreement(ours [][]float64, huber *learner.Classifier, s *grid) []float64 {
	var tv, pGap, crossGap, cross, varianceGap, variance float64
	theirs, lambda := huber.Probabilities(s.Points), m.network().Config().Softmax.(softmax.Probit).Lambda
	var q bnn.Prediction
	for i, x := range s.Points {
		w := s.weight[i]
		tv += w * math.Abs(ours[i][0]-theirs[i][0])
		if m.Steps().Failed || m.network().Predict(&q, x) != nil {
			pGap = math.NaN()
			continue
		}
		v := q.Variance[0] + q.Variance[1]
		p, huberCross, huberVariance := huberMoments(lambda, q.Mean[0]-q.Mean[1], v)
		pGap = max(pGap, math.Abs(q.P[0]-p))
		crossGap += w * math.Abs(v*q.Moments.E.At(0, 1)-huberCross)
		cross += w * huberCross
		varianceGap += w * math.Abs(q.Cov.At(0, 0)-huberVariance)
		variance += w * huberVariance
	}
	return []float64{tv, pGap, crossGap / cross, varianceGap / variance}
}

// huberMoments returns p, Cov(a, y) and Var y of Huber's perceptron for a ~ N(m, v), see its package.
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

// newPerceptron returns a perceptron with the prior of the difference of a network's logits, and the λ and
// treatment of indefinite steps of a model.
func newPerceptron(rule perceptron.Rule, m learner.Model, prior *bnn.Network) *neuron {
	weights, cov := prior.Weights(0)
	var mean mat.VecDense
	var sum mat.SymDense
	mean.SubVec(weights.RowView(0), weights.RowView(1))
	sum.AddSym(cov[0], cov[1])
	p := perceptron.New(perceptron.Config{
		Rule: rule, Lambda: m.Lambda.Value(2, m.Rho), OnIndefinite: m.OnIndefinite, VarianceFloor: m.VarianceFloor,
	}, mean.RawVector().Data, &sum)
	return &neuron{Perceptron: p, bias: m.Bias}
}

func withBias(x []float64, bias bool) []float64 {
	if bias {
		x = append(slices.Clip(x), 1)
	}
	return x
}

func (n *neuron) Observe(x []float64, class int) error {
	update, err := n.Perceptron.Observe(withBias(x, n.bias), class == 0)
	if !(update.MinVariance >= 0) {
		n.steps.Indefinite++
	}
	switch update.Action {
	case bnn.Skipped:
		n.steps.Skipped++
	case bnn.Projected:
		n.steps.Projected++
	}
	return err
}

func (n *neuron) Predict(p, x []float64) error {
	got, err := n.Perceptron.Predict(withBias(x, n.bias))
	p[0], p[1] = got.Positive, got.Negative
	return err
}

func (n *neuron) Steps() learner.Steps { return n.steps }
