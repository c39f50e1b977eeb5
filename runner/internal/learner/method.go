package learner

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/config"
)

// Method is a way to learn a classifier. Its kind says which other keys it has: those of [Model] or of the
// configuration in the package of the kind.
type Method struct {
	Name  string `toml:"name" allowed:"a text"`
	Kind  string `toml:"kind"`                     // empty in the manifest: closed-form
	Label string `toml:"label,omitempty" json:"-"` // in figures and tables; none: the name, with spaces for hyphens
	Group string `toml:"group,omitempty" json:"-"` // of one colour; none: the name up to its first hyphen

	Sets   []string        `toml:"sets,omitempty" json:"-"`           // the names of those that it learns; none: all
	Splits int             `toml:"splits,omitzero" json:"-"`          // how many of the seeds it learns a set with, at most; 0: all
	Scale  dataset.Scaling `toml:"scale,omitempty" json:",omitempty"` // of the inputs; empty: that of the data

	Features
	HiddenLayers []int `toml:"hidden_layers,omitempty"` // widths; none: a linear model
	Passes       int   `toml:"passes,omitempty"`        // over the examples; 0: one

	// OwnOrders shows every member of an ensemble the examples in orders of its own, which
	// must be kept for that.
	OwnOrders bool `toml:"own_orders,omitempty" json:",omitempty"`

	Tuning

	Model  Model `toml:"-" json:",omitzero"`  // of a closed-form method, which begins as a copy of [model]
	Config any   `toml:"-" json:",omitempty"` // of another one: a pointer to the configuration in the package of the kind

	Base string `toml:"-" json:"-"` // of a method of [Learners.Expand]: its name without what is swept
}

// closedForm is the kind of the network, that of a method which has none.
const closedForm = "closed-form"

// NewMethod returns the network of a model as a method.
func NewMethod(name string, m Model) Method {
	return Method{Name: name, Base: name, Kind: closedForm, Features: m.Features, HiddenLayers: m.HiddenLayers, Model: m}
}

// ClosedForm reports whether the method is the closed-form network.
func (m *Method) ClosedForm() bool { return m.Kind == closedForm }

// OutputLayer reports whether the method is one output layer in place of a network.
func (m *Method) OutputLayer() bool {
	return m.Model.Readout != "" && m.Model.Members <= 1 && m.Weights == ""
}

// Learns reports whether the method learns a set of this name.
func (m *Method) Learns(set string) bool { return len(m.Sets) == 0 || slices.Contains(m.Sets, set) }

// Extend implements [config.Extended].
func (m *Method) Extend(table map[string]any) (any, error) {
	m.Base, _ = table["name"].(string)
	m.Kind = closedForm
	if word, given := table["kind"]; given {
		m.Kind, _ = word.(string)
	}
	if m.ClosedForm() {
		m.Features, m.HiddenLayers = m.Model.Features, m.Model.HiddenLayers
		return &m.Model, nil
	}
	k, ok := kinds[m.Kind]
	if !ok {
		words := append(slices.Collect(maps.Keys(kinds)), closedForm)
		return nil, field.Errorf("kind", "%v is not allowed; allowed: %s", table["kind"], strings.Join(slices.Sorted(slices.Values(words)), ", "))
	}
	m.Model, m.Config = Model{}, k.config()
	return m.Config, nil
}

// Extension returns what Extend has.
func (m *Method) Extension() any {
	if m.ClosedForm() {
		return &m.Model
	}
	return m.Config
}

// Online reports whether the method sees one example after another.
func (m *Method) Online() bool {
	c, either := m.Config.(interface{ Online() bool })
	return m.ClosedForm() || kinds[m.Kind].online || either && c.Online()
}

// members returns how many members an ensemble has; 0: the default.
func (m *Method) members() int {
	if m.ClosedForm() {
		return m.Model.Members
	}
	return members(m.Config)
}

// Validate reports what is not allowed.
func (m *Method) Validate() error {
	switch {
	case len(m.HiddenLayers) > 0 && !m.ClosedForm() && !kinds[m.Kind].layers:
		return field.Errorf("hidden_layers", `%v is not allowed for kind = %q; allowed: none`, m.HiddenLayers, m.Kind)
	case len(m.HiddenLayers) > 0 && slices.Min(m.HiddenLayers) < 1:
		return field.Errorf("hidden_layers", "%v is not allowed; allowed: each 1 or more", m.HiddenLayers)
	case m.Splits < 0:
		return field.Errorf("splits", "%d is not allowed; allowed: 1 or more, or 0 for all", m.Splits)
	case m.Passes < 0 || m.Passes > 1 && !m.Online():
		return field.Errorf("passes", "%d is not allowed; allowed: 1 or more, for a method that sees one example after another", m.Passes)
	case m.OwnOrders && (m.members() < 2 || m.Weights != ""):
		return field.Errorf("own_orders", "true is not allowed; allowed: with members = 2 or more, without weights")
	}
	err := cmp.Or(
		m.Scale.Validate(), m.Features.Validate(), m.check(m.ClosedForm()), field.Within("members", m.members(), 0, mostMembers),
		m.checkMembers(), field.Resolve(m.Extension()),
	)
	if err != nil {
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
	of := m.mixed()
	_, err := m.Features.of(inputs, 0)
	switch err = cmp.Or(err, m.checkMembers()); {
	case err != nil:
		return err
	case !m.ClosedForm():
		layers := slices.Concat([]int{m.seen(inputs)}, m.HiddenLayers, []int{classes})
		if n := numbers(m.Config, layers) * float64(max(1, m.members())); n > config.MaxWeights {
			return field.Errorf("kind", "layers %v: the covariance of the weights has %.3g numbers; allowed: at most %d", layers, n, config.MaxWeights)
		}
		return nil
	case of.Weights == "":
		_, err := m.Model.For(m.seen(inputs), classes)
		return err
	}
	for _, candidate := range of.Candidates {
		with, err := of.with(candidate)
		if err != nil {
			return err
		}
		with.Model.Members = max(1, with.Model.Members) * len(of.Candidates)
		_, wide := with.Features.of(inputs, 0)
		_, large := with.Model.For(with.seen(inputs), classes)
		if err := cmp.Or(wide, large); err != nil {
			return err
		}
	}
	return nil
}

// Learner returns a learner of the method for so many inputs and classes, random
// as src says, whose first number is the seed of the features, if there are some.
func (m *Method) Learner(inputs, classes int, src rand.Source) (*Classifier, error) {
	c, of := &Classifier{Classes: classes}, m.mixed()
	var err error
	if m.Features.Kind != "" && !of.ownFeatures() {
		if c.Map, err = m.Features.of(inputs, src.Uint64()); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		inputs = m.Size
	}
	switch {
	case !m.ClosedForm():
		c.Learner, err = kinds[m.Kind].learner(m.Config, slices.Concat([]int{inputs}, m.HiddenLayers, []int{classes}), src)
	case of.Weights == "":
		c.Learner, err = m.Model.learner(inputs, classes, src)
	default:
		var bank *Network
		if bank, err = of.bank(inputs, classes, src); err == nil && m.Weights == "" {
			bank.names = nil // of the members of an ensemble
		}
		c.Learner = bank
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return c, nil
}
