package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"closedform/figures"
	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// ToyConfig is the manifest of the toy study, which draws random walks.
type ToyConfig struct {
	Threshold float64     `toml:"threshold"` // of the summary
	Title     string      `toml:"title"`     // of the figures
	File      string      `toml:"file,omitempty"`
	Sources   []string    `toml:"sources,omitempty"`
	Noted     bool        `toml:"noted"` // with a note
	Model     ToyModel    `toml:"model"`
	Methods   []toyMethod `toml:"method" inherit:"model"`
	Sweep     struct {
		Seed config.Ints `toml:"seed"`
	} `toml:"sweep"`
}

// ToyModel is embedded, so that its name must be exported.
type ToyModel struct {
	Scale  float64 `toml:"scale"`
	Points int     `toml:"points"`
	Sleep  int     `toml:"sleep"` // milliseconds of each point
	Deaf   bool    `toml:"deaf"`  // to interruptions
	Fail   bool    `toml:"fail"`
}

type toyMethod struct {
	Name string `toml:"name"`
	ToyModel
}

func (m *ToyModel) Validate() error { return field.Positive("scale", m.Scale) }

// Toy is embedded by toys that can do more.
type Toy struct {
	ToyConfig
	name, folder string
	seeds        []int
	data         string
	source       *table.Table
}

// toyData, toyDerived and toyNoted are these.
type (
	toyData    struct{ Toy }
	toyDerived struct{ Toy }
	toyNoted   struct{ Toy }
)

func newToy(m *config.Manifest) (study.Experiment, error) {
	t := Toy{name: m.Name, folder: m.Folder}
	t.Title, t.Model = "Walks", ToyModel{Scale: 1, Points: 5}
	err := m.Decode(&t.ToyConfig)
	if err == nil {
		t.seeds, err = m.Seeds(t.Sweep.Seed)
	}
	switch {
	case err != nil:
		return nil, err
	case t.File != "":
		return &toyData{t}, nil
	case len(t.Sources) > 0:
		return &toyDerived{t}, nil
	case t.Noted:
		return &toyNoted{t}, nil
	}
	return &t, nil
}

func (t *Toy) Prepare(context.Context) error { return nil }

func (t *toyData) Files() []string { return []string{filepath.Join(t.folder, t.File)} }

func (t *toyData) About() []string { return []string{t.File + ": so many points"} }

func (t *toyData) Prepare(context.Context) error {
	data, err := os.ReadFile(t.Files()[0])
	t.data = string(data)
	return err
}

func (t *toyDerived) Sources() []string { return t.ToyConfig.Sources }

func (t *toyDerived) Use(read func(experiment, table string) (*table.Table, error)) (err error) {
	t.source, err = read(t.ToyConfig.Sources[0], "summary")
	return err
}

func (t *toyNoted) Notes(tables table.Set) []string {
	return []string{fmt.Sprintf("%d walks", tables.Get("runs").Len())}
}

type toySpec struct {
	Name  string
	Model ToyModel
	Seed  int
	Data  string
}

func (t *Toy) Cells() []study.Cell {
	var cells []study.Cell
	for _, v := range t.Methods {
		for _, seed := range t.seeds {
			spec := toySpec{v.Name, v.ToyModel, seed, t.data}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d", v.Name, seed), Spec: spec, Run: func(ctx context.Context) (table.Set, error) { return t.walk(ctx, spec) }})
		}
	}
	return cells
}

func (t *Toy) walk(ctx context.Context, s toySpec) (table.Set, error) {
	if s.Model.Fail {
		return nil, errors.New("lost its way")
	}
	walks := table.New("walks", table.Text("method", "who walks"), table.Int("seed", "of the walk"),
		table.Int("k", "steps"), table.Num("x", "place").Rounded(6))
	walks.Packed = true
	runs := table.New("runs", table.Text("method", "who walks"), table.Int("seed", "of the walk"), table.Num("end", "last |place|"))
	r := rand.New(study.Stream(t.name, s.Seed, "walk"))
	x := float64(len(s.Data))
	for k := range s.Model.Points {
		for range s.Model.Sleep {
			time.Sleep(time.Millisecond)
			if err := ctx.Err(); err != nil && !s.Model.Deaf {
				return nil, err
			}
		}
		x += s.Model.Scale * r.NormFloat64()
		walks.Add(s.Name, s.Seed, k+1, x)
	}
	runs.Add(s.Name, s.Seed, x)
	return table.Set{walks, runs}, nil
}

func (t *Toy) Tables(cells []table.Set) (table.Set, error) {
	set, err := table.Merge(cells)
	if err != nil || t.source != nil {
		return table.Set{t.source}, err
	}
	summary := table.New("summary", table.Text("method", "who walks"), table.Int("above", "how many end above the threshold"))
	for _, g := range set.Get("runs").GroupBy("method").All() {
		above := 0
		for _, x := range g.Nums("end") {
			if x > t.Threshold {
				above++
			}
		}
		summary.Add(g.Texts("method")[0], above)
	}
	return append(set, summary), nil
}

func (t *Toy) Figures() []study.Figure {
	chart := func(name, x, y string) study.Figure {
		return study.Figure{Name: name, Needs: []string{name}, Draw: func(tables table.Set) (*figures.Figure, error) {
			of := tables.Get(name)
			c := figures.Chart{Title: t.Title, X: figures.Axis{Label: x}, Y: figures.Axis{Label: y}}
			for _, method := range of.Distinct("method") {
				rows := of.Where("method", method)
				c.Curves = append(c.Curves, figures.Curve{Name: method, X: rows.Nums(x), Y: rows.Nums(y)})
			}
			return figures.Charts([][]figures.Chart{{c}}), nil
		}}
	}
	switch {
	case t.Title == "":
		return nil
	case t.Noted:
		return []study.Figure{chart("runs", "seed", "end")}
	}
	return []study.Figure{chart("walks", "k", "x"), chart("runs", "seed", "end")}
}

// small is a manifest of the toy study with 4 cells and no figures; drawn has them.
const small = `name  = "small"
study = "toy"
seed  = 2
title = ""
threshold = 0.5

[model]
scale  = 0.3
points = 5

[sweep]
seed = [1, 2]

[[method]]
name = "joint"

[[method]]
name  = "total"
scale = 2
`

var drawn = strings.Replace(small, `title = ""`, `title = "Walks"`, 1)

func init() {
	experiment.Kinds = append(experiment.Kinds, study.Kind{Name: "toy", Asks: "Where do they end?", New: newToy})
}
