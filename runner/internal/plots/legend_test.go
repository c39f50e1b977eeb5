package plots

import (
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/learner"
)

func TestLegend(t *testing.T) {
	l := NewLegend([]learner.Method{{Name: "adf_exact", Label: "ADF, exact"}, {Name: "my_rule", Group: "adf"}})
	for name, want := range map[string]string{
		"adf_exact": "ADF, exact", "my_rule": "my rule", "your-own_rule": "your own rule",
	} {
		check.Equal(t, name, l.Label(name), want)
	}
	a, b, tagi := l.Group("adf_exact"), l.Group("my_rule"), l.Group("tagi")
	if a < 1 || b != a || l.Group("adf-diagonal") != a || tagi == a {
		t.Errorf("groups %d, %d and %d", a, b, tagi)
	}
}
