package study

import (
	"context"
	"math"
	"strconv"

	store "closedform/runner/internal/oldstore"
)

// mcScore is a number that a formula gives, and its estimate by Monte Carlo.
type mcScore struct {
	quantity string
	of       string // what the estimate is of, if there is a choice
	i, j     int    // from 1; 0 where there is none
	value    float64
	most     float64 // samples are from 0 to this; 0 if there are no such bounds

	samples int
	mc, se  float64
	// effective is the number of samples that make up the standard error,
	// (Σd²)²/Σd⁴ for deviations d: the hits of a rare event, all samples of an
	// event that half of them hit.
	effective float64
}

// mcTrusted is the least effective number of samples from which a standard error
// is used. With that many, the skewness of the mean of a rare event is 0.03, and
// its z-scores are normal enough.
const mcTrusted = 1000

// trusted reports whether the standard error says what the error of the estimate
// may be.
func (s mcScore) trusted() bool { return s.effective >= mcTrusted && s.se > 0 }

// z returns the z-score of the estimate, and NaN if it is not trusted.
func (s mcScore) z() float64 {
	if !s.trusted() {
		return math.NaN()
	}
	return (s.mc - s.value) / s.se
}

// zscoresTable is the table of the z-scores. Classes i and j are numbered from
// 1; p_bound is the chance of a score that is not trusted. E and cross have E_ji = ∂y_j/∂(z_j−z_i) and Cov(z_i, y_j) in row i, j.
var zscoresTable = store.Table{Name: "zscores", Header: []string{
	"formula", "classes", "rho", "case", "quantity", "i", "j", "value", "mc", "se", "effective", "trusted", "z", "p_bound",
}}

// zscore returns the fields of a row of zscoresTable after the first four.
func (s mcScore) zscore() []string {
	return []string{
		s.quantity, mcIndex(s.i), mcIndex(s.j), store.Float(s.value), store.Float(s.mc), store.Float(s.se),
		gapped(s.effective), strconv.FormatBool(s.trusted()), gapped(s.z()), gapped(s.chance()),
	}
}

// mcProblem is what formulas give at one input, and how to sample it: sample sets
// x to independent samples whose expectations are the values of the scores if
// the formulas are right.
type mcProblem struct {
	scores []mcScore
	sample func(x []float64)
}

// mcBlock is the number of samples between two looks at the context. Blocks are
// summed on their own, which keeps rounding far below the standard error.
const mcBlock = 1 << 16

// mcSums are the sums of d, d² and d⁴ for d = sample − value.
type mcSums [3]float64

// mcRounding is the part of the mean square that a variance must exceed to be
// one. What is below comes from samples that are all the same, such as those of
// an event that never happened, and stays a standard error of zero.
const mcRounding = 1e-9

// estimate returns the scores with their estimates.
func (p mcProblem) estimate(ctx context.Context, samples int) ([]mcScore, error) {
	x := make([]float64, len(p.scores))
	block, total := make([]mcSums, len(x)), make([]mcSums, len(x))
	for rest := samples; rest > 0; rest -= mcBlock {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(block)
		for range min(rest, mcBlock) {
			p.sample(x)
			for k := range x {
				d := x[k] - p.scores[k].value
				d2 := d * d
				b := &block[k]
				b[0] += d
				b[1] += d2
				b[2] += d2 * d2
			}
		}
		for k, b := range block {
			for power := range b {
				total[k][power] += b[power]
			}
		}
	}
	n := float64(samples)
	for k, t := range total {
		mean := t[0] / n
		s := &p.scores[k]
		s.samples = samples
		s.mc = s.value + mean
		if variance := t[1]/n - mean*mean; variance > mcRounding*mean*mean {
			s.se = math.Sqrt(variance / (n - 1))
		}
		if t[2] > 0 {
			s.effective = t[1] * t[1] / t[2]
		}
	}
	return p.scores, nil
}
