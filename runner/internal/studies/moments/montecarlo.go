package moments

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/activation"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// score is a number of a formula and its Monte Carlo estimate. The mean of y_j comes first.
type score struct {
	quantity          string // mean or variance of the output y_j, or cross: Cov(z_i, y_j)
	i, j              int    // classes from 0; the i of a mean or variance is j
	value             float64
	mc, se, effective float64
}

type sampler func(y, z []float64)

func (s spec) monteCarlo(ctx context.Context) (table.Set, error) {
	t := table.New("zscores", append(keyColumns(),
		table.Int("draw", "number of the random logits, from 1"),
		table.Text("quantity", "mean or variance of the output y_j, or cross: its covariance with the logit z_i"),
		table.Int("i", "class of the logit, from 1"), table.Int("j", "class of the output, from 1"),
		table.Num("value", "by the formula"), table.Num("mc", "by Monte Carlo"), table.Num("se", "of mc"),
		table.Num("effective", "number of samples that make up the standard errors of y_j and of the estimate, "+
			"(Σe²)²/Σe⁴ for errors e: the hits of a rare event, all samples of an event that half of them hit"),
		table.Num("z", "(mc − value)/se, if 1000 samples or more are effective"))...)
	m, source := s.Methods[0], s.logits()
	for draw := range s.Problem.Draws {
		z := s.Problem.draw(source)
		rnd := rand.New(s.Stream(s.Problem.key(), m.key(), "samples", draw))
		scores, sample := m.check(z, rnd)
		if err := s.estimate(ctx, z, scores, sample, rnd); err != nil {
			return nil, err
		}
		for _, c := range scores {
			z := (c.mc - c.value) / c.se
			if c.effective < 1000 { // with as many the skewness of the mean of a rare event is 0.03
				z = math.NaN()
			}
			t.Add(s.row(m), draw+1, c.quantity, c.i+1, c.j+1, c.value, c.mc, c.se, c.effective, z)
		}
	}
	return table.Set{t}, nil
}

// check returns the numbers of the formula at some logits, and an independent sampler of its output.
func (m method) check(z logits, rnd *rand.Rand) (scores []score, sample sampler) {
	n := len(z.Mean)
	add := func(quantity string, i, j int, value float64) {
		scores = append(scores, score{quantity: quantity, i: i, j: j, value: value})
	}
	if m.Name == "activation" { // of random units, Prop. 3.1(1)
		unit := activation.PiecewiseLinear{Alpha: rnd.Float64(), Beta: 1 + rnd.Float64()}
		for j, m := range z.Mean {
			mean, variance, cross := unit.Moments(m, z.Variance[j])
			add("mean", j, j, mean)
			add("variance", j, j, variance)
			add("cross", j, j, cross)
		}
		return scores, func(y, z []float64) {
			for j, zj := range z {
				y[j] = max(unit.Alpha*zj, unit.Beta*zj)
			}
		}
	}
	moments := softmax.NewMoments(n)
	m.approximation(n).Moments(moments, z.Mean, z.Variance)
	for j, p := range moments.P {
		add("mean", j, j, p)
		for i, v := range z.Variance { // by Stein's lemma
			value := -v * moments.E.At(j, i)
			if i == j {
				value = v * kernel.Sum(moments.E.RawRowView(j))
			}
			add("cross", i, j, value)
		}
	}
	if strings.HasPrefix(m.Name, "probit") {
		return scores, indicators(m.Lambda.Value(n, m.Rho), m.correlations(n-1), rnd)
	}
	return scores, func(y, z []float64) {
		copy(y, z)
		mlp.Normalise(y)
	}
}

// indicators samples the output of a probit (Prop. 3.1(2)), y_j = 1{ε_τ ≤ λ(z_j−z_τ) for all τ ≠ j} with ε ~
// N(0, Σ_0), whose n−1 entries belong to the classes other than j in order.
func indicators(lambda float64, corr *mat.SymDense, rnd *rand.Rand) sampler {
	var factor linalg.Cholesky
	factor.Factorize(corr)
	white, noise := make([]float64, corr.SymmetricDim()), make([]float64, corr.SymmetricDim())
	u := make([]float64, len(noise)+1) // λz
	return func(y, z []float64) {
		for k := range noise {
			white[k] = random.Normal(rnd)
			var sum float64
			for l, f := range factor.Row(k) {
				sum += f * white[l]
			}
			noise[k] = sum
		}
		for j, zj := range z {
			u[j] = lambda * zj
		}
		for j, uj := range u {
			var signs uint64 // of λ(z_j−z_τ) − ε_τ; branches on noise would take longer
			for k, e := range noise[:j] {
				signs |= math.Float64bits(uj - u[k] - e)
			}
			for k, e := range noise[j:] {
				signs |= math.Float64bits(uj - u[j+1+k] - e)
			}
			y[j] = float64(1 - int(signs>>63))
		}
	}
}

