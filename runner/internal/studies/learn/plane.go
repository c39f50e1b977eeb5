package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"closedform/core/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// plane is the half of the study on the plane. A cell is one model and one seed.
type plane struct {
	Data data.Sample `toml:"data"`
	learner.Networks
	Evaluate   snapshots  `toml:"evaluate"`
	MonteCarlo monteCarlo `toml:"monte_carlo"`
	Claims     []claim    `toml:"claim"`
	Pages      []page     `toml:"figure"`

	header config.Header
	task   *data.Task
}

// snapshots says when and where networks are looked at.
type snapshots struct {
	Snapshots []int `toml:"snapshots"` // numbers of examples seen
	Grid      int   `toml:"grid"`      // points along each axis
}

// monteCarlo says how the moments are checked by sampling.
type monteCarlo struct {
	Samples int `toml:"samples"` // of a point
	Stride  int `toml:"stride"`  // seeds that are not drawn are checked on every stride-th grid line
}

// claim is a sentence that is measured by a statistic.
type claim struct {
	Claim     string  `toml:"claim"`
	Statistic string  `toml:"statistic"` // one of statistics
	Threshold float64 `toml:"threshold"` // above which the claim holds
}

// page is a figure of the maps of a variant.
type page struct {
	Variant string `toml:"variant"`
	Single  bool   `toml:"single"` // whether each map is written to a file of its own, too
}

// Validate reports what is not allowed.
func (p *plane) Validate() error {
	var err error
	if len(p.Evaluate.Snapshots) == 0 {
		err = field.Errorf("evaluate.snapshots", "missing; allowed: at least one number of examples")
	}
	err = cmp.Or(
		err, learner.Increasing("evaluate.snapshots", p.Evaluate.Snapshots, p.Data.Train),
		field.Within("evaluate.grid", p.Evaluate.Grid, 2, config.MaxGrid),
		field.Within("monte_carlo.samples", p.MonteCarlo.Samples, 2, config.MaxSamples),
		field.Within("monte_carlo.stride", p.MonteCarlo.Stride, 1, config.MaxGrid),
	)
	for i, c := range p.Claims {
		if names := statisticNames(); !slices.Contains(names, c.Statistic) {
			err = cmp.Or(err, field.Errorf(fmt.Sprintf("claim.%d.statistic", i+1), "%q is not allowed; allowed: one of %q", c.Statistic, names))
		}
	}
	left := learner.Names(p.Variants)
	for i, f := range p.Pages {
		at := slices.Index(left, f.Variant)
		if at < 0 {
			return cmp.Or(err, field.Errorf(fmt.Sprintf("figure.%d.variant", i+1), "%q is not allowed; allowed: the name of each variant once", f.Variant))
		}
		left = slices.Delete(left, at, at+1)
	}
	return err
}

func (p *plane) setUp(m *config.Manifest) error {
	p.Data.Generator = p.Data.WithDefaults()
	p.header, p.task = m.Header, p.Data.Task()
	if err := p.Resolve(m); err != nil {
		return err
	}
	return p.Fit(m, data.Inputs, p.task.Classes)
}

func (p *plane) Config() any                   { return p }
func (p *plane) Prepare(context.Context) error { return nil }

func (p *plane) Cells() []study.Cell {
	var cells []study.Cell
	for i, model := range p.Models {
		for _, seed := range p.Seeds {
			s := planeSpec{p.header.Name, seed, p.Data, model, p.Evaluate, p.MonteCarlo, seed == p.header.Seed, i == 0}
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
	keys := []string{"method", "lambda", "rho", "linear_ceiling"}
	var columns []string
	for _, c := range runs.Columns {
		if c.Name != "seed" && !slices.Contains(keys, c.Name) {
			columns = append(columns, c.Name)
		}
	}
	return append(tables, runs.GroupBy(keys...).Mean("summary", columns...), p.verdicts(runs)), nil
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
