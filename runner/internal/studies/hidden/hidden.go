// Package hidden is the study of hidden layers: networks with and without them
// learn tasks that no linear model can, in one pass over the examples and in
// several.
package hidden

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/runner/dataset"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "hidden",
	Asks: "What do hidden layers learn that a linear model cannot?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{header: m.Header, Networks: learner.Networks{Model: learner.DefaultModel()}}
	}),
}

type experiment struct {
	study.Plain
	Hidden           settings `toml:"hidden"`
	Tasks            []task   `toml:"task" allowed:"at least one table headed [[task]]"`
	learner.Networks          // without layers: they follow from the tasks

	header config.Header
	models [][]learner.Named // by task, with its layers
}

type settings struct {
	Test      int      `toml:"test" allowed:"1 to 1,000,000"`                       // test examples of each task
	Snapshots []int    `toml:"snapshots" allowed:"increasing numbers"`              // numbers of examples of the first pass after which networks are scored
	Passes    []int    `toml:"passes" allowed:"increasing numbers from 1 to 1,000"` // numbers of passes over the training examples after which they are
	Grid      int      `toml:"grid" allowed:"2 to 2,001"`                           // points of the maps along each axis
	Maps      []string `toml:"maps"`                                                // the methods whose maps are drawn, after the first of the passes
}

// task is examples and what they are called.
type task struct {
	Name string `toml:"name" allowed:"a text"`
	data.Sample
}

func (s *settings) Validate() error {
	return learner.Increasing("passes", s.Passes, 1000)
}

// SetUp works out the models of each task.
func (e *experiment) SetUp(m *config.Manifest) error {
	if err := e.Resolve(m); err != nil {
		return err
	}
	names := learner.Names(e.Models)
	for _, name := range e.Hidden.Maps {
		if !slices.Contains(names, name) {
			return field.Errorf("hidden.maps", "%s is not a method; allowed: %q", name, names)
		}
	}
	for i, t := range e.Tasks {
		e.Tasks[i].Generator = t.WithDefaults()
		models, err := learner.FitNamed(e.Models, data.Inputs, t.Task().Classes)
		if err := cmp.Or(learner.Increasing("hidden.snapshots", e.Hidden.Snapshots, t.Train), err); err != nil {
			return err
		}
		e.models = append(e.models, models)
	}
	return nil
}

// spec is all that the tables of a cell, one model, task and seed, follow from.
type spec struct {
	study.Seeded
	Task              task
	Model             learner.Named
	Test              int
	Snapshots, Passes []int
	Grid              int  // of the map; 0: none is written down
	Classes           int  // most classes of a task, for the columns of the maps
	Train             bool // whether the training examples, which all models share, are written down
}

func (e *experiment) Cells() (cells []study.Cell) {
	classes := 0
	for _, t := range e.Tasks {
		classes = max(classes, t.Task().Classes)
	}
	for i := range e.Models {
		for t, of := range e.Tasks {
			for _, seed := range e.Seeds {
				model, drawn := e.models[t][i], seed == e.header.Seed
				s := spec{
					Seeded: study.Seeded{Manifest: e.header.Name, Seed: seed}, Task: of, Model: model, Test: e.Hidden.Test,
					Snapshots: e.Hidden.Snapshots, Passes: e.Hidden.Passes, Train: i == 0 && drawn,
				}
				if drawn && slices.Contains(e.Hidden.Maps, model.Name) {
					s.Grid, s.Classes = e.Hidden.Grid, classes
				}
				cells = append(cells, study.Cell{Key: fmt.Sprintf("%s %s seed=%d", model.Name, of.Name, seed), Spec: s, Run: s.run})
			}
		}
	}
	return cells
}

