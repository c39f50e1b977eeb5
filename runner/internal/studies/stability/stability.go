// Package stability is the study of where the probit's covariance Σ_y of the probabilities is positive
// definite, which the paper's update takes for granted: over the gap between the largest logit and the
// next, and the variance that all logits have.
package stability

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
	"closedform/runner/internal/config"
	"closedform/runner/internal/probit"
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
	Classes  config.Ints     `toml:"classes" allowed:"each 2 to 1,000"`                    // numbers of classes: 2 in closed form, others by sampling
	Lambda   []probit.Lambda `toml:"lambda" allowed:"numbers > 0, or words as in [model]"` // slopes λ of the probit
	Rho      float64         `toml:"rho"`                                                  // its correlation ρ
	Gap      []float64       `toml:"gap" allowed:"each 0 to 1e30"`                         // first and last distance of the largest mean logit from the next
	Variance []float64       `toml:"variance" allowed:"each 1e-30 to 1e30"`                // lowest and highest variance of every logit, on a logarithmic axis
	Grid     int             `toml:"grid" allowed:"2 to 2,001"`                            // points of the maps along each axis
	Draws    int             `toml:"draws" allowed:"1 to 1,000,000"`                       // random logits, the same at all points
}

func (s *settings) Validate() error {
	switch {
	case len(s.Gap) != 2 || !(s.Gap[0] < s.Gap[1]):
		return field.Errorf("gap", "%v is not allowed; allowed: [low, high] with 0 ≤ low < high", s.Gap)
	case len(s.Variance) != 2 || !(s.Variance[0] < s.Variance[1]):
		return field.Errorf("variance", "%v is not allowed; allowed: [low, high] with 0 < low < high", s.Variance)
	case slices.ContainsFunc(s.Lambda, func(l probit.Lambda) bool { return l.Word != "" }):
		return field.Within("rho", s.Rho, 0, softmax.MostRho)
	}
	return field.Fraction("rho", s.Rho)
}

// spec is all that the tables of a cell, one number of classes and one λ, follow from.
type spec struct {
	study.Seeded
	Classes       int
	Lambda        probit.Lambda
	Rho           float64
	Gap, Variance []float64
	Grid, Draws   int
}

func (e *experiment) Cells() (cells []study.Cell) {
	of := e.Stability
	for _, n := range of.Classes {
		for _, lambda := range of.Lambda {
			s := spec{e.seeded, n, lambda, of.Rho, of.Gap, of.Variance, of.Grid, of.Draws}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("n=%d lambda=%s", n, lambda), Spec: s, Run: s.run})
		}
	}
	return cells
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

// draw draws logits, and returns the smallest eigenvalue of Σ_y without its last row and column at points of
// the map. Logits other than the largest are standard normal, shifted so that their largest is 0; the largest
// is the gap. The last class, which the paper leaves out, is not that with the largest logit.
func (s spec) draw(p softmax.Probit, rnd *rand.Rand) func(gap, variance float64) float64 {
	mean, variances := make([]float64, s.Classes), make([]float64, s.Classes)
	for j := range mean {
		mean[j] = random.Normal(rnd)
	}
	floats.AddConst(-floats.Max(mean[1:]), mean[1:])
	var (
		moments = softmax.NewMoments(s.Classes)
		cov     mat.SymDense
		eigen   = linalg.NewEigen(s.Classes - 1)
	)
	return func(gap, variance float64) float64 {
		mean[0] = gap
		for j := range variances {
			variances[j] = variance
		}
		p.Moments(moments, mean, variances)
		moments.Cov(&cov)
		mat.NewSymDense(s.Classes-1, eigen.Vectors).CopySym(&cov)
		if !eigen.Factorize() {
			return math.NaN()
		}
		return eigen.Values[0]
	}
}

// run returns the map, and its averages; of two classes the boundary, too. Two classes are decided in
// closed form, more draw by draw, where an eigenvalue below the error of the moments decides nothing.
// The draws are the same for all points of a map, and for all λ.
func (s spec) run(ctx context.Context) (table.Set, error) {
	p := softmax.Probit{Lambda: s.Lambda.Value(s.Classes, s.Rho), Rho: s.Rho}
	of := []func(gap, variance float64) float64{twoClasses(p.Lambda).variance} // smallest eigenvalues, by draw
	rounding := 0.0
	if s.Classes > 2 {
		rnd := rand.New(s.Stream("logits", s.Classes))
		of, rounding = nil, softmax.MomentError
		for range s.Draws {
			of = append(of, s.draw(p, rnd))
		}
	}
	columns := func(more ...table.Column) []table.Column {
		return append([]table.Column{
			table.Int("classes", "number of classes n"), table.Text("lambda", "slope λ of the probit, as in the manifest"),
			table.Num("lambda_value", "slope λ"),
		}, more...)
	}
	key := []any{s.Classes, s.Lambda.String(), p.Lambda}
	maps := table.New("maps", columns(
		table.Num("gap", "distance of the largest mean logit from the next").Rounded(6), table.Num("variance", "of every logit").Rounded(6),
		table.Num("definite", "share of the draws for which Σ_y is positive definite").Rounded(6),
		table.Num("undecided", "share of the draws for which rounding decides").Rounded(6),
		table.Num("mean_min_eigenvalue", "smallest eigenvalue of Σ_y over n−1 classes, mean over the draws").Rounded(6),
	)...)
	maps.Packed = true
	draws, points := float64(len(of)), float64(s.Grid*s.Grid)
	definite := make([]float64, len(of)) // points of the map, by draw
	undecided := 0.0
	for _, v := range spaced(s.Variance[0], s.Variance[1], s.Grid) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, gap := range floats.Span(make([]float64, s.Grid), s.Gap[0], s.Gap[1]) {
			var yes, open, sum float64
			for i, smallest := range of {
				eigenvalue := smallest(gap, v)
				sum += eigenvalue
				if eigenvalue > rounding {
					yes++
					definite[i]++
				} else if !(eigenvalue < -rounding) {
					open++
				}
			}
			undecided += open
			maps.Add(key, gap, v, yes/draws, open/draws, table.Finite(sum/draws))
		}
	}
	for i := range definite {
		definite[i] /= points
	}
	mean, deviation := table.MeanSD(definite)
	summary := table.New("summary", columns(
		table.Int("draws", "random logits, 1 for two classes, where nothing is drawn"),
		table.Num("definite", "share of the map where Σ_y is positive definite"), table.Num("definite_se", "its standard error over the draws"),
		table.Num("undecided", "share of the map where rounding decides"),
	)...)
	if s.Classes > 2 {
		summary.Add(key, len(of), mean, table.Finite(deviation/math.Sqrt(draws)), undecided/draws/points)
		return table.Set{maps, summary}, nil
	}
	summary.Add(key, len(of), mean, 0., undecided/points)
	boundary := table.New("boundary", columns(
		table.Num("gap", "from which on Σ_y of two classes is not positive definite"), table.Num("variance", "of every logit"),
	)...)
	for _, v := range twoClasses(p.Lambda).variances(s) {
		boundary.Add(key, twoClasses(p.Lambda).boundary(v), v)
	}
	return table.Set{maps, summary, boundary}, nil
}
