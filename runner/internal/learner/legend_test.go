package learner

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"closedform/internal/check"
)

func TestLegend(t *testing.T) {
	l := NewLegend([]Named{{Name: "adf_exact", Drawn: Drawn{Label: "ADF, exact"}}, {Name: "my rule", Drawn: Drawn{Group: "adf"}}})
	for name, want := range map[string]string{"adf_exact": "ADF, exact", "adf_exact lambda=1e-3": "ADF, exact lambda=1e-3", "my rule": "my rule", "your-own_rule": "your own rule"} {
		check.Equal(t, name, l.Label(name), want)
	}
	if a := l.Group("adf_exact"); a < 1 || l.Group("my rule") != a || l.Group("adf-diagonal") != a || l.Group("tagi") == a || l.Group("adf_exact rho=0.5") != 0 {
		t.Errorf("groups %d, %d, %d and %d", a, l.Group("my rule"), l.Group("adf-diagonal"), l.Group("tagi"))
	}
}

// Cells are known by the JSON of their specs.
func TestLabelsAreInNoSpec(t *testing.T) {
	d := Drawn{"label", "group"}
	for _, with := range []any{Method{Drawn: d}, Named{Drawn: d}} {
		if text, err := json.Marshal(with); err != nil || strings.Contains(string(text), "group") || strings.Contains(strings.ToLower(string(text)), "label") {
			t.Errorf("%v: %s", err, text)
		}
	}
}

// A method has one label and one colour in all manifests whose figures are in the paper.
func TestLabelsOfManifests(t *testing.T) {
	type seen struct {
		label string
		group int
	}
	all := map[string]seen{}
	for _, name := range []string{"posterior", "hidden", "order", "uci", "unknown"} {
		var m struct {
			Method []struct {
				Name string
				Drawn
			}
		}
		check.Must(toml.DecodeFile(filepath.Join("../../../experiments", name+".toml"), &m))
		for _, method := range m.Method {
			l := Legend{method.Name: method.Drawn}
			id, here := strings.ReplaceAll(method.Name, "_", "-"), seen{l.Label(method.Name), l.Group(method.Name)}
			if other, ok := all[id]; ok {
				check.Equal(t, name+": "+method.Name, here, other)
			}
			all[id] = here
		}
	}
}
