package main

import (
	"fmt"
	"os"
	"path/filepath"

	"closedform/runner/internal/data"
	"closedform/runner/internal/study"
)

// dataSets is the file that says what -fetch gets.
var dataSets = filepath.Join(manifests, "data", "sets.toml")

// missing says which data files of an experiment are not there, and how to get them.
func (e *experiment) missing() error {
	d, ok := e.study.(study.WithData)
	if !ok {
		return nil
	}
	var errs []error
	for _, path := range d.Files() {
		_, err := os.Stat(path)
		errs = append(errs, err)
	}
	if err := data.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	return nil
}
