// Package study is the contract between the program and the studies. A manifest becomes cells, cells become
// tables, and tables become figures; each step can be done alone.
package study

import (
	"context"
	"math/rand/v2"
	"regexp"

	"closedform/core/random"
	"closedform/figures"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

// Kind is a kind of experiment.
type Kind struct {
	Name string // name of the study in manifests
	Asks string // the question that the study answers, in a sentence
	New  func(*manifest.Manifest) (Experiment, error)
}

// Decode decodes a manifest onto e, which holds the defaults, and sets e up.
func Decode(m *manifest.Manifest, e Experiment) (Experiment, error) {
	err := m.Decode(e)
	if err == nil {
		err = m.Locate("", e.SetUp(m))
	}
	return e, err
}

// Experiment is a decoded and validated manifest, a pointer to a struct with all values.
type Experiment interface {
	// SetUp derives what follows from the decoded manifest alone. It opens no data.
	SetUp(*manifest.Manifest) error

	// Prepare reads the data. It is called once, before cells run and before Tables.
	Prepare(context.Context) error

	// Cells returns the cells, with distinct keys, in the order of their rows. It may be called before Prepare.
	Cells() []Cell

	// Tables merges the tables of all cells, in the order of Cells, and adds derived ones. It is pure.
	Tables(cells []table.Tables) table.Tables

	// Figures lists the figures. It needs no Prepare.
	Figures() []Figure
}

// Plain is embedded by experiments that lack a setup, data, cells, derived tables or figures.
type Plain struct{}

func (Plain) SetUp(*manifest.Manifest) error           { return nil }
func (Plain) Prepare(context.Context) error            { return nil }
func (Plain) Cells() []Cell                            { return nil }
func (Plain) Tables(cells []table.Tables) table.Tables { return table.Merge(cells) }
func (Plain) Figures() []Figure                        { return nil }

// WithData is an experiment that reads data files.
type WithData interface {
	// Files returns the paths of the files and, after Prepare, lines that describe their content.
	Files() (paths, about []string)
}

// Derived is an experiment on the tables of other experiments.
type Derived interface {
	// Sources returns the names of the other experiments.
	Sources() []string

	// Use reads the tables, by names such as EXPERIMENT/TABLE. It is called before Tables.
	Use(read func(name string) (*table.Table, error)) error
}

// WithResult is an experiment that tells the person who runs it what came out.
type WithResult interface {
	// Result returns the result of the published tables. Seconds are mean times of cells, by [Cell.Group].
	Result(tables table.Tables, seconds map[string]float64) Result
}

// Result has short tables and notes, with which a run ends.
type Result struct {
	Tables [][][]string // rows of texts; the first has the names of the columns. A text as "**x**" is in bold
	Notes  []string     // notes of one line each
}

// Cell is the smallest piece of work, a pure function of its spec: its only randomness is streams named by
// manifest, seed and purpose, and it never reads the clock.
type Cell struct {
	Key  string // names the cell within its experiment
	Spec any    // all that the cell's tables follow from, as a JSON value
	Run  func(context.Context) (table.Tables, []store.File, error)
}

// Tables returns the Run of a cell that publishes no files beside its tables.
func Tables(
	run func(context.Context) (table.Tables, error),
) func(context.Context) (table.Tables, []store.File, error) {
	return func(ctx context.Context) (table.Tables, []store.File, error) {
		tables, err := run(ctx)
		return tables, nil, err
	}
}

var seed = regexp.MustCompile(`(^| )seed=\d+`)

// Group returns the key without its seed: cells of a group take about the same time.
func (c Cell) Group() string { return seed.ReplaceAllString(c.Key, "") }

// Seeded is the seed of a cell's random numbers; specs embed it.
type Seeded struct {
	Manifest string
	Seed     int
}

// Stream returns the random numbers for a purpose.
func (s Seeded) Stream(purpose ...any) rand.Source {
	return random.Source(append([]any{s.Manifest, s.Seed}, purpose...)...)
}

// Figure is a drawing of published tables. It depends on the tables and the manifest alone.
type Figure struct {
	Name    string   // name of the figure's files, without extension
	Caption string   // a sentence or two of Markdown: what is drawn, and what to see
	Needs   []string // the names of the tables that Draw takes
	Draw    func(table.Tables) *figures.Figure
}
