package study

import (
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/table"
)

// most is how many methods a chart has at most.
const most = 8

// Chosen is the table [figures] of a manifest: what charts show.
type Chosen struct {
	Methods []string `toml:"methods,omitempty"` // none: the first eight
}

// Validate reports what is not allowed.
func (c Chosen) Validate() error {
	if n := len(c.Methods); n > most {
		return field.Errorf("methods", "%d of them; allowed: at most %d in a chart", n, most)
	}
	return field.Distinct("methods", c.Methods)
}

// Check returns an error unless the methods are among those of these names.
func (c Chosen) Check(names ...string) error {
	return field.AllOneOf("figures.methods", c.Methods, names...)
}

// Of returns the rows of the methods that are shown.
func (c Chosen) Of(t *table.Table) *table.Table {
	all := t.Distinct("method")
	shown := slices.DeleteFunc(slices.Clone(c.Methods), func(m string) bool { return !slices.Contains(all, m) })
	if len(shown) == 0 {
		shown = all[:min(most, len(all))]
	}
	var rows []int
	for i, m := range t.Texts("method") {
		if slices.Contains(shown, m) {
			rows = append(rows, i)
		}
	}
	return t.Rows(rows)
}
