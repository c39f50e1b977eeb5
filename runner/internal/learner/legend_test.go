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
	l := NewLegend([]Method{{Name: "adf_exact", Label: "ADF, exact"}, {Name: "my rule", Group: "adf"}})
	for name, want := range map[string]string{"adf_exact": "ADF, exact", "adf_exact lambda=1e-3": "ADF, exact lambda=1e-3", "my rule": "my rule", "your-own_rule": "your own rule"} {
		check.Equal(t, name, l.Label(name), want)
	}
	if a := l.Group("adf_exact"); a < 1 || l.Group("my rule") != a || l.Group("adf-diagonal") != a || l.Group("tagi") == a || l.Group("adf_exact rho=0.5") != 0 {
		t.Errorf("groups %d, %d, %d and %d", a, l.Group("my rule"), l.Group("adf-diagonal"), l.Group("tagi"))
	}
}

// Cells are known by the JSON of their specs.
func TestLabelsAreInNoSpec(t *testing.T) {
	text := string(check.Must(json.Marshal(Method{Label: "label", Group: "group"})))
	if strings.Contains(text, "group") || strings.Contains(strings.ToLower(text), "label") {
		t.Error(text)
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
			Method []struct{ Name, Label, Group string }
		}
		check.Must(toml.DecodeFile(filepath.Join("../../../experiments", name+".toml"), &m))
		for _, method := range m.Method {
			l := Legend{method.Name: {Label: method.Label, Group: method.Group}}
			id, here := strings.ReplaceAll(method.Name, "_", "-"), seen{l.Label(method.Name), l.Group(method.Name)}
			if other, ok := all[id]; ok {
				check.Equal(t, name+": "+method.Name, here, other)
			}
			all[id] = here
		}
	}
}
