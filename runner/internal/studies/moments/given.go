package moments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/moments/montecarlo"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
	"closedform/runner/internal/table"
)

// result has the moments of given logits by a formula or by Monte Carlo.
type result struct {
	key      []any
	moments  *allMoments
	se       *allMoments // standard errors of Monte Carlo; nil of a formula
	accuracy float64     // bounds the spectral-norm error of Σ_y, of Monte Carlo three standard errors
}

const mostListed = 100 // largest number of classes of which the covariances are listed

// given returns the moments of given logits by each method, and their errors as approximations of the first.
func (s spec) given(ctx context.Context) (table.Tables, error) {
	results, err := s.results(ctx)
	if err != nil {
		return nil, err
	}
	moments := table.New("moments", append(withoutSpread(keyColumns()),
		table.Text("quantity", "mean: p_j; covariance: entry i, j of Σ_y; or cross: Cov(z_i, y_j), that of Σ_zy"),
		table.Int("i", "class, of cross that of the logit, from 1; the i of a mean is j"),
		table.Int("j", "class, from 1"),
		table.Num("value", fmt.Sprintf("the quantity; of more than %d classes only the means", mostListed)),
		table.Num("se", "standard error of a value by Monte Carlo"))...)
	errors := table.New("errors", append(append(keyColumns(), errorColumns()...), table.Num("definite",
		"1: Σ_y without the last class is positive definite; −1: indefinite; 0: its accuracy does not tell"))...)
	for _, r := range results {
		e, definite := momentErrors{draws: 1, accuracy: r.accuracy}, math.NaN()
		e.add(r.moments, results[0].moments, floats.Max(s.Problem.Given.Variance))
		if e.given > 0 {
			definite = float64(r.moments.sign(r.accuracy))
		}
		errors.Add(r.key, e.row(), definite)
		r.list(moments)
	}
	return table.Tables{moments, errors}, nil
}

// results returns first the exact moments or, of correlated logits, Monte Carlo with the most samples.
func (s spec) results(ctx context.Context) (results []result, err error) {
	n, z := s.Problem.Classes, *s.Problem.Given
	add := func(m method) error {
		f := m.formula(n)
		if z.Covariance != nil {
			f = m.corr(n)
		}
		r := result{s.row(m), newMoments(n), nil, accuracy(f, n)}
		results = append(results, r)
		if z.Covariance == nil {
			r.moments.compute(f, z)
			return ctx.Err()
		}
		defer r.moments.derive(z)
		return m.corr(n).MomentsCov(r.moments.Moments, z.Mean, z.cov())
	}
	if z.Covariance == nil {
		err = add(method{Name: "exact"})
	}
	for _, samples := range slices.SortedFunc(slices.Values(s.Samples), func(a, b int) int { return b - a }) {
		r := result{key: s.row(method{Name: fmt.Sprintf("monte-carlo-%d", samples)})}
		if r.moments, r.se, err = z.sample(ctx, samples, s.Stream("montecarlo", samples)); err != nil {
			return nil, err
		}
		r.accuracy = 3 * math.Sqrt2 * kernel.Norm(r.se.cov.RawSymmetric().Data) // the upper triangle
		results = append(results, r)
	}
	for _, m := range s.Methods {
		if m.Name != "exact" && err == nil {
			err = add(m)
		}
	}
	return results, err
}

// list adds the moments that the method gives to a table.
func (r *result) list(t *table.Table) {
	add := func(quantity string, i, j int, value, se float64) {
		if !math.IsNaN(value) {
			t.Add(withoutSpread(slices.Clone(r.key)), quantity, i+1, j+1, value, se)
		}
	}
	n, se := len(r.moments.P), r.se
	if se == nil {
		se = newMoments(n)
		for _, entries := range se.entries() {
			floats.AddConst(math.NaN(), entries)
		}
	}
	for j, p := range r.moments.P {
		add("mean", j, j, p, se.P[j])
	}
	list := func(quantity string, values, errors mat.Matrix) {
		for i := range n * n {
			add(quantity, i/n, i%n, values.At(i/n, i%n), errors.At(i/n, i%n))
		}
	}
	if n <= mostListed {
		list("covariance", r.moments.cov, se.cov)
		list("cross", r.moments.cross, se.cross)
	}
}

// cov returns the covariance of correlated logits.
func (z logits) cov() *mat.SymDense {
	return mat.NewSymDense(len(z.Mean), slices.Concat(z.Covariance...))
}

// derive sets Σ_y and Σ_zy of the logits z from p and E.
func (m *allMoments) derive(z logits) {
	m.Cov(m.cov)
	if z.Covariance == nil {
		m.Cross(m.cross, z.Variance)
		return
	}
	n := len(z.Mean)
	laplacian := mat.NewDense(n, n, nil)
	m.Cross(laplacian, slices.Repeat([]float64{1}, n))
	for i, row := range z.Covariance {
		for j := range n {
			var sum float64
			for k, v := range row {
				sum += float64(v * laplacian.At(k, j))
			}
			m.cross.Set(i, j, sum)
		}
	}
}

// entries returns p, Σ_y and Σ_zy as slices of m.
func (m *allMoments) entries() [][]float64 {
	return [][]float64{m.P, m.cov.RawSymmetric().Data, m.cross.RawMatrix().Data}
}

// sample returns the moments by Monte Carlo, and the standard errors of all entries by the spread of up to 100
// batches of samples.
func (z logits) sample(ctx context.Context, samples int, src rand.Source) (mean, se *allMoments, err error) {
	n, batches := len(z.Mean), min(100, samples/2)
	var factor linalg.Cholesky
	if z.Covariance != nil {
		factor.Factorize(z.cov())
	}
	estimate := montecarlo.NewEstimate(n)
	mean, se = newMoments(n), newMoments(n)
	first, batch, sum := newMoments(n), newMoments(n), newMoments(n) // sum: Σd, d the differences from first
	for b := range batches {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		size := samples*(b+1)/batches - samples*b/batches
		if z.Covariance == nil {
			estimate.Sample(z.Mean, z.Variance, size, src)
		} else {
			estimate.SampleCov(z.Mean, &factor, size, src)
		}
		mean.AddScaled(float64(size)/float64(samples), estimate.Moments)
		batch.Moments = estimate.Moments
		batch.derive(z)
		for k, entries := range batch.entries() {
			if b == 0 {
				copy(first.entries()[k], entries)
			}
			for i, x := range entries {
				d := x - first.entries()[k][i]
				sum.entries()[k][i] += d
				se.entries()[k][i] += float64(d * d)
			}
		}
	}
	count := float64(batches)
	for k, sums := range sum.entries() {
		for i, square := range se.entries()[k] {
			d := sums[i] / count
			variance := (square/count - float64(d*d)) / (count - 1)
			se.entries()[k][i] = math.Sqrt(max(0, variance)) // NaN of one batch
		}
	}
	mean.derive(z)
	return mean, se, nil
}
