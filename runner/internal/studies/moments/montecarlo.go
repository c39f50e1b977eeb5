package moments

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/activation"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
	"closedform/runner/internal/table"
)

// monteCarlo returns a row for every number that the formula of the cell gives.
func (s spec) monteCarlo(ctx context.Context) (table.Set, error) {
	t := table.New("zscores", append(keyColumns(),
		table.Int("draw", "number of the random logits, from 1"),
		table.Text("quantity", "mean or variance of the output y_j, or cross: its covariance with the logit z_i"),
		table.Int("i", "class of the logit, from 1"), table.Int("j", "class of the output, from 1"),
		table.Num("value", "by the formula"), table.Num("mc", "by Monte Carlo"), table.Num("se", "its standard error"),
		table.Num("effective", "number of samples that make up the standard error, (Σe²)²/Σe⁴ for errors e: "+
			"the hits of a rare event, all samples of an event that half of them hit"),
		table.Num("z", "(mc − value)/se, if 1000 samples or more are effective"))...)
	m, source := s.Methods[0], s.logits()
	var z logits
	for range s.Draw {
		z = s.Problem.draw(source)
	}
	rnd := rand.New(s.Stream(s.Problem.key(), m.key(), "samples", s.Draw))
	scores, sample := m.check(z, rnd)
	if err := estimate(ctx, z, scores, s.Samples[0], rnd, sample); err != nil {
		return nil, err
	}
	for _, c := range scores {
		t.Add(s.row(m), s.Draw, c.quantity, c.i+1, c.j+1, c.value, c.mc, c.se, c.effective, c.z())
	}
	return table.Set{t}, nil
}

// score is a number that a formula gives, and its estimate by Monte Carlo.
type score struct {
	quantity          string // mean, variance or cross
	i, j              int    // classes from 0; of a mean or variance i = j
	value             float64
	mc, se, effective float64
}

// z returns the z-score of the estimate, and NaN if its standard error is not trusted. With a thousand
// effective samples the skewness of the mean of a rare event is 0.03, and z-scores are normal enough.
func (s score) z() float64 {
	if s.effective < 1000 || s.se == 0 {
		return math.NaN()
	}
	return (s.mc - s.value) / s.se
}

// check returns what the formula gives at some logits, the means first, and a function that samples its output
// and uses nothing that is checked.
func (m method) check(of logits, rnd *rand.Rand) (scores []score, sample func(y, z []float64)) {
	n := len(of.Mean)
	a, corr := m.approximation(n), mat.NewSymDense(n-1, nil)
	switch m.Name {
	case "activation":
		return units(of, rnd)
	case "probit":
		correlate(corr, func(_, _ int) float64 { return m.Rho })
		sample = indicators(m.Lambda.Value(n, m.Rho), corr, rnd)
	case "probit-corr":
		rows := make([][]float64, n-1) // of the triangular factor, in uniform directions
		for k := range rows {
			rows[k] = make([]float64, n-1)
			for l := range k + 1 {
				rows[k][l] = random.Normal(rnd)
			}
		}
		correlate(corr, func(k, l int) float64 {
			return kernel.Dot(rows[k], rows[l]) / (kernel.Norm(rows[k]) * kernel.Norm(rows[l]))
		})
		p := softmax.ProbitCorr{Lambda: m.Lambda.Value(n, m.Rho), Corr: corr}
		a, sample = p, indicators(p.Lambda, corr, rnd)
	default:
		sample = func(y, z []float64) {
			copy(y, z)
			mlp.Normalise(y)
		}
	}
	moments := softmax.NewMoments(n)
	a.Moments(moments, of.Mean, of.Variance)
	for j, p := range moments.P {
		scores = append(scores, score{quantity: "mean", i: j, j: j, value: p})
	}
	for j, p := range moments.P {
		sum := kernel.Sum(moments.E.RawRowView(j))
		if corr.At(0, 0) == 0 { // for the probit p − p² − Σ_i E_ji is no variance
			scores = append(scores, score{quantity: "variance", i: j, j: j, value: p*(1-p) - sum})
		}
		for i, v := range of.Variance { // by Stein's lemma
			value := -v * moments.E.At(j, i)
			if i == j {
				value = v * sum
			}
			scores = append(scores, score{quantity: "cross", i: i, j: j, value: value})
		}
	}
	return scores, sample
}

