package learner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"closedform/core/features"
	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/manifest"
)

// Method is a way to learn a classifier. Its kind adds the keys of [Model] or of the kind's configuration.
type Method struct {
	Name  string `toml:"name" check:"required"`    // name in rows of tables
	Kind  string `toml:"kind"`                     // "closed-form", or a baseline; default "closed-form"
	Label string `toml:"label,omitempty" json:"-"` // name in figures; default name, with spaces for hyphens
	Group string `toml:"group,omitempty" json:"-"` // methods that share a colour; default name up to a hyphen

	// Splits is how many of the first seeds it uses, in the study learn; default all.
	Splits int `toml:"splits,omitzero" json:"-" range:"1 1,000,000"`
	// Scale is how this method scales its inputs; default as in the data.
	Scale dataset.Scaling `toml:"scale,omitempty" json:",omitempty"`

	Architecture
	Passes int `toml:"passes,omitempty" range:"1 1,000,000"` // passes over the examples; default 1
	// OwnOrders lets each member of an ensemble have its own orders; default false.
	OwnOrders bool `toml:"own_orders,omitempty" json:",omitempty"`
	Tuning

	Model    Model    `toml:"-" json:",omitzero"`  // values for kind closed-form, at first a copy of [model]
	Baseline baseline `toml:"-" json:",omitempty"` // values for another kind
}

// Architecture has the keys that methods of most kinds have.
type Architecture struct {
	Features
	// HiddenLayers are the widths of the hidden layers; default none: linear networks.
	HiddenLayers []int `toml:"hidden_layers,omitempty" range:"1 100,000,000"`
	// Members is the number of members of an ensemble; default 1, for closed-form the default bank.
	Members int `toml:"members,omitempty" json:",omitempty" range:"1 64"`
}

// Features are fixed random features of the scaled inputs, which a method learns on.
type Features struct {
	// Kind maps the scaled inputs to fixed random features; default none.
	Kind features.Kind `toml:"features,omitempty" json:"Features,omitempty"`
	// Size is the number of features; default 512.
	Size int `toml:"feature_size,omitempty" json:"FeatureSize,omitempty"`
}

// Validate sets the size. It returns an error if a size is given without features.
func (f *Features) Validate() error {
	if f.Kind == "" {
		return field.Refuse(f.Size != 0, "feature_size", f.Size, "with features")
	}
	f.Size = cmp.Or(f.Size, 512)
	return nil
}

// Shape is the shape of the data of a learner.
type Shape struct {
	Inputs, Classes int
	Images          bool // inputs are the pixels of a square grey image
	Sequential      bool // the learner predicts each example before it learns the example
}

func (f *Features) apply(s Shape, seed func() uint64) (*features.Map, Shape, error) {
	if f.Kind == "" {
		return nil, s, nil
	}
	m, err := features.New(f.Kind, s.Inputs, f.Size, seed())
	s.Inputs, s.Images = f.Size, false
	return m, s, err
}

// Tuning says that the values of the keys in Tune are chosen from the Candidates, for each training part the
// candidate with the smallest log loss on a validation part.
type Tuning struct {
	// Tune are keys whose values are chosen on a validation part; default none.
	Tune       []string `toml:"tune,omitzero" json:",omitempty" check:"distinct"`
	Candidates [][]any  `toml:"candidates,omitzero" json:",omitempty"` // lists of a value for each key of tune
}

const closedForm = "closed-form"

// ClosedForm reports whether the method is the closed-form network or output layer.
func (m *Method) ClosedForm() bool { return m.Kind == closedForm }

// Extend implements [manifest.Extended].
func (m *Method) Extend(table map[string]any) error {
	m.Kind = closedForm
	if word, given := table["kind"]; given {
		m.Kind, _ = word.(string)
	}
	if k, ok := kinds[m.Kind]; ok {
		m.Model, m.Baseline = Model{}, k.copied()
	} else if !m.ClosedForm() {
		return field.Among("kind", append([]string{closedForm}, slices.Sorted(maps.Keys(kinds))...), m.Kind)
	}
	m.Architecture = m.Model.Architecture
	return nil
}

