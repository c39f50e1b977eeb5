package learner

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/table"
)

// Tuning says that the values of the keys in Tune are chosen for each training part:
// the Candidates, a value each in the order of Tune, are tried, and that with the least
// log loss on a part for validation is taken.
type Tuning struct {
	Tune       []string    `toml:"tune,omitzero" json:",omitempty"`
	Candidates []Candidate `toml:"candidates,omitzero" json:",omitempty"`
}

// Candidate has a value for each key of Tune, which is a float64 or a string.
type Candidate []any

// UnmarshalTOML implements toml.Unmarshaler.
func (c *Candidate) UnmarshalTOML(value any) error {
	list, _ := value.([]any)
	*c = nil
	for _, x := range list {
		switch x := x.(type) {
		case int64:
			*c = append(*c, float64(x))
		case float64, string:
			*c = append(*c, x)
		}
	}
	if len(list) == 0 || len(*c) < len(list) {
		return fmt.Errorf("%v is not allowed; allowed: a list of numbers and words", value)
	}
	return nil
}

// tuned reports whether a candidate is chosen by a part for validation.
func (t *Tuning) tuned() bool { return len(t.Candidates) > 0 }

// reshaped reports whether candidates may differ in their inputs or in having hidden layers.
func (t *Tuning) reshaped() bool {
	return slices.ContainsFunc([]string{"features", "feature_size", "output"}, func(key string) bool { return slices.Contains(t.Tune, key) })
}

// check reports what is not allowed.
func (t *Tuning) check() error {
	if (len(t.Tune) == 0) != (len(t.Candidates) == 0) {
		return field.Errorf("tune", "allowed: tune = [key, …] and candidates = [[value of each], …] together")
	}
	return nil
}

// with returns the method with the values of a candidate.
// A candidate without features, or with an output layer, does not have the number of features, or the hidden layers,
// of others.
func (m *Method) with(candidate Candidate) (Method, error) {
	out := *m
	if len(candidate) != len(m.Tune) {
		return out, fmt.Errorf("%d values; allowed: one for each of %s", len(candidate), strings.Join(m.Tune, ", "))
	}
	copied := reflect.New(reflect.TypeOf(m.Config).Elem())
	copied.Elem().Set(reflect.ValueOf(m.Config).Elem())
	out.Config = copied.Interface()
	for i, key := range m.Tune {
		if err := config.Set(key, candidate[i], &out, out.Config); err != nil {
			return out, err
		}
	}
	if out.Features.Kind == "" && slices.Contains(m.Tune, "features") {
		out.Size = 0
	}
	if n, ours := out.Config.(*network); ours && n.Readout != "" && slices.Contains(m.Tune, "output") {
		out.HiddenLayers, n.HiddenLayers = nil, nil
	}
	return out, out.Features.Validate()
}

// Choice is what became of the candidates of a method.
type Choice struct {
	Text    string  // the chosen one, as "prior_var=10 sigma_v=0.1"; empty if there was none to choose
	LogLoss float64 // its log loss on the validation part; NaN if there was none to choose
}

// Choose returns the method with the candidate of the least loss, the first of
// equals.
func (m *Method) Choose(loss func(Method) (float64, error)) (Method, Choice, error) {
	if !m.tuned() {
		return *m, Choice{LogLoss: math.NaN()}, nil
	}
	best, choice := *m, Choice{LogLoss: math.Inf(1)}
	for k, candidate := range m.Candidates {
		with, err := m.with(candidate)
		if err != nil {
			return with, choice, err
		}
		x, err := loss(with)
		if err != nil {
			return with, choice, err
		}
		if k == 0 || x < choice.LogLoss {
			best, choice.Text = with, m.describe(candidate)
		}
		if x < choice.LogLoss {
			choice.LogLoss = x
		}
	}
	return best, choice, nil
}

// describe returns a candidate as "prior_var=10 sigma_v=0.1".
func (m *Method) describe(candidate Candidate) string {
	var words []string
	for i, key := range m.Tune {
		value := candidate[i]
		if x, ok := value.(float64); ok {
			value = table.Format(x)
		}
		words = append(words, fmt.Sprint(key, "=", value))
	}
	return strings.Join(words, " ")
}
