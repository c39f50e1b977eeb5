package posterior

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/perceptron"
	"closedform/core/checkpoint"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// spec is all that the tables of a cell, one seed of one task, follow from: all methods are compared
// with one sample from the posterior.
type spec struct {
	study.Seeded
	Task   string
	Data   data.Sample
	Model  learner.Model // whose prior that of the posterior is
	Models []learner.Method
	settings
}

func (e *experiment) Cells() (cells []study.Cell) {
	for i, t := range e.tasks() {
		settings, model, models := e.Posterior, e.Model, slices.Clone(e.models)
		settings.Snapshots, settings.Grid = t.Snapshots, t.Grid
		if i > 0 {
			model = resized(model, t.Task().Classes)
			for k, v := range models {
				models[k].Model = resized(v.Model, t.Task().Classes)
			}
		}
		for _, seed := range e.seeds {
			s := spec{study.Seeded{Manifest: e.header.Name, Seed: seed}, t.Name, data.Sample{Generator: t.Generator, Train: e.Data.Train}, model, models, settings}
			if i > 0 || seed != e.header.Seed {
				s.Mapped, s.Maps, s.MapGrid = nil, nil, 0
			}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("task=%s seed=%d", t.Name, seed), Spec: s, Run: s.run})
		}
	}
	return cells
}

// resized returns the model with so many classes, and prior means of 0.
func resized(m learner.Model, classes int) learner.Model {
	m.Layers, m.PriorMean, m.PriorMeanVar = []int{data.Inputs, classes}, nil, 0
	return m
}

// cell is the stream of one seed with all that learns it.
type cell struct {
	spec
	task    *data.Task
	square  *square // where predictions are compared
	methods []method
	prior   laplace.Prior

	curve, exact, maps, train, state, agreement *table.Table
}

// run shows the examples to all methods, and compares them after some.
func (s spec) run(ctx context.Context) (table.Set, error) {
	c := &cell{spec: s, task: s.Data.Task(), square: newSquare(s.Data.Task(), s.Grid)}
	c.name()
	if err := c.enlist(); err != nil {
		return nil, err
	}
	examples := c.task.Draw(s.Data.Train, s.Stream("train"))
	for i, x := range examples.X {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k, class := i+1, examples.Class[i]
		for _, m := range c.methods {
			m.Observe(x, class)
			if m.twin != nil {
				m.twin.Observe(x, class)
			}
		}
		if len(s.Mapped) > 0 {
			c.train.Add(k, x, class+1)
		}
		if slices.Contains(s.Snapshots, k) {
			if err := c.compare(k, examples.X[:k], examples.Class[:k]); err != nil {
				return nil, fmt.Errorf("after example %d: %w", k, err)
			}
		}
	}
	all := table.Set{c.curve, c.exact, c.state, c.agreement, c.maps, c.train}
	return slices.DeleteFunc(all, func(t *table.Table) bool { return t.Len() == 0 }), nil
}

// compare writes down how far all are from the exact posterior after k examples; and of networks of the
// paper's rule the bytes of the checkpoint, the largest difference of their predictions from those of the
// twin, 0 where nothing is sampled, and how far they are from Huber's perceptron where there is one.
func (c *cell) compare(k int, x [][]float64, class []int) error {
	problem, err := laplace.NewProblem(c.prior, x, class)
	if err != nil {
		return err
	}
	sample, err := problem.Sample(c.Draws, c.Stream("importance", k))
	if err != nil {
		return err
	}
	c.exact.Add(c.Task, c.Seed, k, "importance", sample.ESS)
	exact, tvNoise, klNoise, err := c.square.predict(sample)
	if err != nil {
		return err
	}
	bestError, bestLoss, _ := c.square.scores(c.square.truth)
	add := func(name string, q [][]float64, tv, kl float64, steps learner.Steps) {
		error, loss, ece := c.square.scores(q)
		c.curve.Add(name, c.Task, c.Seed, k, tv, kl, tvNoise, klNoise, error-bestError, loss-bestLoss, ece, steps.Row())
	}
	add(exactName, exact, math.NaN(), math.NaN(), learner.Steps{})
	for _, m := range c.methods {
		q := m.Probabilities(c.square.Points)
		tv, kl := c.square.distance(exact, q)
		add(m.name, q, tv, kl, m.Steps())
		if m.twin == nil {
			continue
		}
		var saved bytes.Buffer
		if err := checkpoint.Save(&saved, network(m.Classifier), ""); err != nil {
			return err
		}
		gap := 0.
		for i, p := range m.twin.Probabilities(c.square.Points) {
			for j := range p {
				gap = max(gap, math.Abs(p[j]-q[i][j]))
			}
		}
		c.state.Add(m.name, c.Task, c.Seed, k, saved.Len(), gap)
		if huber := c.method(perceptronPrefix + string(perceptron.Huber)); huber != nil {
			c.agreement.Add(m.name, c.Task, c.Seed, k, m.agreement(q, huber, c.square))
		}
	}
	if slices.Contains(c.Mapped, k) {
		return c.draw(k, sample)
	}
	return nil
}

