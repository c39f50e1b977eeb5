package moments

import (
	"cmp"
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/probit"
)

// settings have numbers whose squares are finite. The problems are a grid of classes, spreads and variances;
// or logits of one's own, with means and variances; or for each number of classes a map, between two gaps (of
// the largest mean from the next) and two variances, which all logits have.
type settings struct {
	Against  string          `toml:"against"`                                // exact, montecarlo or definite
	Methods  []string        `toml:"methods" allowed:"names of formulas"`    // see methodsFor
	Lambda   []probit.Lambda `toml:"lambda" allowed:"numbers > 0, or words"` // slopes λ of the probits
	Rho      []float64       `toml:"rho" allowed:"each 0 to 0.99"`           // correlations ρ, to softmax.MostRho
	Classes  config.Ints     `toml:"classes,omitempty"`                      // numbers of classes n
	Spread   []float64       `toml:"spread,omitempty"`                       // standard deviations of random means
	Mean     []float64       `toml:"mean,omitempty"`                         // of one's own
	Gap      []float64       `toml:"gap,omitempty"`                          // the least and the largest
	Variance []float64       `toml:"variance" allowed:"each 0 to 1e30"`
	Unequal  float64         `toml:"unequal" allowed:"0 to 0.999"`   // uniform on variance·[1−unequal, 1+unequal]
	Draws    int             `toml:"draws" allowed:"1 to 1,000,000"` // random logits of each problem
	LogitsOf string          `toml:"logits_of,omitempty"`            // the experiment whose random logits to reuse
	Grid     int             `toml:"grid" allowed:"2 to 2,001"`      // points of a map along each axis
	Samples  config.Ints     `toml:"samples,omitempty"`              // of Monte Carlo
	Sampled  int             `toml:"montecarlo_draws,omitempty"`     // Monte Carlo as a method has the first so many
}

// Validate reports what is not allowed.
func (s *settings) Validate() error {
	n, gap, variance := len(s.Mean), len(s.Gap) > 0, slices.Clone(s.Variance)
	rising := func(x []float64) bool { return len(x) == 2 && x[0] < x[1] }
	for _, c := range []struct {
		bad     bool
		key     string
		value   any
		allowed string
	}{
		{min(1, n)+min(1, len(s.Spread))+min(1, len(s.Gap)) != 1, "spread", s.Spread, "one of spread, gap and mean"},
		{n == 0 && len(s.Classes) == 0, "classes", s.Classes, "each 2 to 1,000"},
		{n > 0 && len(s.Classes) > 0, "classes", s.Classes, "not with mean, which has one number for each class"},
		{n > 0 && n != len(variance) || n == 1 || n > 1000, "mean", s.Mean, "as many as of variance, 2 to 1,000"},
		{gap != (s.Against == "definite") && n == 0, "gap", s.Gap, `with against = "definite", instead of spread`},
		{gap && !rising(s.Gap), "gap", s.Gap, "[low, high] with 0 ≤ low < high"},
		{gap && !(rising(variance) && variance[0] >= 1e-30), "variance", variance, "[low, high] with 0 < low < high"},
		{s.Against == "montecarlo" && len(s.Samples) != 1, "samples", s.Samples, "one number, such as 1000000"},
	} {
		if c.bad {
			return field.Errorf(c.key, "%v is not allowed; allowed: %s", c.value, c.allowed)
		}
	}
	if n > 0 {
		variance = nil // may be equal
	}
	return cmp.Or(
		field.OneOf("against", s.Against, "exact", "montecarlo", "definite"),
		field.AllOneOf("methods", s.Methods, methodsFor(s.Against)...),
		distinct("methods", s.Methods), distinct("lambda", s.Lambda), distinct("rho", s.Rho),
		distinct("spread", s.Spread), distinct("variance", variance),
		field.AllWithin("classes", s.Classes, 2, 1000), field.AllWithin("spread", s.Spread, 0, 1e30),
		field.AllWithin("mean", s.Mean, -1e30, 1e30), field.AllWithin("gap", s.Gap, 0, 1e30),
		field.AllWithin("samples", s.Samples, 2, 1e9), field.Within("montecarlo_draws", s.Sampled, 0, 1e6),
	)
}

// distinct returns an error if a value is there twice.
func distinct[T comparable](key string, values []T) error {
	for i, x := range values {
		if slices.Contains(values[:i], x) {
			return field.Errorf(key, "%v twice is not allowed; allowed: values that differ", x)
		}
	}
	return nil
}
