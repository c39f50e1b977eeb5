package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/moments/montecarlo"
	"closedform/core/bnn"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/runner/dataset"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// plane is the half of the study on the plane. A cell is one model and one seed.
type plane struct {
	study.Plain
	Data data.Sample `toml:"data"`
	learner.Learners
	Evaluate   snapshots  `toml:"evaluate"`
	MonteCarlo monteCarlo `toml:"monte_carlo"`

	header config.Header
	task   *data.Task
	seeds  []int
	models []learner.Method
}

// snapshots says when and where networks are looked at.
type snapshots struct {
	Snapshots []int `toml:"snapshots" allowed:"increasing numbers"` // numbers of examples seen
	Grid      int   `toml:"grid" allowed:"2 to 2,001"`              // points along each axis
}

// monteCarlo says how the moments are checked by sampling.
type monteCarlo struct {
	Samples int `toml:"samples" allowed:"2 to 1e9"`  // of a point
	Stride  int `toml:"stride" allowed:"1 to 2,001"` // points on every stride-th grid line are checked
}

// Validate reports what is not allowed.
func (p *plane) Validate() error {
	return learner.Increasing("evaluate.snapshots", p.Evaluate.Snapshots, p.Data.Train)
}

func (p *plane) SetUp(m *config.Manifest) (err error) {
	p.header, p.task = m.Header, p.Data.Task()
	if p.seeds, err = m.Seeds(p.Sweep.Seed); err != nil {
		return err
	}
	p.models, err = p.Networks(data.Inputs, p.task.Classes, 1)
	return m.Locate("", err)
}

func (p *plane) Cells() (cells []study.Cell) {
	for i, model := range p.models {
		for _, seed := range p.seeds {
			s := planeSpec{study.Seeded{Manifest: p.header.Name, Seed: seed}, p.Data, model, p.Evaluate, p.MonteCarlo, seed == p.header.Seed, i == 0}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d", model.Name, seed), Spec: s, Run: s.run})
		}
	}
	return cells
}

// Tables adds the means over the seeds.
func (p *plane) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		runs := t.Get("runs")
		columns := table.Names(runs.Columns[5:]) // behind the seed and the keys
		return table.Set{runs.GroupBy("method", "lambda", "rho", "linear_ceiling").Shares(learner.ShareNames...).Positive(learner.LossNames...).Shares("accuracy", "separation_12", "variance_auroc", "variances_positive").Mean("summary", columns...)}
	})
}

// planeSpec is all that the tables of a cell follow from.
type planeSpec struct {
	study.Seeded
	Data       data.Sample
	Model      learner.Method
	Evaluate   snapshots
	MonteCarlo monteCarlo
	Drawn      bool // the seed whose maps are written down
	First      bool // the model whose cells write down the training data, which all models share
}

// run shows a network the examples. All models see the same ones and the same random
// prior.
func (s planeSpec) run(ctx context.Context) (table.Set, error) {
	task := s.Data.Task()
	set, grid := task.Draw(s.Data.Train, s.Stream("train")), task.Region.Grid(s.Evaluate.Grid)
	method, seed, k := table.Text("method", "the network"), table.Int("seed", "of prior and examples"), table.Int("k", "examples seen")
	steps := table.New("steps", method, seed, k, table.Num("min_eigenvalue", "smallest eigenvalue of the covariance of the innovation"),
		table.Num("min_variance", "smallest variance of a logit after the step as printed"), table.Text("action", "what became of the step"))
	maps := table.New("maps", method, k, table.Num("x1", "point of the plane"), table.Num("x2", "point of the plane"))
	maps.Packed = true
	for _, q := range [][2]string{{"p", "mean"}, {"var", "variance"}} {
		for j := range task.Classes {
			maps.Columns = append(maps.Columns, table.Num(fmt.Sprint(q[0], j+1), fmt.Sprintf("%s of the probability of class %d", q[1], j+1)).Rounded(6))
		}
	}
	var snapshots [][]prediction
	var gaps [2]gap // of p and of its variances
	var checked bnn.Prediction
	estimate, noise := montecarlo.NewEstimate(task.Classes), s.Stream("montecarlo", s.Model.Name)
	random := func() rand.Source { return s.Stream("prior") }
	training := learner.Training{Random: random, Observed: func(c *learner.Classifier, _, k int) error {
		if c.Err != nil {
			return fmt.Errorf("after %d examples: %w", k-1, c.Err)
		}
		mixture, last := c.Network().Model, c.Network().Last
		steps.Add(s.Model.Name, s.Seed, k, table.Finite(last.MinEigenvalue), last.MinVariance, last.Action.String())
		if !slices.Contains(s.Evaluate.Snapshots, k) {
			return nil
		}
		all, err := predict(mixture, grid.Points)
		for i, f := range all {
			if s.Drawn {
				maps.Add(s.Model.Name, k, grid.Points[i], f.p, f.variance)
			}
		}
		snapshots = append(snapshots, all)
		if err != nil {
			return err
		}
		for _, i := range grid.Every(s.MonteCarlo.Stride) {
			if err := cmp.Or(ctx.Err(), mixture.Predict(&checked, grid.Points[i])); err != nil {
				return err
			}
			estimate.Sample(checked.Mean, checked.Variance, s.MonteCarlo.Samples, noise)
			gaps[0].add(all[i].p, estimate.P, estimate.PErr)
			gaps[1].add(all[i].variance, estimate.Var, estimate.VarErr)
		}
		return nil
	}}
	r, err := training.Run(ctx, s.Model, dataset.NewExamples(set, task.Classes), nil)
	if err != nil {
		return nil, err
	}
	tables := table.Set{s.runs(task, grid.Points, snapshots, gaps, r.Steps()), steps}
	if s.First {
		train := table.New("train", table.Int("seed", "that drew the example"), table.Int("k", "its number"),
			table.Num("x1", "its place"), table.Num("x2", "its place"), table.Int("class", "its class, from 1"))
		for i, x := range set.X {
			train.Add(s.Seed, i+1, x, set.Class[i]+1)
		}
		tables = append(tables, train)
	}
	if s.Drawn {
		tables = append(tables, maps)
	}
	return tables, nil
}

