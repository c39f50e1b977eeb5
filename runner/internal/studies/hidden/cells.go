package hidden

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/runner/internal/data"
	"closedform/runner/internal/grid"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// spec is all that the tables of a cell, one model, task and seed, follow from.
type spec struct {
	Manifest          string
	Seed              int
	Task              task
	Model             learner.Variant
	Test              int
	Snapshots, Passes []int
	Grid              int  // of the map; 0: none is written down
	Classes           int  // most classes of a task, for the columns of the maps
	Train             bool // whether the training examples, which all models share, are written down
}

func (e *experiment) Cells() []study.Cell {
	classes := 0
	for _, t := range e.Tasks {
		classes = max(classes, t.Task().Classes)
	}
	var cells []study.Cell
	for i := range e.models[0] {
		for t, task := range e.Tasks {
			for _, seed := range e.seeds {
				model, drawn := e.models[t][i], seed == e.manifest.Seed
				s := spec{
					Manifest: e.manifest.Name, Seed: seed, Task: task, Model: model, Test: e.Hidden.Test,
					Snapshots: e.Hidden.Snapshots, Passes: e.Hidden.Passes, Train: i == 0 && drawn,
				}
				if drawn && slices.Contains(e.Hidden.Maps, model.Name) {
					s.Grid, s.Classes = e.Hidden.Grid, classes
				}
				cells = append(cells, study.Cell{Key: fmt.Sprintf("%s %s seed=%d", model.Name, task.Name, seed), Spec: s, Run: s.run})
			}
		}
	}
	return cells
}

// stream returns the random numbers of this seed for a purpose. They are the same
// for all models.
func (s spec) stream(purpose ...any) rand.Source { return study.Stream(s.Manifest, s.Seed, purpose...) }

// cell is one network and what is written down of its life.
type cell struct {
	spec
	task    *data.Task
	learner *learner.Tolerant
	test    data.Set
	curve   *table.Table
}

// run trains a network, pass after pass. The examples of the first pass come in the
// order in which they are drawn, those of pass p in an order from the stream
// "pass", p. The test examples are from a stream of their own.
func (s spec) run(ctx context.Context) (table.Set, error) {
	c := &cell{spec: s, task: s.Task.Task(), curve: table.New("curve", curveColumns()...)}
	var err error
	if c.learner, err = s.Model.Learner(s.stream("prior")); err != nil {
		return nil, err
	}
	train := c.task.Draw(s.Task.Train, s.stream("train", s.Task.Name))
	c.test = c.task.Draw(s.Test, s.stream("test", s.Task.Name))
	tables := table.Set{c.curve}
	if s.Train {
		tables = append(tables, c.train(train))
	}
	course := learner.Course{
		Examples: data.NewExamples(train, c.task.Classes), Passes: slices.Max(s.Passes),
		Order: func(pass int) rand.Source {
			if pass == 1 {
				return nil
			}
			return s.stream("pass", pass)
		},
		After: func(pass, k int) error {
			end := k == s.Task.Train
			if s.Grid > 0 && pass == 1 && end {
				tables = append(tables, c.maps())
			}
			if end && slices.Contains(s.Passes, pass) || pass == 1 && slices.Contains(s.Snapshots, k) {
				c.score(pass, k)
			}
			return nil
		},
	}
	return tables, course.Train(ctx, c.learner)
}

// key are the columns that begin the tables of a network.
func key() []table.Column {
	return []table.Column{table.Text("method", "the variant of the network"), table.Text("task", "what it learns")}
}

// scoreColumns are the scores on the test examples.
func scoreColumns() []table.Column {
	return []table.Column{
		table.Num("accuracy", "share of right answers"), table.Num("log_loss", "mean of −log p of the true class, in nats"),
		table.Num("ece", "expected calibration error of the largest probability, 15 bins"),
	}
}

func curveColumns() []table.Column {
	return slices.Concat(key(), []table.Column{
		table.Int("seed", "of prior and examples"), table.Int("pass", "over the training examples"),
		table.Int("k", "examples of this pass seen"), table.Int("seen", "examples seen in all passes"),
	}, scoreColumns(), learner.StepColumns())
}

// score writes down how good the network is on the test examples, after k examples
// of a pass.
func (c *cell) score(pass, k int) {
	p := c.learner.Probabilities(c.test.X)
	c.curve.Add(c.Model.Name, c.Task.Name, c.Seed, pass, k, (pass-1)*c.Task.Train+k,
		metric.Accuracy(p, c.test.Class), metric.LogLoss(p, c.test.Class), metric.ECE(p, c.test.Class, learner.CalibrationBins),
		c.learner.Steps().Row())
}

// train lists the training examples, in the order of the first pass.
func (c *cell) train(set data.Set) *table.Table {
	t := table.New("train", table.Text("task", "what is learned"), table.Int("seed", "of the examples"), table.Int("k", "its place in the first pass"),
		table.Num("x1", "first input").Rounded(4), table.Num("x2", "second input").Rounded(4), table.Int("class", "from 1"))
	for k, x := range set.X {
		t.Add(c.Task.Name, c.Seed, k+1, x, set.Class[k]+1)
	}
	return t
}

// maps returns the predictions on the region of the task. A class that the task
// does not have is no value, and so are the variances of a network that has broken
// down.
func (c *cell) maps() *table.Table {
	t := table.New("maps", append(key(), table.Num("x1", "first input"), table.Num("x2", "second input"))...)
	t.Packed = true
	for j := range c.Classes {
		t.Columns = append(t.Columns, table.Num(fmt.Sprintf("p%d", j+1), "probability of the class"))
	}
	t.Columns = append(t.Columns,
		table.Num("variance", "Σ_j Var y_j by the moments that the network predicts with"),
		table.Num("variance_exact", "Σ_j Var y_j by those of the softmax of the same logits"),
		table.Num("entropy", "of the probabilities, in nats"))
	for i := range t.Columns[len(key()):] {
		t.Columns[len(key())+i].Digits = 6
	}
	points := gridOf(c.task, c.Grid).Points
	p := c.learner.Probabilities(points)
	variance, exact := c.learner.Variances(points)
	for i, x := range points {
		t.Add(c.Model.Name, c.Task.Name, x, p[i], table.Gaps(c.Classes-c.task.Classes), variance[i], exact[i], metric.Entropy(p[i]))
	}
	return t
}

// gridOf returns the grid of a map.
func gridOf(task *data.Task, points int) *grid.Grid {
	return grid.New(task.Region.Axis(0, points), task.Region.Axis(1, points))
}