// Extension returns the struct with the keys of the kind.
func (m *Method) Extension() any {
	if m.ClosedForm() {
		return &m.Model
	}
	return m.Baseline.keys()
}

// Online reports whether the method learns one example after another.
func (m *Method) Online() bool { return m.ClosedForm() || m.Baseline.online() }

// Validate reports what does not go together, and fills in the defaults of the kind.
func (m *Method) Validate() error {
	err := errors.Join(
		field.Refuse(m.Passes > 1 && !m.Online(), "passes", m.Passes, "1, as this kind learns all at once"),
		field.Refuse(m.OwnOrders && m.Members < 2, "own_orders", true, "with members = 2 or more"),
		m.Features.Validate(), field.Resolve(m.Extension()), m.checkCandidates(),
	)
	if err != nil || m.ClosedForm() {
		return err
	}
	return m.Baseline.check(m.layers(Shape{Inputs: 1, Classes: 2}), m.Members) // the smallest shape
}

// Fits returns an error if the method cannot learn so many inputs and classes, or needs too much memory.
func (m *Method) Fits(inputs, classes int) error {
	_, s, err := m.Features.apply(Shape{Inputs: inputs, Classes: classes}, func() uint64 { return 0 })
	if err != nil {
		return err
	}
	if m.ClosedForm() {
		_, err := m.Model.For(s.Inputs, classes)
		return err
	}
	return m.Baseline.check(m.layers(s), m.Members)
}

func (m *Method) layers(s Shape) []int {
	return slices.Concat([]int{s.Inputs}, m.HiddenLayers, []int{s.Classes})
}

// Learner returns a classifier that has learned nothing. The first number of src seeds random features.
func (m *Method) Learner(inputs, classes int, src rand.Source) (*Classifier, error) {
	return m.learner(context.Background(), Shape{Inputs: inputs, Classes: classes}, src)
}

func (m *Method) learner(ctx context.Context, s Shape, src rand.Source) (*Classifier, error) {
	c := &Classifier{Classes: s.Classes}
	var err error
	c.Map, s, err = m.Features.apply(s, src.Uint64)
	switch {
	case err != nil:
	case m.ClosedForm():
		c.Learners, err = m.Model.learner(s, src)
	default:
		c.Learners, err = m.ensemble(ctx, m.layers(s), src)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return c, nil
}

func (m *Method) checkCandidates() error {
	if (len(m.Tune) == 0) != (len(m.Candidates) == 0) {
		return field.Refuse(true, "tune", m.Tune, "tune = [key, …] with candidates = [[value of each], …]")
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

func (m *Method) with(candidate []any) (Method, error) {
	with := *m
	if len(candidate) != len(m.Tune) {
		return with, fmt.Errorf("%d values; allowed: one for each of %q", len(candidate), m.Tune)
	}
	with.Tuning = Tuning{}
	if m.Baseline != nil {
		with.Baseline = m.Baseline.copied()
	}
	for i, key := range m.Tune {
		if err := manifest.Assign(key, candidate[i], &with); err != nil {
			return with, err
		}
	}
	if m.ClosedForm() {
		with.Model.Architecture = with.Architecture
	}
	return with, nil
}

// Choose returns the candidate of the smallest loss, the first of equals, and its description; without
// candidates the method itself.
func (m Method) Choose(loss func(Method) (float64, error)) (best Method, chosen string, err error) {
	best = m
	lowest := math.Inf(1)
	for k, candidate := range m.Candidates {
		with, err := m.with(candidate)
		if err != nil {
			return m, "", err
		}
		l, err := loss(with)
		if err != nil {
			return m, "", err
		}
		if k == 0 || l < lowest {
			best, chosen, lowest = with, m.describe(candidate), l
		}
	}
	return best, chosen, nil
}

func (m *Method) describe(candidate []any) string {
	var words []string
	for i, key := range m.Tune {
		words = append(words, fmt.Sprint(key, "=", candidate[i]))
	}
	return strings.Join(words, " ")
}
