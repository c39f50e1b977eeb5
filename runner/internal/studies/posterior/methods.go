package posterior

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/perceptron"
	"closedform/core/bnn"
	"closedform/core/softmax"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
)

// method is what predicts, with its name in the tables.
type method struct {
	name string
	*learner.Classifier

	// twin, of a network of the paper's rule, is one with the same prior weights and another
	// random stream that learns the same examples.
	twin *learner.Classifier
}

// newMethods makes all that learns, and the prior that all of it has.
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
			mean, cov := m.network().Weights(0)
			if err := m.twin.Network().Members()[0].SetWeights(0, mean, cov); err != nil {
				return err
			}
		}
		c.methods = append(c.methods, m)
		if slices.Contains(c.Softmax, v.Name) {
			c.add(v.Name+softmaxSuffix, bySoftmax{l.Network()})
		}
	}
	mixture, err := c.Model.Mixture(c.Stream("prior"))
	if err != nil {
		return err
	}
	prior := mixture.Members()[0]
	if c.Perceptrons {
		for _, rule := range []perceptron.Rule{perceptron.Huber, perceptron.ADF} {
			c.add("perceptron-"+string(rule), newPerceptron(rule, c.Model, prior))
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

// add adds a method.
func (c *cell) add(name string, l learner.Learner) {
	c.methods = append(c.methods, method{name, learner.NewClassifier(l, c.task.Classes), nil})
}

// bySoftmax is a network, which learns elsewhere, predicted by the exact softmax of its logits.
type bySoftmax struct{ *learner.Network }

func (bySoftmax) Observe([]float64, int) error { return nil }

func (b bySoftmax) Predict(p, x []float64) error {
	var q bnn.Prediction
	err := b.Network.Model.Predict(&q, x)
	if err == nil {
		moments := softmax.NewMoments(len(p))
		softmax.Exact{}.Moments(moments, q.Mean, q.Variance)
		copy(p, moments.P)
	}
	return err
}

func (m method) network() *bnn.Network { return m.Network().Members()[0] }

// neuron is a perceptron that tells class 0 from class 1 by the sign of the difference of their logits.
type neuron struct {
	*perceptron.Perceptron
	bias  bool
	steps learner.Steps
}

// newPerceptron returns the perceptron whose prior is that of the difference of the logits of a network.
func newPerceptron(rule perceptron.Rule, m learner.Model, prior *bnn.Network) *neuron {
	weights, cov := prior.Weights(0)
	var mean mat.VecDense
	var sum mat.SymDense
	mean.SubVec(weights.RowView(0), weights.RowView(1))
	sum.AddSym(cov[0], cov[1])
	p := perceptron.New(perceptron.Config{
		Rule: rule, Lambda: m.Lambda.Value(2, m.Rho),
		OnIndefinite: m.OnIndefinite, VarianceFloor: m.VarianceFloor,
	}, mean.RawVector().Data, &sum)
	return &neuron{Perceptron: p, bias: m.Bias}
}

// withBias returns x with a trailing 1 where there is a bias.
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

var _ learner.Stepper = (*neuron)(nil)
