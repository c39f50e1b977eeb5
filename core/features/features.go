// Package features maps inputs to fixed random features, on which an output layer such as that of
// core/readout learns. Nothing of a map is learned: it follows from four numbers and words.
package features

import (
	"closedform/internal/field"
)

// Kind is a kind of random features.
type Kind string

const (
	Relu Kind = "relu"
	Conv Kind = "conv"
)

// Map is a fixed map from inputs to features. It follows from its four fields alone, and is safe for
// concurrent use.
type Map struct {
	Kind   Kind   `json:"kind"`
	Inputs int    `json:"inputs"`
	Size   int    `json:"size"` // the number of features
	Seed   uint64 `json:"seed"`
}

// New returns the map of the four fields.
func New(kind Kind, inputs, size int, seed uint64) (*Map, error) {
	if err := field.OneOf("features", kind, Relu, Conv); err != nil {
		return nil, err
	}
	return &Map{Kind: kind, Inputs: inputs, Size: size, Seed: seed}, nil
}

// Apply sets dst to the features of x.
func (m *Map) Apply(dst, x []float64) {}