// run trains a network, pass after pass. The examples of the first pass come in the
// order in which they are drawn, those of pass p in an order from the stream
// "pass", p. The test examples are from a stream of their own.
func (s spec) run(ctx context.Context) (table.Set, error) {
	l, err := s.Model.Learner(s.Stream("prior"))
	if err != nil {
		return nil, err
	}
	of := s.Task.Task()
	train, test := of.Draw(s.Task.Train, s.Stream("train", s.Task.Name)), of.Draw(s.Test, s.Stream("test", s.Task.Name))
	curve := table.New("curve", slices.Concat([]table.Column{
		table.Text("method", "the variant of the network"), table.Text("task", "what it learns"), table.Int("seed", "of prior and examples"),
		table.Int("pass", "over the training examples"), table.Int("k", "examples of this pass seen"), table.Int("seen", "examples seen in all passes"),
		table.Num("accuracy", "share of right answers on the test examples"), table.Num("log_loss", "mean of −log p of the true class, in nats"),
		table.Num("ece", "expected calibration error of the largest probability, 15 bins"),
	}, learner.StepColumns())...)
	tables := table.Set{curve}
	if s.Train {
		tables = append(tables, s.train(train))
	}
	order := func(pass int) rand.Source {
		if pass == 1 {
			return nil
		}
		return s.Stream("pass", pass)
	}
	run := learner.Run{
		Course: learner.Course{Examples: dataset.NewExamples(train, of.Classes), Passes: slices.Max(s.Passes), Order: order},
		Test:   dataset.NewExamples(test, of.Classes), Snapshots: s.Snapshots, Scored: s.Passes,
		Score: func(pass, k int, p [][]float64, class []int) {
			curve.Add(s.Model.Name, s.Task.Name, s.Seed, pass, k, (pass-1)*s.Task.Train+k, metric.Accuracy(p, class),
				metric.LogLoss(p, class), metric.ECE(p, class, learner.CalibrationBins), l.Steps().Row())
			if s.Grid > 0 && pass == s.Passes[0] && k == s.Task.Train {
				tables = append(tables, s.maps(l, of))
			}
		},
	}
	return tables, run.Train(ctx, l)
}

// train lists the training examples, in the order of the first pass.
func (s spec) train(set data.Set) *table.Table {
	t := table.New("train", table.Text("task", "what is learned"), table.Int("seed", "of the examples"), table.Int("k", "its place in the first pass"),
		table.Num("x1", "first input").Rounded(4), table.Num("x2", "second input").Rounded(4), table.Int("class", "from 1"))
	for k, x := range set.X {
		t.Add(s.Task.Name, s.Seed, k+1, x, set.Class[k]+1)
	}
	return t
}

// maps returns the predictions on the region of the task. A class that the task
// does not have is no value, and so are the variances of a network that has broken
// down.
func (s spec) maps(l *learner.Tolerant, of *data.Task) *table.Table {
	number := func(name, doc string) table.Column { return table.Num(name, doc).Rounded(6) }
	t := table.New("maps", slices.Concat([]table.Column{
		table.Text("method", "the variant of the network"), table.Text("task", "what it has learned"),
		number("x1", "first input"), number("x2", "second input"),
	}, learner.ProbabilityColumns(s.Classes, "probability of the class"), []table.Column{
		number("variance", "Σ_j Var y_j by the moments that the network predicts with"),
		number("variance_exact", "Σ_j Var y_j by those of the softmax of the same logits"),
		number("entropy", "of the probabilities, in nats"),
	})...)
	t.Packed = true
	points := of.Region.Grid(s.Grid).Points
	p := l.Probabilities(points)
	variance, exact := l.Variances(points)
	for i, x := range points {
		t.Add(s.Model.Name, s.Task.Name, x, p[i], table.Gaps(s.Classes-of.Classes), variance[i], exact[i], kernel.Entropy(p[i], 1))
	}
	return t
}

// Tables adds curve_summary.csv, the means of curve.csv over the seeds, and
// tasks.csv. A mean log loss that is infinite is no value.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		tasks := table.New("tasks", table.Text("task", "what is learned"), table.Int("classes", "how many it has"),
			table.Num("bayes_error", "the least error rate there can be"))
		for _, of := range e.Tasks {
			tasks.Add(of.Name, of.Task().Classes, of.Task().BayesError())
		}
		means := append([]string{"accuracy", "log_loss", "ece"}, learner.StepNames...)
		return table.Set{t.Get("curve").GroupBy("method", "task", "pass", "k", "seen").Shares(learner.ShareNames...).Positive(learner.LossNames...).Shares("accuracy").
			Mean("curve_summary", means...), tasks}
	})
}
