package learner

import (
	"cmp"

	"closedform/core/features"
	"closedform/internal/field"
)

// Features are fixed random features of the scaled inputs, which a method sees in their place.
type Features struct {
	Kind features.Kind `toml:"features,omitempty" json:"Features,omitempty"`        // empty: the method sees the inputs
	Size int           `toml:"feature_size,omitempty" json:"FeatureSize,omitempty"` // their number
}

// Validate reports what is not allowed. Without a number of features it sets 512.
func (f *Features) Validate() error {
	switch {
	case f.Kind == "" && f.Size != 0:
		return field.Errorf("feature_size", "%d is not allowed; allowed: with features", f.Size)
	case f.Kind == "":
		return nil
	}
	f.Size = cmp.Or(f.Size, 512)
	return field.OneOf("features", f.Kind, features.Relu, features.Conv)
}

// seen returns how many inputs a method sees.
func (f *Features) seen(inputs int) int {
	if f.Kind == "" {
		return inputs
	}
	return f.Size
}

// of returns the map of so many inputs, nil without features.
func (f *Features) of(inputs int, seed uint64) (*features.Map, error) {
	if f.Kind == "" {
		return nil, nil
	}
	return features.New(f.Kind, inputs, f.Size, seed)
}
