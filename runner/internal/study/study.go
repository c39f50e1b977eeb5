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
	"closedform/runner/internal/table"
)

// Kind is a kind of experiment.
type Kind struct {
	Name string // its word in manifests
	Asks string // the question that it answers, in a sentence
	New  func(*manifest.Manifest) (Experiment, error)
}

// Decoded returns the New of a [Kind]: it decodes the manifest onto defaults, and calls the experiment's
// SetUp, if any, for what follows from the manifest alone.
func Decoded[E Experiment](defaults func(*manifest.Manifest) E) func(*manifest.Manifest) (Experiment, error) {
	return func(m *manifest.Manifest) (Experiment, error) {
		e := defaults(m)
		err := m.Decode(e)
		if s, ok := Experiment(e).(interface {
			SetUp(*manifest.Manifest) error
		}); ok && err == nil {
			err = m.Locate("", s.SetUp(m))
		}
		return e, err
	}
}

// Experiment is a decoded and validated manifest, a pointer to a struct with all values. New opens no data.
type Experiment interface {
	// Prepare reads the data. It is called once, before Cells and Tables.
	Prepare(context.Context) error

	// Cells returns the cells, with distinct keys, in the order of their rows. It may be called before Prepare.
	Cells() []Cell

	// Tables merges the tables of all cells, in the order of Cells, and adds derived ones. It is pure.
	Tables(cells []table.Set) table.Set

	// Figures lists the figures. It needs no Prepare.
	Figures() []Figure
}

// Cell is the smallest piece of work, a pure function of its spec: its only randomness is streams named by
// manifest, seed and purpose, and it never reads the clock.
type Cell struct {
	Key  string                                   // names the cell within its experiment
	Spec any                                      // all that its tables follow from, as JSON can hold it
	Run  func(context.Context) (table.Set, error) // its tables, and files that are published as they are
}

var seed = regexp.MustCompile(`(^| )seed=\d+`)

// Group returns the key without its seed: cells of a group take about the same time.
func (c Cell) Group() string { return seed.ReplaceAllString(c.Key, "") }

// Figure is a drawing of published tables. It depends on these and the manifest alone.
type Figure struct {
	Name  string   // its file, without extension
	Needs []string // the tables that it is drawn of
	Draw  func(table.Set) (*figures.Figure, error)
}

// WithData is an experiment that reads data files.
type WithData interface {
	// Files returns the paths of the files and, after Prepare, what they have, in lines.
	Files() (paths, about []string)
}

// Noted is an experiment with notes on its tables for the person who runs it, a line each.
type Noted interface {
	Notes(table.Set) []string
}

// Derived is an experiment on the tables of other experiments.
type Derived interface {
	Sources() []string

	Use(read func(name string) (*table.Table, error)) error // EXPERIMENT/TABLE
}

// Plain is embedded by experiments that lack data, cells, derived tables or figures.
type Plain struct{}

func (Plain) Prepare(context.Context) error { return nil }

func (Plain) Cells() []Cell { return nil }

func (Plain) Tables(cells []table.Set) table.Set { return table.Merge(cells) }

func (Plain) Figures() []Figure { return nil }

// Swept is embedded by experiments that sweep the seed alone.
type Swept struct {
	Sweep    manifest.Sweep `toml:"sweep"`
	Manifest *manifest.Manifest
	Seeds    []int
}

// SetUp keeps the manifest and its seeds.
func (s *Swept) SetUp(m *manifest.Manifest) (err error) {
	s.Manifest = m
	s.Seeds, err = m.Seeds(s.Sweep.Seed)
	return err
}

// Seeded is the seed of a cell's random numbers; specs embed it.
type Seeded struct {
	Manifest string
	Seed     int
}

// Stream returns the random numbers for a purpose.
func (s Seeded) Stream(purpose ...any) rand.Source { return Stream(s.Manifest, s.Seed, purpose...) }

// Stream returns the random numbers for a purpose of a seed of an experiment.
func Stream(manifest string, seed int, purpose ...any) rand.Source {
	return random.Source(append([]any{manifest, seed}, purpose...)...)
}
