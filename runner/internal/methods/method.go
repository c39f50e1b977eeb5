// Package methods lists everything that a manifest can train: the closed-form
// network and the baselines, each with the configuration of its own package.
package methods

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"closedform/core/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// Method is a way to learn a classifier. Its kind says which other keys it has:
// those of the configuration in the package of the kind.
type Method struct {
	Name string `toml:"name"`
	Kind string `toml:"kind"`

	HiddenLayers []int `toml:"hidden_layers,omitempty"` // widths; none: a linear model
	Passes       int   `toml:"passes,omitempty"`        // over the examples; 0: one
	Window       int   `toml:"window,omitempty"`        // of a stream: the latest examples that a batch method is fitted to

	// The values of the keys in Tune are chosen for each training part: the
	// Candidates, a value each in the order of Tune, are tried, and that with the
	// least log loss on a validation part is taken.
	Tune       []string    `toml:"tune,omitempty"`
	Candidates [][]float64 `toml:"candidates,omitempty"`

	Config any `toml:"-"` // a pointer to that of the kind
}

// Extend implements [config.Extended].
func (m *Method) Extend(table map[string]any) (any, error) {
	name, _ := table["kind"].(string)
	k, ok := kinds[name]
	if !ok {
		return nil, field.Errorf("kind", "%v is not allowed; allowed: %s", table["kind"], strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	m.Config = k.config()
	return m.Config, nil
}

// Extension returns what Extend has.
func (m *Method) Extension() any { return m.Config }

// Online reports whether the method sees one example after another.
func (m *Method) Online() bool { return kinds[m.Kind].online }

// Validate reports what is not allowed.
func (m *Method) Validate() error {
	k := kinds[m.Kind]
	switch {
	case m.Name == "":
		return field.Errorf("name", "missing")
	case len(m.HiddenLayers) > 0 && (!k.layers || slices.Min(m.HiddenLayers) < 1):
		return field.Errorf("hidden_layers", `%v is not allowed for kind = %q`, m.HiddenLayers, m.Kind)
	case m.Passes < 0 || m.Passes > 1 && !k.online:
		return field.Errorf("passes", "%d is not allowed; allowed: 1 or more, for a method that sees one example after another", m.Passes)
	case m.Window < 0 || m.Window > 0 && k.online:
		return field.Errorf("window", "%d is not allowed; allowed: 1 or more, for a method that learns all examples at once", m.Window)
	case (len(m.Tune) == 0) != (len(m.Candidates) == 0):
		return field.Errorf("tune", "allowed: tune = [key, …] and candidates = [[value of each], …] together")
	}
	for _, candidate := range m.Candidates {
		with, err := m.with(candidate)
		if err == nil {
			err = validate(with.Config)
		}
		if err != nil {
			return field.Errorf("candidates", "%v: %v", candidate, err)
		}
	}
	return nil
}

func validate(c any) error {
	if v, ok := c.(config.Validator); ok {
		return v.Validate()
	}
	return nil
}

// with returns the method with the values of a candidate.
func (m *Method) with(candidate []float64) (Method, error) {
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
	return out, nil
}

// Choice is what became of the candidates of a method.
type Choice struct {
	Text    string  // the chosen one, as "prior_var=10 sigma_v=0.1"; empty if there was none to choose
	LogLoss float64 // its log loss on the validation part; NaN if there was none to choose
}

// Choose returns the method with the candidate of the least loss, the first of
// equals.
func (m *Method) Choose(loss func(Method) (float64, error)) (Method, Choice, error) {
	if len(m.Candidates) == 0 {
		return *m, Choice{LogLoss: math.NaN()}, nil
	}
	choice := Choice{LogLoss: math.Inf(1)}
	chosen := m.Candidates[0]
	for _, candidate := range m.Candidates {
		with, err := m.with(candidate)
		if err != nil {
			return with, choice, err
		}
		x, err := loss(with)
		if err != nil {
			return with, choice, err
		}
		if x < choice.LogLoss {
			choice.LogLoss, chosen = x, candidate
		}
	}
	var words []string
	for i, key := range m.Tune {
		words = append(words, key+"="+table.Format(chosen[i]))
	}
	choice.Text = strings.Join(words, " ")
	out, err := m.with(chosen)
	return out, choice, err
}

// Chosen returns the method with the candidate that Choose has described.
func (m *Method) Chosen(text string) (Method, error) {
	for _, candidate := range m.Candidates {
		var words []string
		for i, key := range m.Tune {
			words = append(words, key+"="+table.Format(candidate[i]))
		}
		if strings.Join(words, " ") == text {
			return m.with(candidate)
		}
	}
	if text == "" {
		return *m, nil
	}
	return *m, fmt.Errorf("%s has no candidate %q", m.Name, text)
}

// Learner returns a learner of the method for so many inputs and classes, random
// as src says.
func (m *Method) Learner(inputs, classes int, src rand.Source) (*learner.Tolerant, error) {
	layers := slices.Concat([]int{inputs}, m.HiddenLayers, []int{classes})
	l, err := kinds[m.Kind].learner(m.Config, layers, src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return learner.NewTolerant(l, classes), nil
}

// OfStream returns a learner of the method for a stream that may change: one that
// learns all examples at once is fitted after every so many examples to the latest.
func (m *Method) OfStream(inputs, classes, every int, src rand.Source) (*learner.Tolerant, error) {
	t, err := m.Learner(inputs, classes, src)
	if err != nil {
		return nil, err
	}
	if b, ok := t.Learner.(*learner.Batch); ok {
		b.Every, b.Window = every, m.Window
		if b.Window == 0 {
			b.Window = 200
		}
	}
	return t, nil
}
