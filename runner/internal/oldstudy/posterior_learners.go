package study

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/perceptron"
	"closedform/core/bnn"
	"closedform/runner/internal/manifest"
)

// perceptronPupil tells class 0 from class 1 by the sign of the difference of
// their logits.
type perceptronPupil struct {
	*perceptron.Perceptron
	bias bool
	steps
}

var policies = map[string]bnn.Policy{"fail": bnn.Fail, "skip": bnn.Skip, "project": bnn.Project}

// newPerceptron returns the perceptron whose prior is that of the difference of
// the logits of a network of one layer.
func newPerceptron(rule string, m manifest.Model, lambda float64, prior *bnn.Network) (*perceptronPupil, error) {
	mean, cov := prior.Weights(0)
	var difference mat.VecDense
	difference.SubVec(mat.NewVecDense(mean.RawMatrix().Cols, mean.RawRowView(0)), mat.NewVecDense(mean.RawMatrix().Cols, mean.RawRowView(1)))
	sum := mat.NewSymDense(difference.Len(), nil)
	for i := range difference.Len() {
		for j := i; j < difference.Len(); j++ {
			sum.SetSym(i, j, cov[0].At(i, j)+cov[1].At(i, j))
		}
	}
	p, err := perceptron.New(perceptron.Config{
		Rule:   map[string]perceptron.Rule{"huber": perceptron.Huber, "adf": perceptron.ADF}[rule],
		Lambda: lambda, OnIndefinite: policies[m.OnIndefinite], VarianceFloor: m.VarianceFloor,
	}, difference.RawVector().Data, sum)
	return &perceptronPupil{Perceptron: p, bias: m.Bias}, err
}

// input returns x with a trailing 1 where there is a bias.
func (p *perceptronPupil) input(x []float64) []float64 {
	if !p.bias {
		return x
	}
	return append(slices.Clip(x), 1)
}

func (p *perceptronPupil) observe(x []float64, class int) {
	if p.failed {
		return
	}
	update, err := p.Observe(p.input(x), class == 0)
	if !(update.MinVariance >= 0) {
		p.indefinite++
	}
	switch update.Action {
	case bnn.Skipped:
		p.skipped++
	case bnn.Projected:
		p.projected++
	}
	p.failed = err != nil
}

func (p *perceptronPupil) labels(inputs [][]float64) [][]float64 {
	var out [][]float64
	for _, x := range inputs {
		got, err := p.Predict(p.input(x))
		p.failed = p.failed || err != nil
		if p.failed {
			return equal(len(inputs), 2)
		}
		out = append(out, []float64{got.Positive, got.Negative})
	}
	return out
}

func (p *perceptronPupil) done() steps { return p.steps }

var _ pupil = (*perceptronPupil)(nil)
