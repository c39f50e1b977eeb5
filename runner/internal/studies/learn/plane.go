package learn

import (
	"cmp"
	"fmt"
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// plane is the half of the study on the plane. A cell is one model and one seed.
type plane struct {
	study.Plain
	Data data.Sample `toml:"data"`
	learner.Networks
	Evaluate   snapshots  `toml:"evaluate"`
	MonteCarlo monteCarlo `toml:"monte_carlo"`
	Pages      []page     `toml:"figure"`

	header config.Header
	task   *data.Task
}

// snapshots says when and where networks are looked at.
type snapshots struct {
	Snapshots []int `toml:"snapshots" allowed:"increasing numbers"` // numbers of examples seen
	Grid      int   `toml:"grid" allowed:"2 to 2,001"`              // points along each axis
}

// monteCarlo says how the moments are checked by sampling.
type monteCarlo struct {
	Samples int `toml:"samples" allowed:"2 to 1e9"`  // of a point
	Stride  int `toml:"stride" allowed:"1 to 2,001"` // seeds that are not drawn are checked on every stride-th grid line
}

// page is a figure of the maps of a network.
type page struct {
	Method string `toml:"method" allowed:"the name of a network"`
	Single bool   `toml:"single"` // whether each map is written to a file of its own, too
}

// Validate reports what is not allowed.
func (p *plane) Validate() error {
	networks := learner.Names(p.Methods)
	for i, f := range p.Pages {
		at := slices.Index(networks, f.Method)
		if at < 0 {
			return field.Errorf(fmt.Sprintf("figure.%d.method", i+1), "%q is not allowed; allowed: the name of each network once", f.Method)
		}
		networks = slices.Delete(networks, at, at+1)
	}
	return learner.Increasing("evaluate.snapshots", p.Evaluate.Snapshots, p.Data.Train)
}

func (p *plane) SetUp(m *config.Manifest) error {
	p.Data.Generator = p.Data.WithDefaults()
	p.header, p.task = m.Header, p.Data.Task()
	return cmp.Or(p.Resolve(m), p.Fit(m, data.Inputs, p.task.Classes), m.Locate("", learner.Single(p.Models)))
}

func (p *plane) Cells() (cells []study.Cell) {
	for i, model := range p.Models {
		for _, seed := range p.Seeds {
			s := planeSpec{study.Seeded{Manifest: p.header.Name, Seed: seed}, p.Data, model, p.Evaluate, p.MonteCarlo, seed == p.header.Seed, i == 0}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d", model.Name, seed), Spec: s, Run: s.run, Uses: []string{}})
		}
	}
	return cells
}

// Tables adds the means over the seeds.
func (p *plane) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		runs := t.Get("runs")
		columns := table.Names(runs.Columns[5:]) // behind the seed and the keys
		return table.Set{runs.GroupBy("method", "lambda", "rho", "linear_ceiling").Shares(learner.ShareNames...).Positive(learner.LossNames...).Shares(shares...).Mean("summary", columns...)}
	})
}