func (s spec) estimate(ctx context.Context, at logits, scores []score, sample sampler, rnd *rand.Rand) error {
	const block = 256
	n, size := len(at.Mean), float64(s.Samples[0])
	rows := func(n int) [][]float64 { return slices.Collect(slices.Chunk(make([]float64, n*block), block)) }
	d, r, one := rows(n), rows(n), slices.Repeat([]float64{1}, block) // z_i − E z_i, and y_j less its mean
	y, z, sd, mean := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for j, v := range at.Variance {
		sd[j] = math.Sqrt(v)
	}
	for _, c := range scores {
		if c.quantity == "mean" {
			mean[c.j] = c.value
		}
	}
	sums := make([][3]float64, len(scores)) // Σe, Σe² and Σe⁴
	for left := s.Samples[0]; left > 0; left -= block {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		count := min(block, left)
		for b := range count {
			for j, sd := range sd {
				d[j][b] = sd * random.Normal(rnd)
				z[j] = at.Mean[j] + d[j][b]
			}
			sample(y, z)
			for j, m := range mean {
				r[j][b] = y[j] - m
			}
		}
		for k, c := range scores {
			factor, value := one, c.value
			switch c.quantity {
			case "mean":
				value = 0
			case "variance":
				factor = r[c.j]
			case "cross":
				factor = d[c.i]
			}
			addPowers(&sums[k], factor[:count], r[c.j], value)
		}
	}
	effective := 0.0 // of the mean of y_j
	for k, sum := range sums {
		s, mean := &scores[k], sum[0]/size
		variance := sum[1]/size - mean*mean
		s.mc, s.se = s.value+mean, math.Sqrt(max(0, variance)/(size-1))
		// A smaller variance means that all samples are equal, as for an event that never happened.
		const rounding = 1e-9
		if variance > rounding*mean*mean {
			s.effective = sum[1] * sum[1] / sum[2]
		}
		if s.quantity == "mean" {
			effective = s.effective
		}
		s.effective = min(s.effective, effective)
	}
	return nil
}

// addPowers adds Σe, Σe² and Σe⁴ of e_i = x_i y_i − shift to the sums, in four parts that do not wait for one
// another.
func addPowers(sums *[3]float64, x, y []float64, shift float64) {
	var s [3][4]float64
	for i, x := range x {
		e := x*y[i] - shift
		s[0][i%4] += e
		s[1][i%4] += e * e
		s[2][i%4] += (e * e) * (e * e)
	}
	for k, s := range s {
		sums[k] += (s[0] + s[2]) + (s[1] + s[3])
	}
}

// Tables adds the summary of z-scores.
func (e *experiment) Tables(cells []table.Set) table.Set {
	all := table.Merge(cells)
	if z := all.Get("zscores"); z != nil {
		all = append(all, summary(z))
	}
	return all
}

// summary gives a verdict on every quantity of every formula, and in the last row on all. The z-scores of a
// cell share samples, hence two tests: Bonferroni's bound of the largest |z| is valid under any dependence,
// and the Kolmogorov–Smirnov test of normality uses the first z-score of each cell, which are independent.
// Each test has half of the level, divided among its rows. One that fails makes the verdict "disagrees".
func summary(zscores *table.Table) *table.Table {
	t := table.New("summary",
		table.Text("method", "what is checked"), table.Text("quantity", "what it gives"),
		table.Int("scores", "number of z-scores"), table.Int("untrusted", "numbers without a z-score"),
		table.Num("max_abs_z", "the largest |z|"), table.Num("bound", "on max_abs_z, if all formulas are right"),
		table.Num("ks", "largest distance of the distribution of the independent ones, the first of each cell, "+
			"from the normal one, Kolmogorov–Smirnov"),
		table.Num("ks_p", "probability of one as large"),
		table.Text("verdict", "agrees, disagrees or untested"),
	)
	const level = 0.01 // bounds the probability that any right formula is called wrong
	groups := zscores.GroupBy("method", "quantity")
	bound := metric.NormalTail(level / 4 / float64(max(1, len(numbers(zscores.Nums("z"))))))
	normal := level / 2 / float64(len(groups)+1)
	for i, rows := range append(groups, zscores) {
		name, quantity := "all", "all"
		if i < len(groups) {
			name, quantity = rows.Texts("method")[0], rows.Texts("quantity")[0]
		}
		var first []float64
		for _, cell := range rows.GroupBy(append(table.Names(keyColumns()), "draw")...) {
			first = append(first, numbers(cell.Nums("z")[:1])...)
		}
		z, largest, verdict := numbers(rows.Nums("z")), 0.0, "agrees"
		for _, x := range z {
			largest = max(largest, math.Abs(x))
		}
		distance, p := metric.Kolmogorov(first)
		switch {
		case largest > bound || p < normal:
			verdict = "disagrees"
		case len(z) == 0:
			verdict = "untested"
		}
		t.Add(name, quantity, len(z), rows.Len()-len(z), largest, bound, distance, p, verdict)
	}
	return t
}

func numbers(x []float64) []float64 { return slices.DeleteFunc(x, math.IsNaN) }
