package learner

import (
	"fmt"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/table"
)

// Tuning says that the values of the keys in Tune are chosen for each training part: the Candidates, a value
// each in the order of Tune, are tried, and that with the least log loss on a part for validation is used.
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

// checkCandidates reports what is not allowed.
func (m *Method) checkCandidates() error {
	if (len(m.Tune) == 0) != (len(m.Candidates) == 0) {
		return field.Errorf("tune", "allowed: tune = [key, …] and candidates = [[value of each], …] together")
	}
	for _, candidate := range m.Candidates {
		with, err := m.with(candidate)
		if err == nil {
			err = with.Validate()
		}
		if err != nil {
			return field.Errorf("candidates", "%v: %v", candidate, err)
		}
	}
	return nil
}

// with returns the method with the values of a candidate, which has no candidates. One without features, or
// with an output layer, does not have the number of features, or the hidden layers, of others.
func (m *Method) with(candidate Candidate) (Method, error) {
	with := *m
	if len(candidate) != len(m.Tune) {
		return with, fmt.Errorf("%d values; allowed: one for each of %s", len(candidate), strings.Join(m.Tune, ", "))
	}
	with.Tuning = Tuning{}
	if m.Config != nil {
		with.Config = copied(m.Config).Interface()
	}
	for i, key := range m.Tune {
		if err := config.Set(key, candidate[i], &with, with.Extension()); err != nil {
			return with, err
		}
	}
	if with.Features.Kind == "" && slices.Contains(m.Tune, "features") {
		with.Size = 0
	}
	if with.OutputLayer() && slices.Contains(m.Tune, "output") {
		with.HiddenLayers = nil
	}
	if m.ClosedForm() {
		with.Model.Features, with.Model.HiddenLayers = with.Features, with.HiddenLayers
	}
	return with, nil
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
