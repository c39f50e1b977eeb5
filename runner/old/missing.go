package main

import (
	"fmt"

	"closedform/runner/internal/data"
	"closedform/runner/internal/manifest"
)

// missing says which data files of a manifest are not there, and how to get them.
func missing(m *manifest.Manifest) error {
	return fmt.Errorf("%s: %w", m.Name, &data.MissingError{Paths: m.Missing})
}