// correlate fills a correlation matrix.
func correlate(corr *mat.SymDense, f func(k, l int) float64) {
	for k := range corr.SymmetricDim() {
		for l := range k {
			corr.SetSym(k, l, f(k, l))
		}
		corr.SetSym(k, k, 1)
	}
}

// indicators returns a function that samples the output of a probit, whose n−1 entries of ε go to the classes
// other than j in their order (Prop. 3.1(2)):
//
//	y_j = 1{ε_τ ≤ λ(z_j−z_τ) for all τ ≠ j},   ε ~ N(0, Σ_0).
func indicators(lambda float64, corr *mat.SymDense, rnd *rand.Rand) func(y, z []float64) {
	var factor linalg.Cholesky
	factor.Factorize(corr)
	white, noise := make([]float64, corr.SymmetricDim()), make([]float64, corr.SymmetricDim())
	return func(y, z []float64) {
		for k := range noise {
			white[k] = random.Normal(rnd)
			noise[k] = kernel.Dot(factor.Row(k), white[:k+1])
		}
		for j, zj := range z {
			y[j] = 1
			for i, e := range noise {
				if i >= j {
					i++
				}
				if e > lambda*(zj-z[i]) {
					y[j] = 0
				}
			}
		}
	}
}

// units is check for a random piece-wise linear unit at each logit (Prop. 3.1(1)).
func units(of logits, rnd *rand.Rand) (scores []score, sample func(y, z []float64)) {
	unit, more := activation.PiecewiseLinear{Alpha: rnd.Float64()}, []score{}
	unit.Beta = unit.Alpha + 2*rnd.Float64()
	for j, m := range of.Mean {
		mean, variance, cross := unit.Moments(m, of.Variance[j])
		scores = append(scores, score{quantity: "mean", i: j, j: j, value: mean})
		more = append(more, score{quantity: "variance", i: j, j: j, value: variance},
			score{quantity: "cross", i: j, j: j, value: cross})
	}
	return append(scores, more...), func(y, z []float64) {
		for j, zj := range z {
			y[j] = max(unit.Alpha*zj, unit.Beta*zj)
		}
	}
}

// estimate adds the estimates to the scores.
func estimate(ctx context.Context, of logits, scores []score, samples int, rnd *rand.Rand, sample func(y, z []float64)) error {
	n := len(of.Mean)
	y, z, d, sd := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for j, v := range of.Variance {
		sd[j] = math.Sqrt(v)
	}
	sums := make([][3]float64, len(scores)) // Σe, Σe² and Σe⁴ for errors e
	for k := range samples {
		if k%65536 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for j := range z {
			d[j] = sd[j] * random.Normal(rnd)
			z[j] = of.Mean[j] + d[j]
		}
		sample(y, z)
		for k := range scores {
			s := &scores[k]
			e := y[s.j] - scores[s.j].value
			switch s.quantity {
			case "variance":
				e = e*e - s.value
			case "cross":
				e = d[s.i]*e - s.value
			}
			sums[k][0] += e
			sums[k][1] += e * e
			sums[k][2] += e * e * e * e
		}
	}
	for k, sum := range sums {
		s, size := &scores[k], float64(samples)
		mean := sum[0] / size
		s.mc = s.value + mean
		// A smaller variance is that of samples that are all the same, as of an event that never happened.
		const rounding = 1e-9
		if variance := sum[1]/size - mean*mean; variance > rounding*mean*mean {
			s.se = math.Sqrt(variance / (size - 1))
		}
		s.effective = sum[1] * sum[1] / sum[2]
	}
	return nil
}
