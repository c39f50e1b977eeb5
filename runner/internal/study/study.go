// Package study knows the kinds of experiment: how a manifest becomes cells,
// a cell rows, and all rows together the tables and figures of the results.
//
// A cell is a pure function of its Spec. Its only randomness are streams named
// after the manifest, the seed and what the stream is for; it never reads the
// clock. Therefore its rows are the same on every run.
package study

import (
	"context"
	"fmt"
	"slices"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/store"
)

// Cell is the smallest piece of work of an experiment.
type Cell struct {
	Key  string // names the cell within its experiment
	Spec any    // all that its rows follow from, as plain data that JSON can hold
	Run  func(context.Context) ([]store.Table, error)
}

// Report is what an experiment leaves once all its cells are there.
type Report struct {
	Tables  []store.Table
	Figures []Figure
	Notes   []string // for the reader of the command's output, a line each
}

// Figure is a drawing and its file name without extension.
type Figure struct {
	Name    string
	Drawing *figures.Figure
}

// Experiment is a manifest ready to run.
type Experiment interface {
	// Cells returns the cells in the order of their rows in the tables.
	Cells() []Cell

	// Report merges the tables of all cells, given in the order of Cells.
	Report(cells [][]store.Table) (Report, error)
}

// Timed is an Experiment that also measures times on this machine, once all its
// cells are there and nothing else runs. The names of the tables and figures
// begin with "timing_", by which the store knows that they differ on every run.
type Timed interface {
	Measure(ctx context.Context, tables []store.Table) (Report, error)
}

// Sourced is an Experiment that reads what other experiments have published, and
// follows from that and from its manifest.
type Sourced interface {
	// Sources names the experiments that it reads, each once.
	Sources() []string

	// Use is called once before Report. It reads tables, each a file of the results
	// folder of an experiment, one of Sources.
	Use(read func(experiment, table string) ([]byte, error)) error
}

// Kinds lists the studies that a manifest may name.
var Kinds = []manifest.Study{
	{Name: "learn", Statistics: statistics},
	{Name: "moments", Methods: methodNames},
	{Name: "ablation"},
	{Name: "calibrate"},
	{Name: "stability"},
	{Name: "mc_check"},
	{Name: "posterior"},
	{Name: "hidden"},
	{Name: "order"},
	{Name: "compare"},
	{Name: "unknown"},
	{Name: "drift"},
	{Name: "claims"},
}

// New returns the experiment that the manifest describes.
func New(m *manifest.Manifest) (Experiment, error) {
	switch m.Study {
	case "learn":
		if m.Stream != nil {
			return &stream{m.Stream, m}, nil
		}
		return newLearn(m)
	case "moments":
		return &moments{m}, nil
	case "calibrate":
		return &calibrate{m}, nil
	case "stability":
		return &stability{m}, nil
	case "ablation":
		return newAblation(m)
	case "mc_check":
		return &mcCheck{m}, nil
	case "posterior":
		return &posteriorStudy{m.Posterior, m}, nil
	case "hidden":
		return &hidden{m.Hidden, m}, nil
	case "order":
		return &order{m.Order, m}, nil
	case "compare":
		return &compare{m.Compare, m}, nil
	case "unknown":
		return &unknown{m.Unknown, m}, nil
	case "drift":
		return &drift{m.Drift, m}, nil
	case "claims":
		return &claims{Claims: m.Claims}, nil
	}
	return nil, fmt.Errorf("study %q is not known", m.Study)
}

// merge concatenates the rows of equally named tables in the order of the
// cells. The tables come out in the order of their first appearance.
func merge(cells [][]store.Table) ([]store.Table, error) {
	var merged []store.Table
	index := map[string]int{}
	for _, tables := range cells {
		for _, t := range tables {
			i, ok := index[t.Name]
			if !ok {
				i = len(merged)
				index[t.Name] = i
				merged = append(merged, store.Table{Name: t.Name, Header: t.Header, Packed: t.Packed})
			}
			if fmt.Sprint(merged[i].Header) != fmt.Sprint(t.Header) {
				return nil, fmt.Errorf("table %s has columns %v in one cell and %v in another", t.Name, merged[i].Header, t.Header)
			}
			merged[i].Rows = append(merged[i].Rows, t.Rows...)
		}
	}
	return merged, nil
}

// brokenDown returns a note on those, by the names in a column, that broke down for
// some seeds.
func brokenDown(rows frame, by string) []string {
	var notes []string
	failed := rows.where("failed", "1")
	for _, name := range distinct(failed.strings(by)) {
		notes = append(notes, fmt.Sprintf("%s broke down in %d of %d cells, and is scored there as equal probabilities",
			name, len(failed.where(by, name).Rows), len(rows.where(by, name).Rows)))
	}
	return notes
}

// distinct returns the strings without those that were there before.
func distinct(all []string) []string {
	var out []string
	for _, s := range all {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
