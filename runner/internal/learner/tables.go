package learner

import (
	"cmp"
	"errors"
	"slices"
	"strings"

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
		return []Method{NewMethod("model", t.Model)}
	}
	return slices.Clone(t.Methods)
}

// Networks returns the methods for a study of single networks of this shape.
func (t *Learners) Networks(inputs, classes int) (methods []Method, err error) {
	for _, m := range t.Listed() {
		if err = m.checkNetwork(); err == nil {
			m.Model.Members = 1
			m.Model, err = m.Model.For(inputs, classes)
		}
		if wrong, ok := errors.AsType[*field.Error](err); ok {
			return nil, field.Errorf("method."+m.Name+"."+wrong.Key, "%s", wrong.Problem)
		}
		methods = append(methods, m)
	}
	return methods, err
}

func (m *Method) checkNetwork() error {
	var wrong []string
	for _, k := range []struct {
		key   string
		given bool
	}{
		{"kind", !m.ClosedForm()},
		{"features", m.Features.Kind != ""},
		{"output", m.Model.Readout != ""},
		{"members", m.Model.Members > 1},
		{"tune", len(m.Tune) > 0},
		{"passes", m.Passes != 0},
		{"own_orders", m.OwnOrders},
		{"splits", m.Splits != 0},
		{"scale", m.Scale != ""},
	} {
		if k.given {
			wrong = append(wrong, k.key)
		}
	}
	if wrong == nil {
		return nil
	}
	return field.Errorf(wrong[0], "not allowed: %s; allowed: a single network, as the study looks into it",
		strings.Join(wrong, ", "))
}

// Plain returns an error, with its place in [[method]], if a method has candidates or fewer seeds.
func Plain(methods []Method) (err error) {
	const allowed = "one setting, for all seeds"
	for _, m := range methods {
		key := "method." + m.Name + "."
		err = cmp.Or(err, field.Refuse(len(m.Candidates) > 0, key+"candidates", allowed),
			field.Refuse(m.Splits != 0, key+"splits", allowed))
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
