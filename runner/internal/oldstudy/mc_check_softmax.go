package study

import (
	"context"
	"math"

	"closedform/baselines/montecarlo"
	"closedform/core/softmax"
)

// mcSoftmax checks the exact moments of the softmax.
func mcSoftmax(ctx context.Context, s mcCheckSpec, in mcInputs) ([]mcScore, error) {
	z, n := in.logits, s.Classes
	moments := softmax.NewMoments(n)
	softmax.Exact{}.Moments(moments, z.mean, z.variance)
	var p, pair, variance []mcScore
	for j := range n {
		p = append(p, mcScore{quantity: "p", j: j + 1, value: moments.P[j], most: 1})
		for i := range j {
			pair = append(pair, mcScore{quantity: "E", i: i + 1, j: j + 1, value: moments.E.At(j, i), most: 0.25})
		}
		// s_j² = s_j − Σ_i s_j s_i.
		square := moments.P[j]
		for i := range n {
			square -= moments.E.At(j, i)
		}
		// (s_j − p_j)² ≤ 1; that the mean of the samples stands for p_j does not matter.
		variance = append(variance, mcScore{quantity: "variance", j: j + 1, value: square - moments.P[j]*moments.P[j], most: 1})
	}

	estimate, src := montecarlo.NewEstimate(n), s.rand("samples")
	sum := func(score *mcScore, part, mean, se float64) {
		score.mc += part * mean
		score.se += part * part * se * se
	}
	// Parts of nearly one size, none of them a single sample.
	parts := (s.Samples + mcBlock - 1) / mcBlock
	second, fourth := make([]float64, n), make([]float64, n) // central moments of s_j
	for k := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		samples := s.Samples*(k+1)/parts - s.Samples*k/parts
		part := float64(samples) / float64(s.Samples)
		estimate.Sample(z.mean, z.variance, samples, src)
		for k := range pair {
			i, j := pair[k].i-1, pair[k].j-1
			sum(&pair[k], part, estimate.E.At(i, j), estimate.EErr.At(i, j))
		}
		for j := range n {
			v, err := estimate.Var[j], estimate.VarErr[j]
			sum(&p[j], part, estimate.P[j], estimate.PErr[j])
			sum(&variance[j], part, v, err)
			second[j] += part * v
			fourth[j] += part * (err*err*float64(samples) + v*v)
		}
	}
	total := float64(s.Samples)
	for j := range n {
		p[j].effective = total * second[j] * second[j] / fourth[j]
		variance[j].effective = p[j].effective
	}
	scores := append(append(p, pair...), variance...)
	for k := range scores {
		c := &scores[k]
		c.samples = s.Samples
		if c.quantity == "E" {
			c.effective = total * c.mc * c.mc / (c.mc*c.mc + c.se*total)
		}
		c.se = math.Sqrt(c.se)
	}
	return scores, nil
}
