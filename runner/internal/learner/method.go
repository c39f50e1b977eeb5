package learner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
)

// Method is a way to learn a classifier. Its kind says which other keys it has:
// those of the configuration in the package of the kind.
type Method struct {
	Name string `toml:"name" allowed:"a text"`
	Kind string `toml:"kind"` // empty in the manifest: closed-form
	Drawn

	Model Model `toml:"-" json:"-"` // [model], as a copy of which a closed-form method begins

	Features
	HiddenLayers []int `toml:"hidden_layers,omitempty"` // widths; none: a linear model
	Passes       int   `toml:"passes,omitempty"`        // over the examples; 0: one

	// OwnOrders shows every member of an ensemble the examples in orders of its own, which
	// must be kept for that.
	OwnOrders bool `toml:"own_orders,omitempty" json:",omitempty"`

	Tuning

	Config any `toml:"-"` // a pointer to that of the kind
}

// Extend implements [config.Extended].
func (m *Method) Extend(table map[string]any) (any, error) {
	m.Kind = closedForm
	if word, given := table["kind"]; given {
		m.Kind, _ = word.(string)
	}
	k, ok := kinds[m.Kind]
	if !ok {
		return nil, field.Errorf("kind", "%v is not allowed; allowed: %s", table["kind"], strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	m.Config = k.config()
	if n, ours := m.Config.(*network); ours {
		n.Model, m.Features = m.Model, m.Model.Features
	}
	return m.Config, nil
}

// Extension returns what Extend has.
func (m *Method) Extension() any { return m.Config }

// Online reports whether the method sees one example after another.
func (m *Method) Online() bool {
	c, either := m.Config.(interface{ Online() bool })
	return kinds[m.Kind].online || either && c.Online()
}

// Validate reports what is not allowed.
func (m *Method) Validate() error {
	k := kinds[m.Kind]
	n, ours := m.Config.(*network)
	if ours {
		n.Features = Features{} // the method has them
	}
	switch {
	case len(m.HiddenLayers) > 0 && !k.layers:
		return field.Errorf("hidden_layers", `%v is not allowed for kind = %q; allowed: none`, m.HiddenLayers, m.Kind)
	case len(m.HiddenLayers) > 0 && slices.Min(m.HiddenLayers) < 1:
		return field.Errorf("hidden_layers", "%v is not allowed; allowed: each 1 or more", m.HiddenLayers)
	case m.Passes < 0 || m.Passes > 1 && !m.Online():
		return field.Errorf("passes", "%d is not allowed; allowed: 1 or more, for a method that sees one example after another", m.Passes)
	case m.OwnOrders && members(m.Config) < 2:
		return field.Errorf("own_orders", "true is not allowed; allowed: with members = 2 or more")
	}
	if err := cmp.Or(m.Features.Validate(), m.check(), field.Within("members", members(m.Config), 0, mostMembers), m.checkEnsemble()); err != nil {
		return err
	}
	if err := field.Resolve(m.Config); err != nil {
		return err
	}
	for _, candidate := range m.Candidates {
		with, err := m.with(candidate)
		if err == nil {
			with.Tuning = Tuning{}
			err = with.Validate()
		}
		if err != nil {
			return field.Errorf("candidates", "%v: %v", candidate, err)
		}
	}
	return nil
}

// Fits returns an error if the method cannot learn examples of so many inputs and
// classes, or needs more memory for it than a machine has.
func (m *Method) Fits(inputs, classes int) error {
	c, ours := m.Config.(*network)
	if _, err := m.Features.of(inputs, 0); err != nil {
		return err
	}
	if ours {
		_, err := c.For(m.seen(inputs), classes)
		return cmp.Or(m.checkEnsemble(), err)
	}
	layers := slices.Concat([]int{m.seen(inputs)}, m.HiddenLayers, []int{classes})
	if n := numbers(m.Config, layers) * float64(max(1, members(m.Config))); n > config.MaxWeights {
		return field.Errorf("kind", "layers %v: the covariance of the weights has %.3g numbers; allowed: at most %d", layers, n, config.MaxWeights)
	}
	return nil
}

// method is a Method, or a struct that embeds one.
type method interface{ base() Method }

func (m Method) base() Method { return m }

// Fit finds the programs of methods, and returns the error of the first method that
// does not fit the data, with its place in the manifest.
func Fit[M method](m *config.Manifest, all []M, inputs, classes int) error {
	if _, err := m.FindPrograms(); err != nil {
		return err
	}
	for _, of := range all {
		of := of.base()
		if err := of.Fits(inputs, classes); err != nil {
			return m.Locate("method."+of.Name, err)
		}
	}
	return nil
}

// Check returns an error, with its place in [[method]], if a method has more candidates than
// the budget, or a key that is only, or not, for streams.
func Check[M method](all []M, budget int, stream bool) error {
	for _, m := range all {
		switch m := m.base(); {
		case m.tuned() && len(m.Candidates) > budget:
			return field.Errorf("method."+m.Name+".candidates", "%d of them; allowed: at most %d, the budget of every method", len(m.Candidates), budget)
		case stream && (m.Passes > 1 || slices.Contains(m.Tune, "passes")):
			return field.Errorf("method."+m.Name+".passes", "allowed: one, along a stream")
		case stream && m.OwnOrders:
			return field.Errorf("method."+m.Name+".own_orders", "true is not allowed; allowed: false, along a stream")
		}
	}
	return nil
}

// Learner returns a learner of the method for so many inputs and classes, random
// as src says, whose first number is the seed of the features, if there are some.
func (m *Method) Learner(inputs, classes int, src rand.Source) (*Tolerant, error) {
	t, err := &Tolerant{Classes: classes}, error(nil)
	if m.severalLayers() {
		t.Learner, err = m.ensemble(inputs, classes, src)
		return t, err
	}
	if m.Features.Kind != "" {
		if t.Map, err = m.Features.of(inputs, src.Uint64()); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		inputs = m.Size
	}
	t.Learner, err = kinds[m.Kind].learner(m.Config, slices.Concat([]int{inputs}, m.HiddenLayers, []int{classes}), src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return t, nil
}

// Train returns a learner of the method that has learned the examples, in its
// passes over them; src is the randomness of the learner, order that of a pass.
func (m *Method) Train(ctx context.Context, e *data.Examples, src rand.Source, order func(pass int) rand.Source) (*Tolerant, error) {
	l, err := m.Learner(e.Inputs(), len(e.Classes()), src)
	if err != nil {
		return nil, err
	}
	course := Course{Examples: e, Passes: m.Passes, Order: order}
	if members(m.Config) > 1 {
		return l, course.TrainMembers(ctx, l, m.OwnOrders)
	}
	return l, course.Train(ctx, l)
}
