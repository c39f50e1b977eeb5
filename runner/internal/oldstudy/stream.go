package study

import (
	"context"
	"fmt"
	"slices"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// stream is the study of any data: networks and rivals learn the training part
// one example after another, and are scored on the test part along the stream. A
// cell is one of them and one seed.
type stream struct {
	*manifest.Stream
	m *manifest.Manifest
}

// streamSpec is all that the rows of a cell follow from. Either Rival or Model is
// the one that learns.
type streamSpec struct {
	Manifest    string
	Seed        int
	Source      manifest.Source
	Name        string
	Model       manifest.Model
	Rival       *manifest.Method
	Snapshots   []int
	Passes      int
	Order       string
	Predictions bool
}

func (s *stream) Cells() []Cell {
	var cells []Cell
	add := func(spec streamSpec) {
		for _, seed := range s.m.Seeds {
			spec := spec
			spec.Manifest, spec.Seed, spec.Source = s.m.Name, seed, s.Source
			spec.Snapshots, spec.Passes, spec.Order, spec.Predictions = s.Snapshots, s.Passes, s.Order, s.Predictions
			cells = append(cells, Cell{
				Key:  fmt.Sprintf("%s seed=%d", spec.Name, seed),
				Spec: spec,
				Run:  func(ctx context.Context) ([]store.Table, error) { return spec.run(ctx) },
			})
		}
	}
	for _, model := range s.Models() {
		add(streamSpec{Name: model.Name, Model: model})
	}
	for _, rival := range s.Rivals {
		add(streamSpec{Name: rival.Name, Rival: &rival})
	}
	return cells
}

// names returns the names of all that learns.
func (s *stream) names() []string {
	var names []string
	for _, model := range s.Models() {
		names = append(names, model.Name)
	}
	for _, rival := range s.Rivals {
		names = append(names, rival.Name)
	}
	return names
}

func (s *stream) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	prequential := []string{"prequential_error", "prequential_log_loss"}
	tables = append(tables,
		averages("variants", find(tables, "summary"), []string{"variant", "train", "test", "inputs", "classes", "passes"},
			slices.Concat(scoreColumns, prequential, stepColumns)...),
		averages("curve_means", find(tables, "curve"), []string{"variant", "pass", "k", "seen"}, slices.Concat(scoreColumns, prequential)...),
	)
	return Report{Tables: tables, Figures: s.figures(tables), Notes: brokenDown(find(tables, "summary"), "variant")}, nil
}
