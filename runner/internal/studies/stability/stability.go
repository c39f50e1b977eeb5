// Package stability is the study of where the probit's covariance Σ_y of the probabilities is positive
// definite, which the paper's update takes for granted: over the gap between the largest logit and the
// next, and the variance that all logits have.
package stability

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
	"closedform/runner/internal/config"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "stability",
	Asks: "Where is the probit's covariance of the probabilities positive definite?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{seeded: study.Seeded{Manifest: m.Name, Seed: m.Seed}, Stability: settings{Rho: 0.5}}
	}),
}

type experiment struct {
	study.Plain
	Stability settings `toml:"stability"`
	seeded    study.Seeded
}

type settings struct {
	Classes  config.Ints      `toml:"classes" allowed:"each 2 to 1,000"`                    // numbers of classes: 2 in closed form, others by sampling
	Lambda   []learner.Lambda `toml:"lambda" allowed:"numbers > 0, or words as in [model]"` // slopes λ of the probit
	Rho      float64          `toml:"rho"`                                                  // its correlation ρ
	Gap      []float64        `toml:"gap" allowed:"[low, high] with 0 ≤ low < high"`        // first and last distance of the largest mean logit from the next
	Variance []float64        `toml:"variance" allowed:"[low, high] with 0 < low < high"`   // lowest and highest variance of every logit, on a logarithmic axis
	Grid     int              `toml:"grid" allowed:"2 to 2,001"`                            // points of the maps along each axis
	Draws    int              `toml:"draws" allowed:"1 to 1,000,000"`                       // random logits, the same at all points
}

func (s *settings) Validate() error {
	switch {
	case len(s.Gap) != 2 || !(0 <= s.Gap[0] && s.Gap[0] < s.Gap[1]):
		return field.Errorf("gap", "%v is not allowed; allowed: [low, high] with 0 ≤ low < high", s.Gap)
	case len(s.Variance) != 2 || !(0 < s.Variance[0] && s.Variance[0] < s.Variance[1]):
		return field.Errorf("variance", "%v is not allowed; allowed: [low, high] with 0 < low < high", s.Variance)
	}
	return field.Fraction("rho", s.Rho)
}

// spec is all that the tables of a cell, one number of classes and one λ, follow from.
type spec struct {
	study.Seeded
	Classes       int
	Lambda        learner.Lambda
	Rho           float64
	Gap, Variance []float64
	Grid, Draws   int
}

func (e *experiment) Cells() (cells []study.Cell) {
	of := e.Stability
	for _, n := range of.Classes {
		for _, lambda := range of.Lambda {
			s := spec{e.seeded, n, lambda, of.Rho, of.Gap, of.Variance, of.Grid, of.Draws}
			run := func(ctx context.Context) (table.Set, error) { return newGrid(s).run(ctx) }
			cells = append(cells, study.Cell{Key: fmt.Sprintf("n=%d lambda=%s", n, lambda), Stratum: fmt.Sprintf("n=%d", n), Spec: s, Run: run})
		}
	}
	return cells
}

// grid goes over the points of a map.
type grid struct {
	spec
	lambda float64
	judges []judge // one for each draw
}

// newGrid returns the map of a cell. Two classes are decided in closed form, more draw by draw: the
// logits other than the largest are standard normal, shifted so that their largest is 0; the largest
// is the gap. The draws are the same for all points of a map, and for all λ.
func newGrid(s spec) *grid {
	g := &grid{spec: s, lambda: s.Lambda.Value(s.Classes, s.Rho)}
	if s.Classes == 2 {
		g.judges = []judge{func(gap, variance float64) verdict {
			t := twoClasses{g.lambda, variance}
			return verdict{eigenvalue: t.variance(gap), definite: t.definite(gap)}
		}}
		return g
	}
	others := rand.New(s.Stream("logits", s.Classes))
	for range s.Draws {
		g.judges = append(g.judges, g.drawn(others))
	}
	return g
}

// spaced returns n numbers from low to high, each the same multiple of the one before.
func spaced(low, high float64, n int) []float64 {
	x, step := make([]float64, n), kernel.Log(high/low)/float64(n-1)
	for i := range x {
		x[i] = low * kernel.Exp(float64(i)*step)
	}
	x[n-1] = high // without the rounding of the logarithm
	return x
}

