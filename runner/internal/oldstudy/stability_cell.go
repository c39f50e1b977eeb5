package study

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// boundarySteps is the number of points of the analytic boundary for each step
// of the grid, so that its line is smooth.
const boundarySteps = 4

// stabilityMap goes over the points of a map.
type stabilityMap struct {
	stabilitySpec
	lambda    float64
	gaps      []float64
	variances []float64
}

// runStability returns the rows of a cell. Two classes are decided in closed
// form. More are decided draw by draw: the logits other than the largest are
// standard normal, shifted so that their largest is 0; the largest is the gap.
// All points of a map, and all λ, see the same draws: their maps differ by what
// λ does, not by chance.
func runStability(ctx context.Context, spec stabilitySpec) ([]store.Table, error) {
	m := stabilityMap{
		stabilitySpec: spec,
		lambda:        lambdaValue(spec.Lambda, spec.Classes, spec.Rho),
		gaps:          floats.Span(make([]float64, spec.Grid), spec.Gap.Low, spec.Gap.High),
		variances:     spaced(spec.Variance, spec.Grid),
	}
	if spec.Classes == 2 {
		tables, err := m.run(ctx, []judge{m.two})
		return append(tables, m.boundary(), m.onset()), err
	}
	others := rand.New(random.Source(spec.Manifest, spec.Seed, "logits", spec.Classes))
	judges := make([]judge, spec.Draws)
	for i := range judges {
		judges[i] = m.drawn(others)
	}
	return m.run(ctx, judges)
}

// spaced returns n numbers from the lower to the higher end of an interval, each
// the same multiple of the one before.
func spaced(i manifest.Interval, n int) []float64 {
	x := floats.LogSpan(make([]float64, n), i.Low, i.High)
	x[0], x[n-1] = i.Low, i.High // without the rounding of the logarithms
	return x
}

// verdict is what is known of Σ_y of one draw at one point.
type verdict struct {
	eigenvalue          float64 // the smallest of Σ_y without its last row and column
	definite, undecided bool
}

// judge decides a draw at a point of the map.
type judge func(gap, variance float64) verdict

// two decides the two logits gap and 0.
func (m stabilityMap) two(gap, variance float64) verdict {
	t := twoClasses{m.lambda, variance}
	return verdict{eigenvalue: t.variance(gap), definite: t.definite(gap)}
}

// drawn draws logits and returns their judge. The last class, which the paper
// leaves out, is not that with the largest logit.
func (m stabilityMap) drawn(rnd *rand.Rand) judge {
	mean, variances := make([]float64, m.Classes), make([]float64, m.Classes)
	for j := range mean {
		mean[j] = rnd.NormFloat64()
	}
	floats.AddConst(-floats.Max(mean[1:]), mean[1:])
	var (
		probit  = softmax.Probit{Lambda: m.lambda, Rho: m.Rho}
		moments = softmax.NewMoments(m.Classes)
		cov     mat.SymDense
		eigen   mat.EigenSym
		values  = make([]float64, m.Classes-1)
	)
	return func(gap, variance float64) verdict {
		mean[0] = gap
		for j := range variances {
			variances[j] = variance
		}
		probit.Moments(moments, mean, variances)
		moments.Cov(&cov)
		if !eigen.Factorize(cov.SliceSym(0, m.Classes-1), false) {
			return verdict{eigenvalue: math.NaN(), undecided: true}
		}
		smallest := floats.Min(eigen.Values(values))
		return verdict{smallest, smallest > momentError, math.Abs(smallest) <= momentError}
	}
}

// run returns the map of the shares of the judges, and its averages.
func (m stabilityMap) run(ctx context.Context, judges []judge) ([]store.Table, error) {
	t := store.Table{
		Name:   "stability",
		Header: []string{"classes", "lambda", "lambda_value", "gap", "variance", "definite", "undecided", "mean_min_eigenvalue"},
	}
	draws, points := float64(len(judges)), float64(len(m.gaps)*len(m.variances))
	definite := make([]float64, len(judges)) // points of the map, by draw
	undecided := 0.0
	for _, v := range m.variances {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, gap := range m.gaps {
			var yes, open, sum float64
			for i, judge := range judges {
				at := judge(gap, v)
				sum += at.eigenvalue
				if at.definite {
					yes++
					definite[i]++
				}
				if at.undecided {
					open++
				}
			}
			undecided += open
			t.Rows = append(t.Rows, append(m.key(),
				store.Float(gap), store.Float(v), store.Float(yes/draws), store.Float(open/draws), gapped(sum/draws)))
		}
	}
	for i := range definite {
		definite[i] /= points
	}
	mean, deviation := stat.MeanStdDev(definite, nil)
	err := stat.StdErr(deviation, draws)
	if m.Classes == 2 {
		err = 0 // nothing is drawn
	}
	return []store.Table{t, {
		Name:   "summary",
		Header: []string{"classes", "lambda", "lambda_value", "draws", "definite", "definite_se", "undecided"},
		Rows: [][]string{append(m.key(),
			strconv.Itoa(len(judges)), store.Float(mean), gapped(err), store.Float(undecided/draws/points))},
	}}, nil
}

// key returns the fields classes, lambda and lambda_value that begin a row.
func (m stabilityMap) key() []string {
	return []string{strconv.Itoa(m.Classes), m.Lambda.String(), store.Float(m.lambda)}
}

// boundary returns the analytic boundary of two classes, from the lowest variance
// of the map at which there is one.
func (m stabilityMap) boundary() store.Table {
	t := store.Table{Name: "boundary", Header: []string{"classes", "lambda", "lambda_value", "gap", "variance"}}
	add := func(gap, v float64) {
		t.Rows = append(t.Rows, append(m.key(), store.Float(gap), store.Float(v)))
	}
	along := m.Variance
	if onset := (twoClasses{lambda: m.lambda}).onset(); onset > along.Low {
		if onset >= along.High {
			return t
		}
		along.Low = onset
	}
	for _, v := range spaced(along, boundarySteps*(m.Grid-1)+1) {
		add(twoClasses{m.lambda, v}.boundary(), v)
	}
	return t
}

// onset says where the boundary of two classes begins: the gap from which on
// Var y is not positive however small the variance, and the variance up to which
// it is not positive however small the gap. One of them is 0.
func (m stabilityMap) onset() store.Table {
	t := twoClasses{lambda: m.lambda}
	return store.Table{
		Name:   "onset",
		Header: []string{"classes", "lambda", "lambda_value", "gap_at_variance_0", "variance_at_gap_0"},
		Rows:   [][]string{append(m.key(), store.Float(t.boundary()), store.Float(t.onset()))},
	}
}
