package learner

import (
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
)

// OnSets are the tables [[set]], [model] and [[method]] of a study whose methods need not learn all sets.
type OnSets struct {
	data.Sources
	Model   Model    `toml:"model"`
	Methods []OfSets `toml:"method" inherit:"model" allowed:"at least one table headed [[method]]"`
}

// OfSets is a method that learns some sets.
type OfSets struct {
	Method
	Sets []string `toml:"sets,omitempty"` // the names of those that it learns; none: all
}

// Learns reports whether the method learns a set.
func (m OfSets) Learns(set data.Named) bool {
	return len(m.Sets) == 0 || slices.Contains(m.Sets, set.Name)
}

// Check returns an error, with its place in the manifest, if a method has a set that there is not, or
// is not for streams.
func (o *OnSets) Check() error {
	var names []string
	for _, s := range o.Sets {
		names = append(names, s.Name)
	}
	var all []Method
	for _, m := range o.Methods {
		for _, set := range m.Sets {
			if !slices.Contains(names, set) {
				return field.Errorf("method."+m.Name+".sets", "%q is not allowed; allowed: %s", set, strings.Join(names, ", "))
			}
		}
		all = append(all, m.Method)
	}
	return Check(all, 0, true)
}

// Load reads the sets, and returns the error of the first method that does not fit one that it learns.
func (o *OnSets) Load(m *config.Manifest) error {
	if err := o.Sources.Load(m); err != nil {
		return err
	}
	for _, s := range o.Sets {
		for _, method := range o.Methods {
			if !method.Learns(s) {
				continue
			}
			if err := Fit(m, []Method{method.Method}, s.Inputs(), len(s.Classes())); err != nil {
				return err
			}
		}
	}
	return nil
}
