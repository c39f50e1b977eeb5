package study

import (
	"context"
	"math"
	"math/rand/v2"

	"closedform/core/activation"
	"closedform/core/softmax"
)

// mcActivation checks the moments of the piece-wise linear unit, Prop. 3.1(1).
func mcActivation(ctx context.Context, s mcCheckSpec, in mcInputs) ([]mcScore, error) {
	return mcActivationProblem(in.unit, in.mean[0], in.variance[0], s.rand("samples")).estimate(ctx, s.Samples)
}

func mcActivationProblem(f activation.PiecewiseLinear, m, v float64, rnd *rand.Rand) mcProblem {
	mean, variance, cross := f.Moments(m, v)
	sd := math.Sqrt(v)
	return mcProblem{
		scores: []mcScore{{quantity: "mean", value: mean}, {quantity: "variance", value: variance}, {quantity: "cross", value: cross}},
		sample: func(x []float64) {
			d := sd * rnd.NormFloat64()
			// Not f.Eval, which is part of what is checked.
			y := max(f.Alpha*(m+d), f.Beta*(m+d))
			x[0], x[1], x[2] = y, (y-mean)*(y-mean), d*(y-mean)
		},
	}
}

// mcProbit checks the moments of the probit function with equal correlations,
// Prop. 3.1(2).
func mcProbit(ctx context.Context, s mcCheckSpec, in mcInputs) ([]mcScore, error) {
	p := softmax.Probit{Lambda: in.lambda, Rho: s.Rho}
	return mcProbitProblem(p, in.logits, s.rand("samples")).estimate(ctx, s.Samples)
}

func mcProbitProblem(p softmax.Probit, z logits, rnd *rand.Rand) mcProblem {
	n := len(z.mean)
	moments := softmax.NewMoments(n)
	p.Moments(moments, z.mean, z.variance)
	var problem mcProblem
	for j, value := range moments.P {
		problem.scores = append(problem.scores, mcScore{quantity: "p", j: j + 1, value: value, most: 1})
	}
	steepest := p.Lambda / math.Sqrt(2*math.Pi*(1-p.Rho)) // a slope times φ(0), other factors 1
	for j := range n {
		for i := range n {
			if i != j {
				problem.scores = append(problem.scores, mcScore{quantity: "E", i: i + 1, j: j + 1, value: moments.E.At(j, i), most: steepest})
			}
		}
	}
	y, draw := newMCProbitFunction(p, n), newMCLogits(z)
	problem.sample = func(x []float64) {
		draw.next(rnd)
		y.values(x[:n], x[n:], draw.z, rnd.NormFloat64())
	}
	return problem
}