// draw writes down the maps.
func (c *cell) draw(k int, sample *laplace.Sample) error {
	square := newSquare(c.task, c.MapGrid)
	exact, _, _, err := square.predict(sample)
	if err != nil {
		return err
	}
	for _, name := range append([]string{exactName}, c.Maps...) {
		q := exact
		if m := c.method(name); m != nil {
			q = m.Probabilities(square.Points)
		}
		for i, x := range square.Points {
			c.maps.Add(name, k, x, q[i])
		}
	}
	return nil
}

// method returns that of the name, nil if there is none.
func (c *cell) method(name string) *method {
	if i := slices.IndexFunc(c.methods, func(m method) bool { return m.name == name }); i >= 0 {
		return &c.methods[i]
	}
	return nil
}

// name makes the empty tables.
func (c *cell) name() {
	at := []table.Column{
		table.Text("method", "the network or perceptron; "+jointName+": one Gaussian over the weights of all neurons, failed where it "+
			"skipped more than half of its steps; exact: the posterior itself; uniform: equal probabilities"),
		table.Text("task", "what is learned"), table.Int("seed", "of the examples"), table.Int("k", "examples seen"),
	}
	with := func(name string, columns ...table.Column) *table.Table {
		return table.New(name, append(at[:len(at):len(at)], columns...)...)
	}
	c.curve = with("curve", append([]table.Column{
		table.Num("tv", "total variation from the exact predictive"),
		table.Num("kl", "divergence KL(exact ‖ method), in nats"),
		table.Num("tv_noise", "total variation that the exact predictive has by its own sampling"),
		table.Num("kl_noise", "divergence of the exact predictive by its own sampling"),
		table.Num("excess_error", "error rate above that of the truth"),
		table.Num("excess_log_loss", "log loss above that of the truth, in nats"),
		table.Num("ece", "expected calibration error of the largest probability, 15 bins"),
	}, learner.StepColumns()...)...)
	c.state = with("state", table.Int("bytes", "of the checkpoint"),
		table.Num("twin_gap", "largest difference of a probability from that of a network with another random stream"))
	c.agreement = with("agreement",
		table.Num("tv", "total variation from Huber's perceptron, each with what it has learned, mean over the square"),
		table.Num("p_gap", "largest difference of p from Huber's formula at equal beliefs"),
		table.Num("cross_gap", "mean difference of Cov(a, y) from Huber's at equal beliefs, divided by the mean of Huber's"),
		table.Num("variance_gap", "mean difference of Var y from Huber's at equal beliefs, divided by the mean of Huber's"))
	c.exact = table.New("exact", at[1], at[2], at[3], table.Text("sampler", "importance sampling"),
		table.Num("ess", "effective sample size"))
	c.train = table.New("train", table.Int("k", "number of the example"),
		table.Num("x1", "its place"), table.Num("x2", ""), table.Int("class", "its class, from 1"))
	c.maps = table.New("maps", append([]table.Column{
		at[0], at[3], table.Num("x1", "first input").Rounded(6), table.Num("x2", "second input").Rounded(6),
	}, learner.ProbabilityColumns(c.task.Classes, "probability of the class")...)...)
	c.maps.Packed = true
}

// Tables adds the means over the seeds.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		t.Pack("curve")
		return table.Set{summary(t.Get("curve"))}
	})
}

// summary averages over the seeds: a row for each task, method and snapshot, method by method. A mean is
// infinite where the divergence or the log loss of a seed is.
func summary(curve *table.Table) *table.Table {
	var byMethod []table.Set
	for _, rows := range curve.GroupBy("method").All() {
		byMethod = append(byMethod, table.Set{rows})
	}
	sorted, _ := table.Merge(byMethod) // which have the same columns
	return sorted[0].GroupBy("method", "task", "k").Shares(learner.ShareNames...).Positive(learner.LossNames...).Shares("tv").Positive("kl").
		Mean("curve_summary", table.Names(curve.Columns[4:])...)
}
