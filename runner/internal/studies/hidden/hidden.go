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
		return &experiment{name: m.Name, Learners: learner.Learners{Model: learner.DefaultModel()}}
	}),
}

type experiment struct {
	study.Plain
	Hidden           settings `toml:"hidden"`
	Tasks            []task   `toml:"task" allowed:"at least one table headed [[task]]"`
	learner.Learners          // without layers: they follow from the tasks

	name   string
	seeds  []int
	models [][]learner.Method // by task, with its layers
}

type settings struct {
	Test      int   `toml:"test" allowed:"1 to 1,000,000"`                       // test examples of each task
	Snapshots []int `toml:"snapshots" allowed:"increasing numbers"`              // numbers of examples of the first pass after which networks are scored
	Passes    []int `toml:"passes" allowed:"increasing numbers from 1 to 1,000"` // numbers of passes over the training examples after which they are
}

// task is examples and what they are called.
type task struct {
	Name string `toml:"name" allowed:"a text"`
	data.Sample
}

// SetUp works out the models of each task.
func (e *experiment) SetUp(m *config.Manifest) (err error) {
	if e.seeds, err = m.Seeds(e.Sweep.Seed); err != nil {
		return err
	}
	if err := learner.Increasing("hidden.passes", e.Hidden.Passes, 1000); err != nil {
		return err
	}
	for _, t := range e.Tasks {
		models, err := e.Networks(data.Inputs, t.Task().Classes, 64)
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
	Model             learner.Method
	Test              int
	Snapshots, Passes []int
}

func (e *experiment) Cells() (cells []study.Cell) {
	for i := range e.models[0] {
		for t, of := range e.Tasks {
			for _, seed := range e.seeds {
				s := spec{
					Seeded: study.Seeded{Manifest: e.name, Seed: seed}, Task: of, Model: e.models[t][i],
					Test: e.Hidden.Test, Snapshots: e.Hidden.Snapshots, Passes: e.Hidden.Passes,
				}
				cells = append(cells, study.Cell{Key: fmt.Sprintf("%s %s seed=%d", s.Model.Name, of.Name, seed), Spec: s, Run: s.run})
			}
		}
	}
	return cells
}

// run trains a network, pass after pass. The examples of the first pass come in the
// order in which they are drawn, those of pass p in an order from the stream
// "pass", p. The test examples are from a stream of their own.
func (s spec) run(ctx context.Context) (table.Set, error) {
	of := s.Task.Task()
	train, test := of.Draw(s.Task.Train, s.Stream("train", s.Task.Name)), of.Draw(s.Test, s.Stream("test", s.Task.Name))
	curve := table.New("curve", slices.Concat([]table.Column{
		table.Text("method", "the variant of the network"), table.Text("task", "what it learns"), table.Int("seed", "of prior and examples"),
		table.Int("pass", "over the training examples"), table.Int("k", "examples of this pass seen"), table.Int("seen", "examples seen in all passes"),
		table.Num("accuracy", "share of right answers on the test examples"), table.Num("log_loss", "mean of −log p of the true class, in nats"),
		table.Num("ece", "expected calibration error of the largest probability, 15 bins"),
	}, learner.StepColumns())...)
	order := func(pass int) rand.Source {
		if pass == 1 {
			return nil
		}
		return s.Stream("pass", pass)
	}
	training := learner.Training{
		Random: func() rand.Source { return s.Stream("prior") }, Passes: slices.Max(s.Passes), Shuffle: order,
		Snapshots: s.Snapshots, ScorePasses: s.Passes,
		Score: func(l *learner.Classifier, pass, k int, p [][]float64, class []int) {
			curve.Add(s.Model.Name, s.Task.Name, s.Seed, pass, k, (pass-1)*s.Task.Train+k, metric.Accuracy(p, class),
				metric.LogLoss(p, class), metric.ECE(p, class, learner.CalibrationBins), l.Steps().Row())
		},
	}
	_, err := training.Run(ctx, s.Model, dataset.NewExamples(train, of.Classes), dataset.NewExamples(test, of.Classes))
	return table.Set{curve}, err
}

// Tables adds curve_summary.csv, the means of curve.csv over the seeds, and tasks.csv. A mean log loss
// that is infinite is no value.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		tasks := table.New("tasks", table.Text("task", "what is learned"), table.Int("classes", "how many it has"),
			table.Num("bayes_error", "the least error rate there can be, by the true probabilities of 100,000 examples"))
		for _, of := range e.Tasks {
			tasks.Add(of.Name, of.Task().Classes, of.Task().BayesError())
		}
		means := append([]string{"accuracy", "log_loss", "ece"}, learner.StepNames...)
		return table.Set{t.Get("curve").GroupBy("method", "task", "pass", "k", "seen").Shares(learner.ShareNames...).Positive(learner.LossNames...).Shares("accuracy").
			Mean("curve_summary", means...), tasks}
	})
}
