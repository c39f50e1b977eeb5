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

// score is a number that a formula gives, and its Monte Carlo estimate. The mean of y_j comes first.
type score struct {
	quantity string // mean or variance of the output y_j, or cross: Cov(z_i, y_j)
	i, j     int    // classes from 0; the i of a mean or variance is j
	value    float64

	sum, square, fourth float64 // Σe, Σe² and Σe⁴, where e is the error of value for a sample
	mc, se, effective   float64 // estimate, its standard error, and the number of samples that count
}

// sampler sets y to the output at the logits z, which may be random.
type sampler func(y, z []float64)

func (s spec) monteCarlo(ctx context.Context) (table.Tables, error) {
	t := table.New("zscores", append(keyColumns(),
		table.Int("draw", "number of the random logits, from 1"),
		table.Text("quantity", "mean or variance of the output y_j, or cross: its covariance with the logit z_i"),
		table.Int("i", "class of the logit, from 1"), table.Int("j", "class of the output, from 1"),
		table.Num("value", "the quantity by the formula"), table.Num("mc", "the quantity by Monte Carlo"),
		table.Num("se", "standard error of mc"),
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
			if c.effective < 1000 { // with 1000 the skewness of the mean of a rare event is 0.03
				z = math.NaN()
			}
			t.Add(s.row(m), draw+1, c.quantity, c.i+1, c.j+1, c.value, c.mc, c.se, c.effective, z)
		}
	}
	return table.Tables{t}, nil
}

// check returns the numbers of the formula at the logits z, and an independent sampler of its output.
func (m method) check(z logits, rnd *rand.Rand) (scores []score, sample sampler) {
	if m.Name == "activation" {
		return checkUnits(z, rnd)
	}
	n := len(z.Mean)
	moments := softmax.NewMoments(n)
	m.formula(n).(softmax.Approximation).Moments(moments, z.Mean, z.Variance)
	for j, p := range moments.P {
		scores = append(scores, score{quantity: "mean", i: j, j: j, value: p})
		for i, v := range z.Variance { // Cov(z_i, y_j) by Stein's lemma
			value := -v * moments.E.At(j, i)
			if i == j {
				value = v * kernel.Sum(moments.E.RawRowView(j))
			}
			scores = append(scores, score{quantity: "cross", i: i, j: j, value: value})
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

// checkUnits returns the moments of a random piece-wise linear unit by Prop. 3.1(1), and the unit.
func checkUnits(z logits, rnd *rand.Rand) (scores []score, sample sampler) {
	unit := activation.PiecewiseLinear{Alpha: rnd.Float64(), Beta: 1 + rnd.Float64()}
	for j, m := range z.Mean {
		mean, variance, cross := unit.Moments(m, z.Variance[j])
		scores = append(scores, score{quantity: "mean", i: j, j: j, value: mean},
			score{quantity: "variance", i: j, j: j, value: variance},
			score{quantity: "cross", i: j, j: j, value: cross})
	}
	return scores, func(y, z []float64) {
		for j, zj := range z {
			y[j] = max(unit.Alpha*zj, unit.Beta*zj)
		}
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
			var signs uint64 // the sign bits of λ(z_j−z_τ) − ε_τ; branches on noise would take longer
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

func (s spec) estimate(ctx context.Context, z logits, scores []score, sample sampler, rnd *rand.Rand) error {
	mean := make([]float64, len(z.Mean)) // means of the outputs, by the formula
	for _, c := range scores {
		if c.quantity == "mean" {
			mean[c.j] = c.value
		}
	}
	for left := s.Samples[0]; left > 0; left -= blockSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := draw(min(blockSize, left), z, mean, sample, rnd)
		for k := range scores {
			scores[k].add(b)
		}
	}
	var effective float64 // effective samples of the mean of y_j
	for k := range scores {
		c := &scores[k]
		c.conclude(float64(s.Samples[0]))
		if c.quantity == "mean" {
			effective = c.effective
		}
		c.effective = min(c.effective, effective)
	}
	return nil
}

const blockSize = 256

// block has samples of the logits and the outputs, class × sample: z_i − E z_i, and y_j less its mean.
type block struct{ z, y [][]float64 }

func draw(count int, logits logits, mean []float64, sample sampler, rnd *rand.Rand) block {
	n := len(mean)
	rows := slices.Collect(slices.Chunk(make([]float64, 2*n*count), count))
	b, y, z := block{rows[:n], rows[n:]}, make([]float64, n), make([]float64, n)
	for k := range count {
		for j, v := range logits.Variance {
			b.z[j][k] = math.Sqrt(v) * random.Normal(rnd)
			z[j] = logits.Mean[j] + b.z[j][k]
		}
		sample(y, z)
		for j, m := range mean {
			b.y[j][k] = y[j] - m
		}
	}
	return b
}

var ones = slices.Repeat([]float64{1}, blockSize)

// add adds the errors of the value for the samples of a block. Their mean is the error of the value.
func (s *score) add(b block) {
	y := b.y[s.j]
	factor, value := ones[:len(y)], 0. // for a mean, which draw has already subtracted from y
	switch s.quantity {
	case "variance":
		factor, value = y, s.value
	case "cross":
		factor, value = b.z[s.i], s.value
	}
	var sums [3][4]float64 // Σe, Σe² and Σe⁴ in four parts that do not wait for one another
	for i, x := range factor {
		e := x*y[i] - value
		sums[0][i%4] += e
		sums[1][i%4] += e * e
		sums[2][i%4] += (e * e) * (e * e)
	}
	for k, total := range []*float64{&s.sum, &s.square, &s.fourth} {
		*total += (sums[k][0] + sums[k][2]) + (sums[k][1] + sums[k][3])
	}
}

// conclude sets the estimate from the errors of n samples.
func (s *score) conclude(n float64) {
	mean := s.sum / n
	variance := s.square/n - mean*mean
	s.mc, s.se = s.value+mean, math.Sqrt(max(0, variance)/(n-1))
	// A smaller variance means that all samples are equal, as for an event that never happened.
	const rounding = 1e-9
	if variance > rounding*mean*mean {
		s.effective = s.square * s.square / s.fourth
	}
}

// Tables adds the summary of z-scores.
func (e *experiment) Tables(cells []table.Tables) table.Tables {
	tables := table.Merge(cells)
	if z := tables.Get("zscores"); z != nil {
		tables = append(tables, summary(z))
	}
	return tables
}

// summary gives a verdict on every quantity of every formula, and in the last row on all of them. The
// z-scores of a cell share samples, hence two tests: Bonferroni's bound of the largest |z| is valid under any
// dependence, and the Kolmogorov–Smirnov test of normality uses the first z-score of each cell, which are
// independent. Each test has half of the level, divided among its rows. If a test fails, the verdict is
// "disagrees".
func summary(zscores *table.Table) *table.Table {
	t := table.New("summary",
		table.Text("method", "the formula, or all"), table.Text("quantity", "the quantity that is checked, or all"),
		table.Int("scores", "number of z-scores"),
		table.Int("untrusted", "number of quantities without a z-score, as too few samples are effective"),
		table.Num("max_abs_z", "the largest |z|"),
		table.Num("bound", "bound of max_abs_z, if all formulas are right"),
		table.Num("ks", "Kolmogorov–Smirnov distance between the normal distribution and that of the first "+
			"z-scores of all cells, which are independent"),
		table.Num("ks_p", "probability of a distance of ks or more, if all formulas are right"),
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

// numbers removes NaN from x.
func numbers(x []float64) []float64 { return slices.DeleteFunc(x, math.IsNaN) }
