// Package moments is the study of formulas for the moments of the softmax of a Gaussian. At random or given
// logits it compares them with exact integrals or Monte Carlo, or finds where their Σ_y is positive definite.
package moments

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"closedform/core/random"
	"closedform/internal/field"
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
	Against string   `toml:"against"`
	Methods []string `toml:"methods" allowed:"names of formulas"` // the formulas; default "probit"

	Lambda  []slope.Lambda `toml:"lambda" allowed:"numbers > 0, or words"` // slopes λ; default "slope"
	Rho     []float64      `toml:"rho" allowed:"each 0 to 0.99"`           // correlations ρ; default 0.5
	Classes manifest.Ints  `toml:"classes,omitempty"`                      // numbers of classes
	Spread  []float64      `toml:"spread,omitempty"`                       // deviations of random means
	Mean    []float64      `toml:"mean,omitempty"`                         // means of logits of your own
	Gap     []float64      `toml:"gap,omitempty"`                          // with "definite": two gaps
	// Variance has mean variances of random logits, or the variances of your own.
	Variance []float64 `toml:"variance" allowed:"each 0 to 1e30"`
	Draws    int       `toml:"draws" allowed:"1 to 1,000,000"` // random logits of each problem; default 100
	// LogitsOf is the experiment whose random logits to reuse; default this one.
	LogitsOf string `toml:"logits_of,omitempty"`
	Grid     int    `toml:"grid" allowed:"2 to 2,001"` // points of a map along each axis; default 41
	// Samples are numbers of samples of Monte Carlo; default none.
	Samples manifest.Ints `toml:"samples,omitempty"`
}

// Validate reports invalid values.
func (s *settings) Validate() error {
	n, gap, variance := len(s.Mean), len(s.Gap) > 0, s.Variance
	kinds := min(1, n) + min(1, len(s.Gap)) + min(1, len(s.Spread))
	rising := func(x []float64) bool { return len(x) == 2 && x[0] < x[1] }
	refuse := func(bad bool, key string, value any, allowed string) error {
		if bad {
			return field.Errorf(key, "%v is not allowed; allowed: %s", value, allowed)
		}
		return nil
	}
	err := cmp.Or(
		field.OneOf("against", s.Against, "exact", "montecarlo", "definite"),
		refuse(kinds != 1, "spread", s.Spread, "one of spread, gap and mean"),
		refuse(n == 0 && len(s.Classes) == 0, "classes", s.Classes, "each 2 to 1,000"),
		refuse(n > 0 && len(s.Classes) > 0, "classes", s.Classes, "not with mean, a number for each class"),
		refuse(n > 0 && n != len(variance) || n == 1 || n > 1000, "mean", s.Mean,
			"as many as of variance, 2 to 1,000"),
		refuse(gap != (s.Against == "definite"), "gap", s.Gap, `with against = "definite"`),
		refuse(gap && !rising(s.Gap), "gap", s.Gap, "[low, high], 0 ≤ low < high"),
		refuse(gap && !(rising(variance) && variance[0] >= 1e-30), "variance", variance, "[low, high], 0 < low"),
		refuse(s.Against == "montecarlo" && len(s.Samples) != 1, "samples", s.Samples, "one number"),
	)
	if n > 0 {
		variance = nil // may be equal
	}
	return cmp.Or(err,
		field.AllOneOf("methods", s.Methods, methodsFor(s.Against)...),
		field.Distinct("methods", s.Methods), field.Distinct("lambda", s.Lambda), field.Distinct("rho", s.Rho),
		field.Distinct("spread", s.Spread), field.Distinct("variance", variance),
		field.AllWithin("classes", s.Classes, 2, 1000), field.AllWithin("spread", s.Spread, 0, 1e30),
		field.AllWithin("mean", s.Mean, -1e30, 1e30), field.AllWithin("gap", s.Gap, 0, 1e30),
		field.AllWithin("samples", s.Samples, 2, 1e9),
	)
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
		table.Text("method", "the formula; a probit ends with the word that chooses its λ, if there is one"),
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
