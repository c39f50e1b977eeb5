package learner

import (
	"errors"
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/manifest"
)

// Learners are the tables of a manifest about methods.
type Learners struct {
	Model   Model    `toml:"model"`                  // the network that every closed-form method begins as
	Methods []Method `toml:"method" inherit:"model"` // the methods; default: the model alone
}

// Listed returns the methods, or without any the model as the method "model".
func (t *Learners) Listed() []Method {
	if len(t.Methods) == 0 {
		m := t.Model
		return []Method{{Name: "model", Kind: closedForm, Architecture: m.Architecture, Model: m}}
	}
	return slices.Clone(t.Methods)
}

// Networks returns the methods for a study of single networks of this shape.
func (t *Learners) Networks(inputs, classes int) (methods []Method, wrong error) {
	const single = "a single network, as the study looks into it"
	for _, m := range t.Listed() {
		err := errors.Join(
			field.Refuse(!m.ClosedForm(), "kind", m.Kind, single),
			field.Refuse(m.Features.Kind != "", "features", m.Features.Kind, single),
			field.Refuse(m.Model.Readout != "", "output", m.Model.Readout, single),
			field.Refuse(m.Model.Members > 1, "members", m.Model.Members, single),
			field.Refuse(len(m.Tune) > 0, "tune", m.Tune, single),
			field.Refuse(m.Passes != 0, "passes", m.Passes, single),
			field.Refuse(m.OwnOrders, "own_orders", m.OwnOrders, single),
			field.Refuse(m.Splits != 0, "splits", m.Splits, single),
			field.Refuse(m.Scale != "", "scale", m.Scale, single))
		if err == nil {
			m.Model.Members = 1
			m.Model, err = m.Model.For(inputs, classes)
		}
		methods, wrong = append(methods, m), errors.Join(wrong, field.In("method."+m.Name, err))
	}
	return methods, wrong
}

// Plain returns an error, with its place in [[method]], if a method has candidates or fewer seeds.
func Plain(methods []Method) (err error) {
	const allowed = "one setting, for all seeds"
	for _, m := range methods {
		key := "method." + m.Name + "."
		err = errors.Join(err, field.Refuse(len(m.Candidates) > 0, key+"candidates", m.Candidates, allowed),
			field.Refuse(m.Splits != 0, key+"splits", m.Splits, allowed))
	}
	return err
}

// Fit finds the programs of methods, and returns the error of the first method that does not fit the shape.
func Fit(m *manifest.Manifest, methods []Method, inputs, classes int) error {
	_, err := m.FindPrograms()
	for _, method := range methods {
		if err == nil {
			err = m.Locate("method."+method.Name, method.Fits(inputs, classes))
		}
	}
	return err
}

// Names returns the names of methods.
func Names(methods []Method) (names []string) {
	for _, m := range methods {
		names = append(names, m.Name)
	}
	return names
}
