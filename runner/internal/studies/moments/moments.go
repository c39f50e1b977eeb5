// Package moments is the study of formulas for the moments of the softmax of a Gaussian. At random or given
// logits it compares them with exact integrals or Monte Carlo, or finds where their Σ_y is positive definite.
package moments

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/linalg"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/plots"
	"closedform/runner/internal/slope"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "moments",
	Asks: "How good is each formula for the softmax of a Gaussian?",
	New: func(m *manifest.Manifest) (study.Experiment, error) {
		return study.Decode(m, &experiment{seeded: study.Seeded{Manifest: m.Name, Seed: m.Seed}, Moments: settings{
			Against: "exact", Methods: []string{"probit"}, Lambda: []slope.Lambda{{Word: "slope"}},
			Rho: []float64{0.5}, Draws: 100, Grid: 41,
		}})
	},
}

type experiment struct {
	study.Plain
	Moments settings     `toml:"moments"`
	Chosen  plots.Chosen `toml:"figures,omitzero"`
	seeded  study.Seeded
}

// settings have numbers whose squares are finite. The problems are a grid of classes, spreads and variances;
// or given logits; or, for each number of classes, a map between two gaps (of the largest mean from the next)
// and two variances of all logits.
type settings struct {
	// Against is "exact" integrals, "montecarlo" or "definite"; default "exact".
	Against string `toml:"against" check:"required" words:"exact montecarlo definite"`
	// Methods are the formulas; default "probit".
	Methods []string `toml:"methods" check:"required distinct"`

	// Lambda are slopes λ; default "slope".
	Lambda []slope.Lambda `toml:"lambda" check:"required distinct"`
	// Rho are correlations ρ; default 0.5.
	Rho []float64 `toml:"rho" check:"required distinct" range:"0 0.99"`
	// Classes are numbers of classes.
	Classes manifest.Ints `toml:"classes,omitempty" check:"distinct" range:"2 1,000"`
	// Spread are deviations of random means.
	Spread []float64 `toml:"spread,omitempty" check:"distinct" range:"0 1e30"`
	Mean   []float64 `toml:"mean,omitempty" range:"-1e30 1e30"` // means of logits of your own
	Gap    []float64 `toml:"gap,omitempty" range:"0 1e30"`      // with "definite": two gaps
	// Variance has mean variances of random logits, or the variances of your own.
	Variance []float64 `toml:"variance,omitempty" range:"0 1e30"`
	// Covariance of logits of your own, in place of variance; with "probit", "probit-corr" and samples alone.
	Covariance [][]float64 `toml:"covariance,omitempty"`
	// Draws are random logits of each problem; default 100.
	Draws int `toml:"draws" check:"required" range:"1 1,000,000"`
	// LogitsOf is the experiment whose random logits to reuse; default this one.
	LogitsOf string `toml:"logits_of,omitempty"`
	// Grid is the number of points of a map along each axis; default 41.
	Grid int `toml:"grid" check:"required" range:"2 2,001"`
	// Samples are numbers of samples of Monte Carlo; default none.
	Samples manifest.Ints `toml:"samples,omitempty" check:"distinct" range:"2 1,000,000,000"`
}

// Validate reports what does not go together.
func (s *settings) Validate() error {
	n, gap, variance := len(s.Mean), len(s.Gap) > 0, s.Variance
	kinds := min(1, n) + min(1, len(s.Gap)) + min(1, len(s.Spread))
	rising := func(x []float64) bool { return len(x) == 2 && x[0] < x[1] }
	repeated := n == 0 && len(slices.Compact(slices.Sorted(slices.Values(variance)))) < len(variance)
	return errors.Join(
		field.Refuse(kinds != 1, "spread", s.Spread, "one of spread, gap and mean"),
		field.Refuse(n == 0 && len(s.Classes) == 0, "classes", s.Classes, "each 2 to 1,000"),
		field.Refuse(n > 0 && len(s.Classes) > 0, "classes", s.Classes, "not with mean, a number for each class"),
		field.Refuse(len(variance) == 0 && s.Covariance == nil, "variance", nil, "numbers from 0 to 1e30"),
		field.Refuse(n > 0 && n != max(len(variance), len(s.Covariance)) || n == 1 || n > 1000, "mean", s.Mean,
			"as many as of variance, 2 to 1,000"),
		s.checkCovariance(),
		field.Refuse(gap != (s.Against == "definite"), "gap", s.Gap, `with against = "definite"`),
		field.Refuse(gap && !rising(s.Gap), "gap", s.Gap, "[low, high], 0 ≤ low < high"),
		field.Refuse(gap && !(rising(variance) && variance[0] >= 1e-30), "variance", variance,
			"[low, high], 0 < low"),
		field.Refuse(repeated, "variance", variance, "each value once"),
		field.Refuse(s.Against == "montecarlo" && len(s.Samples) != 1, "samples", s.Samples, "one number"),
		field.Among("methods", methodsFor(s.Against), s.Methods...),
	)
}