// prediction is what the network says at a point.
type prediction struct {
	p, variance []float64 // of the class probabilities
	label       []float64 // p/Σp, the distribution of the label that is scored
}

func predict(network bnn.Model, points [][]float64) (all []prediction, err error) {
	var to bnn.Prediction
	for _, x := range points {
		if err := network.Predict(&to, x); err != nil {
			return nil, err
		}
		f := prediction{p: slices.Clone(to.P)}
		for j, p := range to.P {
			f.variance, f.label = append(f.variance, to.Cov.At(j, j)), append(f.label, p/(1+to.Moments.Excess()))
		}
		all = append(all, f)
	}
	return all, nil
}

// gap is the distance of moments from those by Monte Carlo: the largest, the sum, and the sum of the
// standard errors of Monte Carlo.
type gap struct{ largest, sum, errors, n float64 }

func (g *gap) add(moments, sampled, errors []float64) {
	for j, x := range moments {
		d := math.Abs(x - sampled[j])
		g.largest, g.sum, g.errors, g.n = max(g.largest, d), g.sum+d, g.errors+errors[j], g.n+1
	}
}

// runs returns the table of the network, of one row. Points on a boundary have no class.
func (s planeSpec) runs(task *data.Task, points [][]float64, snapshots [][]prediction, gaps [2]gap, steps learner.Steps) *table.Table {
	var labels [][]float64
	var classes []int
	var variances []float64 // of the labels: Σ_j Var y_j
	var wrong []bool
	var ofTwo, separated, predictions, negatives float64
	for i, f := range snapshots[len(snapshots)-1] {
		class := task.Label(points[i])
		if class == data.NoClass {
			continue
		}
		labels, classes = append(labels, f.label), append(classes, class)
		variances, wrong = append(variances, kernel.Sum(f.variance)), append(wrong, floats.MaxIdx(f.p) != class)
		if class <= 1 {
			if ofTwo++; f.p[class] > f.p[1-class] {
				separated++
			}
		}
	}
	auroc := metric.AUROC(variances, wrong)
	var means []any // entropy and variance at each snapshot
	for k, all := range snapshots {
		var entropy float64
		var totals []float64
		for _, f := range all {
			entropy, totals = entropy+kernel.Entropy(f.label, 1), append(totals, kernel.Sum(f.variance))
			if predictions++; negative(floats.Min(f.variance)) {
				negatives++
			}
		}
		means = append(means, entropy/float64(len(all)), table.Mean(totals))
		if k == len(snapshots)-1 && negative(floats.Min(totals)) {
			auroc = math.NaN()
		}
	}
	t := table.New("runs", table.Text("method", "the network"), table.Int("seed", "of prior and examples"),
		table.Num("lambda", "slope λ of the probit"), table.Num("rho", "its correlation ρ"),
		table.Num("linear_ceiling", "best accuracy of linear scores without bias"),
		table.Num("accuracy", "share of the grid, its boundary points apart, that the last snapshot classifies right"),
		table.Num("separation_12", "among points of classes 1 and 2, share with the larger of their probabilities on the right one"),
		table.Num("variance_auroc", "probability that Σ_j Var y_j is larger at a point that is classified wrong than at one that is classified right; no value where a sum is negative"),
		table.Num("variances_positive", "share of the predictions of all snapshots without a negative variance"))
	for _, k := range s.Evaluate.Snapshots {
		t.Columns = append(t.Columns, table.Num(fmt.Sprint("entropy_", k), fmt.Sprintf("predictive entropy after %d examples, mean over the grid, in nats", k)),
			table.Num(fmt.Sprint("variance_", k), fmt.Sprintf("Σ_j Var y_j after %d examples, mean over the grid", k)))
	}
	var distances []float64
	for q, name := range []string{"p", "var"} {
		of := [2]string{"p", "the variances of p"}[q]
		t.Columns = append(t.Columns, table.Num("max_"+name+"_error", "largest distance of "+of+" from Monte Carlo, on some grid lines at all snapshots"),
			table.Num("mean_"+name+"_error", "mean of that distance"), table.Num("mean_"+name+"_se", "mean standard error of Monte Carlo"))
		distances = append(distances, gaps[q].largest, gaps[q].sum/gaps[q].n, gaps[q].errors/gaps[q].n)
	}
	// The first score is one minus the accuracy.
	t.Columns = slices.Concat(t.Columns, []table.Column{table.Num("applied_steps", "examples whose step was taken as printed")}, learner.ScoreColumns()[1:], learner.StepColumns())
	t.Add(s.Model.Name, s.Seed, s.Model.Model.Lambda.Value(task.Classes, s.Model.Model.Rho), s.Model.Model.Rho, task.LinearCeiling,
		metric.Accuracy(labels, classes), separated/ofTwo, auroc, 1-negatives/predictions, means, distances,
		s.Data.Train-steps.Skipped-steps.Projected, learner.Scores(labels, classes)[1:], steps.Row())
	return t
}

// negative reports whether a variance is negative beyond the accuracy of the moments.
func negative(variance float64) bool { return variance < -softmax.MomentError }
