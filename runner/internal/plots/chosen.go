package plots

import (
	"slices"

	"closedform/internal/field"
)

const maxMethods = 8 // in a chart

// Chosen is the table [figures] of a manifest, the methods that charts show.
type Chosen struct {
	// Methods are methods in charts, at most eight; default the first eight.
	Methods []string `toml:"methods,omitempty" check:"distinct"`
}

// Validate returns an error if a chart would have too many methods.
func (c Chosen) Validate() error {
	return field.Refuse(len(c.Methods) > maxMethods, "methods", c.Methods, "at most eight in a chart")
}

// Check returns an error if a chosen method is not among names.
func (c Chosen) Check(names ...string) error {
	return field.Among("figures.methods", names, c.Methods...)
}

// Among returns the methods that are chosen, or, if none is, the first eight.
func (c Chosen) Among(methods []string) []string {
	others := func(m string) bool { return !slices.Contains(c.Methods, m) }
	if chosen := slices.DeleteFunc(slices.Clone(methods), others); len(chosen) > 0 {
		return chosen
	}
	return methods[:min(maxMethods, len(methods))]
}