// checkCovariance reports a covariance that is none, or that the methods do not take.
func (s *settings) checkCovariance() error {
	n, c := len(s.Covariance), s.Covariance
	if n == 0 {
		return nil
	}
	refuse := func(no bool, allowed string) error { return field.Refuse(no, "covariance", c, allowed) }
	if n != len(s.Mean) || slices.ContainsFunc(c, func(row []float64) bool { return len(row) != n }) {
		return refuse(true, fmt.Sprintf("with mean, %d rows of as many numbers", len(s.Mean)))
	}
	symmetric := true
	for i, row := range c {
		for j, x := range row {
			symmetric = symmetric && x == c[j][i] && math.Abs(x) <= 1e30
		}
	}
	probit := func(name string) bool { return strings.HasPrefix(name, "probit") }
	others := slices.DeleteFunc(slices.Clone(s.Methods), probit)
	return errors.Join(
		refuse(!symmetric || !new(linalg.Cholesky).Factorize(logits{s.Mean, nil, c}.cov()),
			"a symmetric positive definite matrix"),
		refuse(len(s.Variance) > 0, "in place of variance"), refuse(s.Against != "exact", `with against = "exact"`),
		field.Refuse(len(others) > 0, "methods", others,
			`"probit" and "probit-corr", with covariance: other formulas are for independent logits`),
		field.Refuse(len(s.Samples) == 0, "samples", nil,
			"a number, such as 1000000: with covariance the errors are the distances from Monte Carlo"))
}

type spec struct {
	study.Seeded
	LogitsOf string `json:",omitempty"`
	Problem  problem
	Methods  []method
	Samples  []int `json:",omitempty"`
}

// Cells returns a cell for each problem and, unless against exact, each method. Probits on a grid, against
// exact, also have cells with the λ of words.
func (e *experiment) Cells() (cells []study.Cell) {
	m := &e.Moments
	if m.Against == "exact" && slices.Contains(m.Methods, "probit") {
		for _, n := range m.Classes {
			for _, rho := range m.Rho {
				key, s := fmt.Sprintf("lambda n=%d rho=%g", n, rho), fits{n, rho}
				cells = append(cells, study.Cell{Key: key, Spec: s, Run: study.Tables(s.run)})
			}
		}
	}
	for _, p := range m.problems() {
		s := spec{e.seeded, m.LogitsOf, p, m.methods(), m.Samples}
		if m.Against == "exact" {
			cells = append(cells, study.Cell{Key: p.key(), Spec: s, Run: study.Tables(s.exact)})
			continue
		}
		for _, one := range m.methods() {
			s.Methods = []method{one}
			run := s.definite
			if m.Against == "montecarlo" {
				run = s.monteCarlo
			}
			key := one.key() + " " + p.key()
			cells = append(cells, study.Cell{Key: key, Spec: s, Run: study.Tables(run)})
		}
	}
	return cells
}

func (s spec) logits() *rand.Rand {
	if s.LogitsOf != "" || s.Problem.Gaps != nil {
		return rand.New(random.Source(cmp.Or(s.LogitsOf, s.Manifest), s.Seed, "logits", s.Problem.Classes))
	}
	return rand.New(s.Stream(s.Problem.key(), "logits"))
}

func keyColumns() []table.Column {
	return []table.Column{
		table.Int("classes", "number of classes n"),
		table.Num("spread", "the means of random logits are N(0, spread²)"),
		table.Num("variance", "mean of the variances of random logits"),
		table.Text("method", "the formula; a probit ends with the word that chooses its λ, if there is one: slope, "+
			"the slope of the softmax at the origin (slope-matched), lsq, least squares, or minimax"),
		table.Num("lambda", "slope λ of a probit"), table.Num("rho", "correlation ρ of a probit"),
	}
}

func (s spec) row(m method) []any {
	p, name, lambda, rho := s.Problem, m.Name, math.NaN(), math.NaN()
	if p.Given != nil {
		p.Spread, p.Variance = math.NaN(), math.NaN()
	}
	if strings.HasPrefix(name, "probit") {
		lambda, rho = m.Lambda.Value(p.Classes, m.Rho), m.Rho
	}
	if m.Lambda.Word != "" {
		name += "-" + m.Lambda.Word
	}
	return []any{p.Classes, p.Spread, p.Variance, name, lambda, rho}
}
