package learn

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/baselines/moments/montecarlo"
	"closedform/core/bnn"
	"closedform/internal/field"
	"closedform/runner/dataset"
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

// planeSpec is all that the tables of a cell follow from.
type planeSpec struct {
	study.Seeded
	Data       data.Sample
	Model      learner.Named
	Evaluate   snapshots
	MonteCarlo monteCarlo
	Drawn      bool // the seed whose maps are written down
	First      bool // the model whose cells write down the training data, which all models share
}

// planeCell is one network and what is written down of its life.
type planeCell struct {
	planeSpec
	network     *learner.Network
	noise       rand.Source
	estimate    *montecarlo.Estimate
	grid        *data.Grid
	all, coarse []int // points of the grid, and those on every stride-th line
	class       []int // of all points, data.NoClass on a boundary
	steps, maps *table.Table

	entropies     []float64 // mean over the coarse points after each example
	negativeSteps int       // whose smallest posterior variance as printed was negative
	snapshots     [][]prediction
}

// prediction is what the network says at a point.
type prediction struct {
	p, variance     []float64   // of the class probabilities
	label           []float64   // p/Σp, the distribution of the label that is scored
	excess          float64     // Σp − 1
	asymmetry       float64     // largest |E_ij − E_ji|
	check, checkErr [][]float64 // p and variance by Monte Carlo and their standard errors; nil where not checked
}

// run shows a network the examples. All models see the same ones and the same random
// prior.
func (s planeSpec) run(ctx context.Context) (table.Set, error) {
	network, err := s.Model.Mixture(s.Stream("prior"))
	if err != nil {
		return nil, err
	}
	task := s.Data.Task()
	c := s.cell(task, network)
	set := task.Draw(s.Data.Train, s.Stream("train"))
	course := learner.Course{Examples: dataset.NewExamples(set, task.Classes), After: func(_, k int) error { return c.look(ctx, k) }}
	if err := course.Train(ctx, c.network); err != nil {
		return nil, fmt.Errorf("after %d examples: %w", len(c.entropies), err)
	}
	tables := table.Set{c.runs(task), c.steps}
	if s.First {
		train := table.New("train", table.Int("seed", "that drew the example"), table.Int("k", "its number"),
			table.Num("x1", "its place"), table.Num("x2", "its place"), table.Int("class", "its class, from 1"))
		for i, x := range set.X {
			train.Add(s.Seed, i+1, x, set.Class[i]+1)
		}
		tables = append(tables, train)
	}
	if s.Drawn {
		tables = append(tables, c.maps)
	}
	return tables, nil
}

// cell returns a cell before the first example.
func (s planeSpec) cell(task *data.Task, network *bnn.Ensemble) *planeCell {
	c := &planeCell{
		planeSpec: s, network: &learner.Network{Model: network}, grid: task.Region.Grid(s.Evaluate.Grid),
		noise: s.Stream("montecarlo", s.Model.Name), estimate: montecarlo.NewEstimate(task.Classes),
	}
	c.all, c.coarse = c.grid.Every(1), c.grid.Every(s.MonteCarlo.Stride)
	for _, x := range c.grid.Points {
		c.class = append(c.class, task.Label(x))
	}
	at := []table.Column{table.Text("method", "the network"), table.Int("seed", "of prior and examples"), table.Int("k", "examples seen")}
	c.steps = table.New("steps", append(at, table.Num("min_eigenvalue", "smallest eigenvalue of the covariance of the innovation"),
		table.Num("min_variance", "smallest variance of a logit after the step as printed"), table.Text("action", "what became of the step"),
		table.Num("entropy", "predictive entropy after it, mean over the coarse grid, in nats"))...)
	c.maps = table.New("maps", at[0], at[2], table.Num("x1", "point of the plane"), table.Num("x2", "point of the plane"))
	c.maps.Packed = true
	add := func(formats ...string) {
		for j := range task.Classes {
			for i := 0; i < len(formats); i += 2 {
				name, doc := fmt.Sprintf(formats[i], j+1), fmt.Sprintf("%s of the probability of class %d", formats[i+1], j+1)
				c.maps.Columns = append(c.maps.Columns, table.Num(name, doc).Rounded(6))
			}
		}
	}
	add("p%d", "mean")
	add("var%d", "variance")
	add("p%d_mc", "mean by Monte Carlo", "p%d_se", "standard error of the mean by Monte Carlo")
	add("var%d_mc", "variance by Monte Carlo", "var%d_se", "standard error of the variance by Monte Carlo")
	return c
}

// look writes down what the network says after k examples.
func (c *planeCell) look(ctx context.Context, k int) error {
	coarse, err := c.predict(ctx, c.coarse, nil)
	if err != nil {
		return err
	}
	last, entropy := c.network.Last, meanEntropy(coarse)
	c.entropies = append(c.entropies, entropy)
	if !(last.MinVariance >= 0) {
		c.negativeSteps++
	}
	c.steps.Add(c.Model.Name, c.Seed, k, table.Finite(last.MinEigenvalue), last.MinVariance, last.Action.String(), entropy)
	if !slices.Contains(c.Evaluate.Snapshots, k) {
		return nil
	}
	sampled := c.coarse
	if c.Drawn {
		sampled = c.all
	}
	all, err := c.predict(ctx, c.all, sampled)
	if err != nil {
		return err
	}
	if c.snapshots = append(c.snapshots, all); !c.Drawn {
		return nil
	}
	for i, f := range all {
		row := []any{c.Model.Name, k, c.grid.Points[i], f.p, f.variance}
		for q, check := range f.check {
			for j := range check {
				row = append(row, check[j], f.checkErr[q][j])
			}
		}
		c.maps.Add(row...)
	}
	return nil
}

// predict returns the predictions at the points, in ascending order, and checks by
// Monte Carlo those that are among the sampled.
func (c *planeCell) predict(ctx context.Context, points, sampled []int) ([]prediction, error) {
	var out []prediction
	var got bnn.Prediction
	for _, i := range points {
		if err := c.network.Model.Predict(&got, c.grid.Points[i]); err != nil {
			return nil, err
		}
		f := prediction{p: slices.Clone(got.P), excess: got.Moments.Excess(), asymmetry: got.Moments.Asymmetry()}
		for j, p := range got.P {
			f.variance, f.label = append(f.variance, got.Cov.At(j, j)), append(f.label, p/(1+f.excess))
		}
		if _, ok := slices.BinarySearch(sampled, i); ok {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			e := c.estimate
			e.Sample(got.Mean, got.Variance, c.MonteCarlo.Samples, c.noise)
			f.check, f.checkErr = [][]float64{slices.Clone(e.P), slices.Clone(e.Var)}, [][]float64{slices.Clone(e.PErr), slices.Clone(e.VarErr)}
		}
		out = append(out, f)
	}
	return out, nil
}
