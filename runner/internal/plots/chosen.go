package plots

import (
	"slices"

	"closedform/internal/field"
)

const maxMethods = 8 // in a chart

// Chosen is the table [figures] of a manifest, the methods that charts show.
type Chosen struct {
	Methods []string `toml:"methods,omitempty"` // methods in charts, at most eight; default the first eight
}

// Validate reports invalid values.
func (c Chosen) Validate() error {
	if n := len(c.Methods); n > maxMethods {
		return field.Errorf("methods", "%d of them; allowed: at most %d in a chart", n, maxMethods)
	}
	return field.Distinct("methods", c.Methods)
}

// Check returns an error if a chosen method is not among names.
func (c Chosen) Check(names ...string) error {
	return field.AllOneOf("figures.methods", c.Methods, names...)
}

// Among returns the methods that are chosen, or, if none is, the first eight.
func (c Chosen) Among(methods []string) []string {
	others := func(m string) bool { return !slices.Contains(c.Methods, m) }
	if chosen := slices.DeleteFunc(slices.Clone(methods), others); len(chosen) > 0 {
		return chosen
	}
	return methods[:min(maxMethods, len(methods))]
}
