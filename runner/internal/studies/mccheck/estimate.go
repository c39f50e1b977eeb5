package mccheck

import (
	"context"
	"math"

	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// score is a number that a formula gives, and its estimate by Monte Carlo.
type score struct {
	quantity string
	i, j     int // from 1; 0 where there is none
	value    float64
	most     float64 // samples are from 0 to this; 0 if there are no such bounds

	samples int
	mc, se  float64
	// effective is the number of samples that make up the standard error, (Σd²)²/Σd⁴ for deviations d:
	// the hits of a rare event, all samples of an event that half of them hit.
	effective float64
}

// enough is the least effective number of samples from which a standard error is
// trusted to say what the error of the estimate may be. With that many, the skewness
// of the mean of a rare event is 0.03, and its z-scores are normal enough.
const enough = 1000

func (s score) trusted() bool { return s.effective >= enough && s.se > 0 }

// z returns the z-score of the estimate, and NaN if it is not trusted.
func (s score) z() float64 {
	if !s.trusted() {
		return math.NaN()
	}
	return (s.mc - s.value) / s.se
}

// chance returns Hoeffding's bound (1963, Theorem 1) on the probability of an estimate that is at least
// as far on its side of the value, if the value is right, plus that of one as far on the other. It needs
// no standard error: for the mean x of N independent samples in [0, 1] with expectation μ,
//
//	P(mean ≥ x) ≤ exp(−N K(x, μ)),   K(x, μ) = x ln(x/μ) + (1−x) ln((1−x)/(1−μ)).
//
// It is NaN for scores that are trusted or not bounded.
func (s score) chance() float64 {
	if s.trusted() || s.most == 0 {
		return math.NaN()
	}
	// The value is known to the error of moments, and the mean may be off by rounding.
	unit := func(x float64) float64 { return min(max(x, 0), 1) }
	x, tolerance, value := unit(s.mc/s.most), softmax.MomentError/s.most, s.value/s.most
	if value < -tolerance || value > 1+tolerance {
		return 0 // no mean of such samples
	}
	mu := unit(min(max(x, value-tolerance), value+tolerance))
	part := func(x, mu float64) float64 {
		if x == 0 {
			return 0
		}
		return x * kernel.Log(x/mu)
	}
	return min(1, 2*kernel.Exp(-float64(s.samples)*max(0, part(x, mu)+part(1-x, 1-mu))))
}

// estimator returns what a formula gives at one input, with estimates.
type estimator func(ctx context.Context, samples int) ([]score, error)

// problem is what formulas give, and how to sample it: sample sets x to independent
// samples whose expectations are the values of the scores if the formulas are right.
type problem struct {
	scores []score
	sample func(x []float64)
}

// block is the number of samples between two looks at the context. Blocks are summed
// on their own, which keeps rounding far below the standard error.
const block = 1 << 16

// estimate returns the scores with their estimates.
func (p problem) estimate(ctx context.Context, samples int) ([]score, error) {
	// A variance below this part of the mean square comes from samples that are all
	// the same, as of an event that never happened: no standard error.
	const rounding = 1e-9
	x := make([]float64, len(p.scores))
	part, total := make([][3]float64, len(x)), make([][3]float64, len(x)) // Σd, Σd² and Σd⁴ for d = sample − value
	for rest := samples; rest > 0; rest -= block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(part)
		for range min(rest, block) {
			p.sample(x)
			for k := range x {
				d := x[k] - p.scores[k].value
				d2 := d * d
				part[k][0] += d
				part[k][1] += d2
				part[k][2] += d2 * d2
			}
		}
		for k, s := range part {
			for power := range s {
				total[k][power] += s[power]
			}
		}
	}
	n := float64(samples)
	for k, t := range total {
		mean, s := t[0]/n, &p.scores[k]
		s.samples, s.mc = samples, s.value+mean
		if variance := t[1]/n - mean*mean; variance > rounding*mean*mean {
			s.se = math.Sqrt(variance / (n - 1))
		}
		if t[2] > 0 {
			s.effective = t[1] * t[1] / t[2]
		}
	}
	return p.scores, nil
}
