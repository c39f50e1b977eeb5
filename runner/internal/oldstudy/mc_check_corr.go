package study

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// mcProbitCorr checks the moments of the probit function with any correlations,
// Prop. 3.1(2).
func mcProbitCorr(ctx context.Context, s mcCheckSpec, in mcInputs) ([]mcScore, error) {
	p := softmax.ProbitCorr{Lambda: in.lambda, Corr: in.factor.correlation()}
	return mcProbitCorrProblem(p, in.factor, in.logits, s.rand("samples")).estimate(ctx, s.Samples)
}

// mcProbitCorrProblem samples the indicators
//
//	y_j = 1{ε_τ ≤ λ(z_j−z_τ) for all τ ≠ j},   ε ~ N(0, Σ_0),
//
// where the n−1 entries of ε go to the classes other than j in their order, and
// Cov(z_i, y_j), which is −v_i E_ji for i ≠ j and v_j Σ_i E_ji for i = j by
// Stein's lemma.
func mcProbitCorrProblem(p softmax.ProbitCorr, factor mcFactor, z logits, rnd *rand.Rand) mcProblem {
	n := len(z.mean)
	moments := softmax.NewMoments(n)
	p.Moments(moments, z.mean, z.variance)
	var problem mcProblem
	for j, value := range moments.P {
		problem.scores = append(problem.scores, mcScore{quantity: "p", j: j + 1, value: value, most: 1})
	}
	for j := range n {
		for i, v := range z.variance {
			value := -v * moments.E.At(j, i)
			if i == j {
				value = v * mat.Sum(moments.E.RowView(j))
			}
			problem.scores = append(problem.scores, mcScore{quantity: "cross", i: i + 1, j: j + 1, value: value})
		}
	}
	draw := newMCLogits(z)
	white, noise := make([]float64, n-1), make([]float64, n-1)
	problem.sample = func(x []float64) {
		draw.next(rnd)
		for k, row := range factor {
			white[k] = rnd.NormFloat64()
			noise[k] = 0
			for l, a := range row {
				noise[k] += a * white[l]
			}
		}
		y, cross := x[:n], x[n:]
		for j, zj := range draw.z {
			y[j] = 1
			k := 0
			for i, zi := range draw.z {
				if i == j {
					continue
				}
				if noise[k] > p.Lambda*(zj-zi) {
					y[j] = 0
				}
				k++
			}
			for i, d := range draw.d {
				cross[j*n+i] = d * (y[j] - moments.P[j])
			}
		}
	}
	return problem
}
