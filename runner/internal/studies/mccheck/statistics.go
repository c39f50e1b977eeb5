package mccheck

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/runner/internal/table"
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

// estimator returns what a formula gives at one input, with estimates from so many samples.
type estimator func(ctx context.Context, in inputs, samples int, rnd *rand.Rand) ([]score, error)

// block is the number of samples between two looks at the context. Blocks are summed
// on their own, which keeps rounding far below the standard error.
const block = 1 << 16

// estimate returns the scores with their estimates. Sample sets x to independent samples whose
// expectations are the values of the scores if the formulas are right.
func estimate(ctx context.Context, scores []score, samples int, sample func(x []float64)) ([]score, error) {
	// A variance below this part of the mean square comes from samples that are all
	// the same, as of an event that never happened: no standard error.
	const rounding = 1e-9
	x := make([]float64, len(scores))
	part, total := make([][3]float64, len(x)), make([][3]float64, len(x)) // Σd, Σd² and Σd⁴ for d = sample − value
	for rest := samples; rest > 0; rest -= block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(part)
		for range min(rest, block) {
			sample(x)
			for k := range x {
				d := x[k] - scores[k].value
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
		mean, s := t[0]/n, &scores[k]
		s.samples, s.mc = samples, s.value+mean
		if variance := t[1]/n - mean*mean; variance > rounding*mean*mean {
			s.se = math.Sqrt(variance / (n - 1))
		}
		if t[2] > 0 {
			s.effective = t[1] * t[1] / t[2]
		}
	}
	return scores, nil
}

// level bounds the probability that any right formula is called wrong.
const level = 0.01

// summary gives a verdict on every quantity of every formula, and in the last row on all.
//
// The scores of one cell share their samples and are correlated, hence two tests. The largest |z|, and
// the least p_bound of the scores that have no z-score, are held against Bonferroni's bound over all
// scores of the table, under any dependence. The Kolmogorov–Smirnov test of normality takes one z-score
// of each cell, the first of the quantity; these are independent. Each test has half of the level,
// shared out among its rows. The verdict is "disagrees" if one fails, else "untested" without z-scores
// and "agrees" with them.
func summary(zscores *table.Table) *table.Table {
	t := table.New("summary",
		table.Text("formula", "what is checked"), table.Text("quantity", "what it gives"), table.Int("scores", "number of z-scores"),
		table.Int("untrusted", "numbers without a z-score"), table.Int("bounded", "untrusted numbers that have a p_bound"),
		table.Num("mean", "of the z-scores"), table.Num("sd", "of the z-scores"), table.Num("max_abs_z", "the largest |z|"),
		table.Num("share_beyond_1.96", "share of the z-scores"), table.Num("bound", "on max_abs_z, if all formulas are right"),
		table.Num("least_p_bound", "the least p_bound"), table.Num("p_level", "smallest least_p_bound that agrees"),
		table.Int("independent", "number of independent z-scores, one of each input"),
		table.Num("ks", "largest distance of their distribution from the normal one, Kolmogorov–Smirnov"),
		table.Num("ks_p", "probability of one at least as large"), table.Num("ks_level", "smallest ks_p that agrees"),
		table.Text("verdict", "agrees, disagrees or untested"),
	)
	all := newGroup(zscores)
	groups := zscores.GroupBy("formula", "quantity").All()
	single := level / 2 / float64(max(len(all.z)+len(all.chances), 1))
	bound, normal := tail(single/2), level/2/float64(len(groups)+1)
	for _, rows := range groups {
		t.Add(rows.Texts("formula")[0], rows.Texts("quantity")[0], newGroup(rows).row(bound, single, normal))
	}
	t.Add("all", "all", all.row(bound, single, normal))
	return t
}

// tail returns z with Φ(−z) = p < ½, by Newton's method for log p.
func tail(p float64) (z float64) {
	for range 50 {
		z += (gauss.LogCDF(-z) - kernel.Log(p)) / gauss.InverseMills(-z)
	}
	return z
}

// group is a set of z-scores that is judged as one.
type group struct {
	untrusted      int
	chances        []float64 // of the untrusted that are bounded
	z, independent []float64
}

// newGroup takes the z-scores of rows; the first of every cell are independent. A
// cell whose first is not trusted has none.
func newGroup(rows *table.Table) group {
	g := group{z: numbers(rows.Nums("z")), chances: numbers(rows.Nums("p_bound"))}
	g.untrusted = rows.Len() - len(g.z)
	for _, cell := range rows.GroupBy("formula", "classes", "rho", "case").All() {
		g.independent = append(g.independent, numbers(cell.Nums("z")[:1])...)
	}
	return g
}

// numbers drops what is no value.
func numbers(x []float64) []float64 { return slices.DeleteFunc(x, math.IsNaN) }

// row returns the row of a group, where bound is that on |z|, single the level of a
// single score and normal that of the test of normality.
func (g group) row(bound, single, normal float64) []any {
	mean, sd := table.MeanSD(g.z)
	largest, beyond, least := 0.0, 0.0, math.NaN()
	for _, z := range g.z {
		largest = max(largest, math.Abs(z))
		if math.Abs(z) > 1.96 {
			beyond++
		}
	}
	if len(g.chances) > 0 {
		least = slices.Min(g.chances)
	}
	distance, p := kolmogorov(g.independent)
	verdict := "agrees"
	switch {
	case largest > bound || least < single || p < normal:
		verdict = "disagrees"
	case len(g.z) == 0:
		verdict = "untested"
	}
	return []any{
		len(g.z), g.untrusted, len(g.chances), table.Finite(mean), table.Finite(sd), largest, beyond / float64(len(g.z)), bound,
		least, single, len(g.independent), distance, p, normal, verdict,
	}
}

// kolmogorov returns the largest distance of the distribution function of independent x from Φ, and the
// probability of one at least as large if they are normal: Kolmogorov's limit with the correction of
// Stephens (1970) for finite samples, accurate to about 0.01 in p from five on. Both are NaN without x.
func kolmogorov(x []float64) (distance, p float64) {
	n := float64(len(x))
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	for k, z := range slices.Sorted(slices.Values(x)) {
		cdf := gauss.CDF(z)
		distance = max(distance, cdf-float64(k)/n, float64(k+1)/n-cdf)
	}
	root := math.Sqrt(n)
	d := distance * (root + 0.12 + 0.11/root)
	if d < 0.2 {
		return distance, 1 // within 1e-12; the series converges slowly
	}
	for k, sign := 1.0, 1.0; k <= 100; k, sign = k+1, -sign {
		p += 2 * sign * kernel.Exp(-2*k*k*d*d)
	}
	return distance, p
}
