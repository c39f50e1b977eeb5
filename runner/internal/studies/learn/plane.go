package learn

import (
	"context"
	"fmt"

	"closedform/core/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// plane is the half of the study on the plane. A cell is one model and one seed.
type plane struct {
	Data       data.Sample       `toml:"data"`
	Model      learner.Model     `toml:"model"`
	Evaluate   snapshots         `toml:"evaluate"`
	MonteCarlo monteCarlo        `toml:"monte_carlo"`
	Sweep      learner.Sweep     `toml:"sweep"`
	Variants   []learner.Variant `toml:"variant" inherit:"model"`
	Claims     []claim           `toml:"claim"`
	Drawings   []drawing         `toml:"figure"`

	header config.Header
	seeds  []int
	models []learner.Variant
	task   *data.Task
}

// snapshots says when and where networks are looked at.
type snapshots struct {
	Snapshots []int `toml:"snapshots"` // numbers of examples seen
	Grid      int   `toml:"grid"`      // points along each axis
}

// Validate reports what is not allowed.
func (s *snapshots) Validate() error {
	if len(s.Snapshots) == 0 {
		return field.Errorf("snapshots", "missing; allowed: at least one number of examples")
	}
	return field.Within("grid", s.Grid, 2, config.MaxGrid)
}

// monteCarlo says how the moments are checked by sampling.
type monteCarlo struct {
	Samples int `toml:"samples"` // of a point
	Stride  int `toml:"stride"`  // seeds that are not drawn are checked on every stride-th grid line
}

// Validate reports what is not allowed.
func (c *monteCarlo) Validate() error {
	if err := field.Within("samples", c.Samples, 2, config.MaxSamples); err != nil {
		return err
	}
	return field.Within("stride", c.Stride, 1, config.MaxGrid)
}

// Validate reports what is not allowed.
func (p *plane) Validate() error {
	if err := increasing(p.Evaluate.Snapshots, p.Data.Train); err != nil {
		return field.Errorf("evaluate.snapshots", "%s", err.(*field.Error).Problem)
	}
	seen := map[drawing]bool{}
	for i, d := range p.Drawings {
		known := false
		for _, v := range p.Variants {
			known = known || v.Name == d.Variant
		}
		d.Single = false
		if !known || seen[d] {
			return field.Errorf(fmt.Sprintf("figure.%d.variant", i+1), "%q is not allowed; allowed: each of %v once", d.Variant, learner.Names(p.Variants))
		}
		seen[d] = true
	}
	return nil
}

func (p *plane) setUp(m *config.Manifest) (err error) {
	p.header, p.task = m.Header, p.Data.Task()
	p.Data.Generator = p.Data.WithDefaults()
	if p.seeds, err = m.Seeds(p.Sweep.Seed); err != nil {
		return err
	}
	if p.models, err = p.Sweep.Models(p.Model, p.Variants); err == nil {
		p.models, err = learner.Fit(p.models, data.Inputs, p.task.Classes)
	}
	return m.Locate("", err)
}

func (p *plane) Config() any                   { return p }
func (p *plane) Prepare(context.Context) error { return nil }

func (p *plane) Cells() []study.Cell {
	var cells []study.Cell
	for i, model := range p.models {
		for _, seed := range p.seeds {
			s := planeSpec{
				Manifest: p.header.Name, Seed: seed, Data: p.Data, Model: model, Evaluate: p.Evaluate, MonteCarlo: p.MonteCarlo,
				Drawn: seed == p.header.Seed, First: i == 0,
			}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d", model.Name, seed), Spec: s, Run: s.run})
		}
	}
	return cells
}

// Tables adds the means over the seeds and the verdicts on the claims.
func (p *plane) Tables(cells []table.Set) (table.Set, error) {
	tables, err := table.Merge(cells)
	if err != nil {
		return nil, err
	}
	runs := tables.Get("runs")
	var columns []string
	for _, c := range runs.Columns[2+len(modelColumns()):] {
		columns = append(columns, c.Name)
	}
	summary := runs.GroupBy("method", "linear_ceiling", "lambda", "rho").Mean("summary", columns...)
	return append(tables, summary, p.verdicts(runs)), nil
}

// verdicts says of every claim and model what the seeds show: it holds if the whole
// 95 % interval of its statistic is above the threshold, fails if the whole interval
// is at or below it, and is open otherwise, also where the statistic has no value for
// some seed.
func (p *plane) verdicts(runs *table.Table) *table.Table {
	t := table.New("claims",
		table.Text("claim", "what the paper says"), table.Text("statistic", "the column of runs that measures it"),
		table.Text("method", "the network"), table.Int("seeds", "how many are averaged"),
		table.Num("value", "mean of the statistic"), table.Num("low", "lower end of its 95 % interval"), table.Num("high", "upper end of it"),
		table.Num("threshold", "above which the claim holds"), table.Text("verdict", "holds or fails where the whole interval does, else open"),
	)
	for _, c := range p.Claims {
		for _, group := range runs.GroupBy("method").All() {
			value := table.Interval(group.Nums(c.Statistic))
			verdict := "open"
			switch low, high := value[1], value[2]; {
			case low > c.Threshold:
				verdict = "holds"
			case high <= c.Threshold:
				verdict = "fails"
			}
			t.Add(c.Claim, c.Statistic, group.Texts("method")[0], group.Len(), value, c.Threshold, verdict)
		}
	}
	return t
}

var _ study.Experiment = (*plane)(nil)