// verdict is what is known of Σ_y of one draw at one point.
type verdict struct {
	eigenvalue          float64 // the smallest of Σ_y without its last row and column
	definite, undecided bool
}

// judge decides a draw at a point of the map.
type judge func(gap, variance float64) verdict

// drawn draws logits and returns their judge. The last class, which the paper leaves out, is not that
// with the largest logit. An eigenvalue below the error of the moments decides nothing.
func (g *grid) drawn(rnd *rand.Rand) judge {
	mean, variances := make([]float64, g.Classes), make([]float64, g.Classes)
	for j := range mean {
		mean[j] = random.Normal(rnd)
	}
	floats.AddConst(-floats.Max(mean[1:]), mean[1:])
	var (
		probit  = softmax.Probit{Lambda: g.lambda, Rho: g.Rho}
		moments = softmax.NewMoments(g.Classes)
		cov     mat.SymDense
		eigen   = linalg.NewEigen(g.Classes - 1)
	)
	return func(gap, variance float64) verdict {
		mean[0] = gap
		for j := range variances {
			variances[j] = variance
		}
		probit.Moments(moments, mean, variances)
		moments.Cov(&cov)
		mat.NewSymDense(g.Classes-1, eigen.Vectors).CopySym(&cov)
		if !eigen.Factorize() {
			return verdict{eigenvalue: math.NaN(), undecided: true}
		}
		smallest := eigen.Values[0]
		return verdict{smallest, smallest > softmax.MomentError, math.Abs(smallest) <= softmax.MomentError}
	}
}

// columns returns those that begin every table, and the given.
func columns(more ...table.Column) []table.Column {
	return append([]table.Column{
		table.Int("classes", "number of classes n"), table.Text("lambda", "slope λ of the probit, as in the manifest"),
		table.Num("lambda_value", "slope λ"),
	}, more...)
}

func (g *grid) key() []any { return []any{g.Classes, g.Lambda.String(), g.lambda} }

// run returns the map, and its averages.
func (g *grid) run(ctx context.Context) (table.Set, error) {
	maps := table.New("maps", columns(
		table.Num("gap", "distance of the largest mean logit from the next").Rounded(6), table.Num("variance", "of every logit").Rounded(6),
		table.Num("definite", "share of the draws for which Σ_y is positive definite").Rounded(6),
		table.Num("undecided", "share of the draws for which rounding decides").Rounded(6),
		table.Num("mean_min_eigenvalue", "smallest eigenvalue of Σ_y over n−1 classes, mean over the draws").Rounded(6),
	)...)
	maps.Packed = true
	draws, points := float64(len(g.judges)), float64(g.Grid*g.Grid)
	definite := make([]float64, len(g.judges)) // points of the map, by draw
	undecided := 0.0
	for _, v := range spaced(g.Variance[0], g.Variance[1], g.Grid) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, gap := range floats.Span(make([]float64, g.Grid), g.Gap[0], g.Gap[1]) {
			var yes, open, sum float64
			for i, judge := range g.judges {
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
			maps.Add(g.key(), gap, v, yes/draws, open/draws, table.Finite(sum/draws))
		}
	}
	for i := range definite {
		definite[i] /= points
	}
	mean, deviation := table.MeanSD(definite)
	err := deviation / math.Sqrt(draws)
	summary := table.New("summary", columns(
		table.Int("draws", "random logits, 1 for two classes, where nothing is drawn"),
		table.Num("definite", "share of the map where Σ_y is positive definite"), table.Num("definite_se", "its standard error over the draws"),
		table.Num("undecided", "share of the map where rounding decides"),
	)...)
	if g.Classes == 2 {
		err = 0 // nothing is drawn
	}
	summary.Add(g.key(), len(g.judges), mean, table.Finite(err), undecided/draws/points)
	if g.Classes == 2 {
		return table.Set{maps, summary, g.boundary(), g.onset()}, nil
	}
	return table.Set{maps, summary}, nil
}
