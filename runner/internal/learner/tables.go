package learner

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"closedform/core/bnn"
	"closedform/internal/field"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/probit"
)

// Learners are the tables of a manifest about methods.
type Learners struct {
	Model   Model    `toml:"model"`                  // the network that every closed-form method begins as
	Sweep   Sweep    `toml:"sweep"`                  // seeds, and values that replace those of all networks
	Methods []Method `toml:"method" inherit:"model"` // the methods; default: the model alone
}

// Sweep has swept values, which replace those of every method.
type Sweep struct {
	Seed   manifest.Ints   `toml:"seed,omitempty"`   // seeds to run with; default the key seed
	Lambda []probit.Lambda `toml:"lambda,omitempty"` // slopes in place of each lambda; default none
	Rho    []float64       `toml:"rho,omitempty"`    // correlations in place of each rho; default none
}

// Validate reports invalid values.
func (s *Sweep) Validate() error {
	return cmp.Or(field.Distinct("lambda", s.Lambda), field.Distinct("rho", s.Rho))
}

// Expand returns every method, or without methods the model named "model", at every swept λ and ρ, the last
// fastest, with names such as "joint lambda=0.1 rho=0.5".
func (t *Learners) Expand() (expanded []Method, err error) {
	methods := t.Methods
	if len(methods) == 0 {
		methods = []Method{NewMethod("model", t.Model)}
	}
	for _, base := range methods {
		if err := t.Sweep.check(&base); err != nil {
			return nil, err
		}
		for i := range max(1, len(t.Sweep.Lambda)) {
			for j := range max(1, len(t.Sweep.Rho)) {
				m := base
				if t.Sweep.Lambda != nil {
					m.Model.Lambda = t.Sweep.Lambda[i]
					m.Name += " lambda=" + m.Model.Lambda.String()
				}
				if t.Sweep.Rho != nil {
					m.Model.Rho = t.Sweep.Rho[j]
					m.Name += " rho=" + probit.Decimal(m.Model.Rho)
				}
				if err := m.Validate(); err != nil {
					return nil, t.Sweep.locate(&m, err)
				}
				expanded = append(expanded, m)
			}
		}
	}
	return expanded, nil
}

func (s *Sweep) check(m *Method) error {
	network, rule := m.ClosedForm() && !m.OutputLayer(), m.Model.Output
	rho := network && (rule == bnn.Joint || rule == bnn.Total)
	lambda := rho || network && (rule == bnn.ADF || rule == bnn.ADFMarginal)
	return refuse("sweep.", " of the method "+m.Name+"; allowed: lambda with the rules joint, total, adf and "+
		"adf-marginal, rho with joint and total",
		map[string]bool{"lambda": len(s.Lambda) > 0 && !lambda, "rho": len(s.Rho) > 0 && !rho})
}

func refuse(table, allowed string, given map[string]bool) error {
	maps.DeleteFunc(given, func(_ string, given bool) bool { return !given })
	keys := slices.Sorted(maps.Keys(given))
	if keys == nil {
		return nil
	}
	return field.Errorf(table+keys[0], "not allowed: %s%s", strings.Join(keys, ", "), allowed)
}

func (s *Sweep) locate(m *Method, err error) error {
	e, ok := errors.AsType[*field.Error](err)
	switch {
	case !ok:
		return err
	case e.Key == "rho" && s.Rho != nil, e.Key == "lambda" && s.Lambda != nil:
		return field.Errorf("sweep."+e.Key, "%s", e.Problem)
	case m.Base == "model":
		return field.Errorf("model."+e.Key, "%s", e.Problem)
	}
	return field.Errorf("method."+m.Base+"."+e.Key, "%s", e.Problem)
}

// Networks is Expand for a study of single networks of this shape, or of ensembles up to a size.
func (t *Learners) Networks(inputs, classes, members int) ([]Method, error) {
	methods, err := t.Expand()
	for i := range methods {
		m := &methods[i]
		if err = m.checkNetwork(members); err == nil {
			m.Model.Members = max(1, m.Model.Members)
			m.Model, err = m.Model.For(inputs, classes)
		}
		if err != nil {
			return nil, t.Sweep.locate(m, err)
		}
	}
	return methods, err
}

func (m *Method) checkNetwork(members int) error {
	allowed := fmt.Sprintf("; allowed: networks with at most %d members, as the study looks into them", members)
	return refuse("", allowed, map[string]bool{
		"kind": !m.ClosedForm(), "features": m.Features.Kind != "", "output": m.OutputLayer(),
		"members": m.Model.Members > members,
		"tune":    len(m.Tune) > 0, "passes": m.Passes != 0, "own_orders": m.OwnOrders,
		"splits": m.Splits != 0, "scale": m.Scale != "",
	})
}

// Plain returns an error, with its place in [[method]], if a method has candidates or fewer seeds.
func Plain(methods []Method) (err error) {
	for _, m := range methods {
		err = cmp.Or(err, refuse("method."+m.Name+".", "; allowed: one setting, for all seeds",
			map[string]bool{"candidates": len(m.Candidates) > 0, "splits": m.Splits != 0}))
	}
	return err
}

// Fit finds the programs of methods, and returns the error of the first method that does not fit the shape.
func Fit(m *manifest.Manifest, methods []Method, inputs, classes int) error {
	_, err := m.FindPrograms()
	for _, method := range methods {
		if err == nil {
			err = m.Locate("method."+method.Base, method.Fits(inputs, classes))
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
