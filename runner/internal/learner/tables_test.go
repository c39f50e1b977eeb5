package learner

import (
	"encoding/json"
	"strings"
	"testing"

	"closedform/core/bnn"
	"closedform/core/features"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
	"closedform/runner/internal/probit"
)

// Every method is there at every swept value, the last changing fastest. One error names all keys that a
// method does not have.
func TestSweep(t *testing.T) {
	model := DefaultModel()
	model.Output = bnn.Joint
	l := Learners{
		Methods: []Method{NewMethod("a", model), NewMethod("b", model)},
		Sweep:   Sweep{Lambda: []probit.Lambda{{Number: 1}, {Word: "slope"}}, Rho: []float64{0, 0.25}},
	}
	all := check.Must(l.Expand())
	check.Equal(t, "names", strings.Join(Names(all), "; "), "a lambda=1.0 rho=0.0; a lambda=1.0 rho=0.25; "+
		"a lambda=slope rho=0.0; a lambda=slope rho=0.25; b lambda=1.0 rho=0.0; b lambda=1.0 rho=0.25; "+
		"b lambda=slope rho=0.0; b lambda=slope rho=0.25")
	m := all[6]
	check.Equal(t, "values", []any{m.Base, m.Model.Rho, m.Model.Lambda.Word}, []any{"b", 0.0, "slope"})
	check.Equal(t, "without methods", Names(check.Must((&Learners{Model: model}).Expand())), []string{"model"})

	refused := func(want string) {
		t.Helper()
		check.Refuses(t, want, check.Err(l.Expand()), want)
	}
	l.Methods[1].Model.Output = bnn.ADFExact
	refused("sweep.lambda: not allowed: lambda, rho of the method b; allowed: lambda with the rules joint")
	l.Methods[1].Model.Output = bnn.ADF
	refused("sweep.rho: not allowed: rho of the method b")
	l.Methods[1].Model.Output, l.Sweep.Rho = bnn.Joint, []float64{1}
	refused("sweep.rho: 1 is not allowed")
	l.Sweep = Sweep{Lambda: l.Sweep.Lambda}
	l.Methods = []Method{check.Must(decode(`kind = "kalman"`))}
	refused("sweep.lambda: not allowed: lambda of the method m")
}

// Keys that a study does not allow are named at once.
func TestRules(t *testing.T) {
	model := DefaultModel()
	networks := func(m Method) error { return check.Err((&Learners{Methods: []Method{m}}).Networks(2, 3, 1)) }
	m := NewMethod("a", model)
	check.OK(t, networks(m))
	m.Passes, m.Scale = 2, dataset.Unit
	check.Refuses(t, "networks", networks(m), "method.a.passes: not allowed: passes, scale; allowed: networks")
	model.Features.Kind, model.Readout = features.Relu, "ridge"
	err := check.Err((&Learners{Model: model}).Networks(2, 3, 1))
	check.Refuses(t, "networks", err, "model.features: ", "output")
	for want, m := range map[string]Method{
		"method.a.candidates: not allowed": {Name: "a", Tuning: Tuning{Candidates: [][]any{{1.0}, {2.0}}}},
		"method.a.splits":                  {Name: "a", Splits: 2},
	} {
		check.Refuses(t, want, Plain([]Method{{Name: "b"}, m}), want)
	}
}

func TestLegend(t *testing.T) {
	l := NewLegend([]Method{{Name: "adf_exact", Label: "ADF, exact"}, {Name: "my_rule", Group: "adf"}})
	for name, want := range map[string]string{
		"adf_exact": "ADF, exact", "adf_exact lambda=1e-3": "ADF, exact lambda=1e-3", "my_rule": "my rule",
		"your-own_rule": "your own rule",
	} {
		check.Equal(t, name, l.Label(name), want)
	}
	a, b, tagi, swept := l.Group("adf_exact"), l.Group("my_rule"), l.Group("tagi"), l.Group("adf_exact rho=0.5")
	if a < 1 || b != a || l.Group("adf-diagonal") != a || tagi == a || swept != 0 {
		t.Errorf("groups %d, %d, %d and %d", a, b, tagi, swept)
	}
	// Cells are known by the JSON of their specs.
	text := strings.ToLower(string(check.Must(json.Marshal(Method{Label: "label", Group: "group"}))))
	if strings.Contains(text, "group") || strings.Contains(text, "label") {
		t.Error(text)
	}
}
