// Package order is the study of how much the order of the examples matters: the
// exact posterior does not depend on it. Networks learn a training set of every
// size in many orders; and, as a yardstick, other training sets of the same size.
package order

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/field"
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
	Name: "order",
	Asks: "How much does the order of the examples matter?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{header: m.Header, Learners: learner.Learners{Model: learner.DefaultModel()}}
	}),
}

type experiment struct {
	study.Plain
	Order settings `toml:"order"`
	Tasks []task   `toml:"task" allowed:"at least one table headed [[task]]"`
	learner.Learners
	header config.Header
	seeds  []int
	models [][]learner.Method // by task
}

type settings struct {
	Permutations int `toml:"permutations" allowed:"2 to 1,000"` // orders of each training set
	Samples      int `toml:"samples" allowed:"2 to 1,000"`      // other training sets beside it, the yardstick
	Test         int `toml:"test" allowed:"1 to 1,000,000"`     // inputs at which networks are compared and scored
}

// task is examples, what they are called, and who learns them.
type task struct {
	Name string `toml:"name" allowed:"a text"`
	data.Sample
	Sizes   []int    `toml:"sizes" allowed:"increasing numbers up to train"` // of the training set: the first examples of one stream
	Methods []string `toml:"methods,omitempty"`                              // that learn it; none: all
}

// SetUp works out the models of each task.
func (e *experiment) SetUp(m *config.Manifest) (err error) {
	if e.seeds, err = m.Seeds(e.Sweep.Seed); err != nil {
		return err
	}
	all, names := e.Methods, learner.Names(e.Methods)
	for _, t := range e.Tasks {
		key := "task." + t.Name
		if err := field.AllOneOf(key+".methods", t.Methods, names...); err != nil {
			return err
		}
		e.Methods = slices.DeleteFunc(slices.Clone(all), func(n learner.Method) bool {
			return len(t.Methods) > 0 && !slices.Contains(t.Methods, n.Name)
		})
		models, err := e.Networks(data.Inputs, t.Task().Classes, 64)
		if err := cmp.Or(learner.Increasing(key+".sizes", t.Sizes, t.Train), err); err != nil {
			return err
		}
		e.models = append(e.models, models)
	}
	e.Methods = all
	return nil
}

// Networks differ by the order of one training set, or by their training sets.
const (
	byOrder  = "order"
	bySample = "sample"
)

// spec is all that the tables of a cell, one task, model and seed, follow from.
type spec struct {
	study.Seeded
	Task  task
	Model learner.Method
	Order settings
}

func (e *experiment) Cells() (cells []study.Cell) {
	for i, task := range e.Tasks {
		for _, model := range e.models[i] {
			for _, seed := range e.seeds {
				s := spec{study.Seeded{Manifest: e.header.Name, Seed: seed}, task, model, e.Order}
				key := fmt.Sprintf("%s %s seed=%d", task.Name, model.Name, seed)
				cells = append(cells, study.Cell{Key: key, Spec: s, Run: s.run})
			}
		}
	}
	return cells
}

// run trains networks that have the same prior. The training set of size N is the first N examples of
// the stream "train", its order r that of the stream "permutation", r; the other training set r is
// from the stream "sample", r.
func (s spec) run(ctx context.Context) (table.Set, error) {
	task := s.Task.Task()
	test := task.Draw(s.Order.Test, s.Stream("test"))
	train := dataset.NewExamples(task.Draw(s.Task.Train, s.Stream("train")), task.Classes)
	t := table.New("spread", append([]table.Column{
		table.Text("task", "what it learns"), table.Text("method", "the variant of the network"),
		table.Int("seed", "of the training set"), table.Int("size", "examples of the training set"),
		table.Text("differ_by", "what networks differ by: the order of the same examples, or the sample of examples"),
		table.Int("runs", "networks that are compared"),
	}, spreadColumns()...)...)
	for _, size := range s.Task.Sizes {
		for _, by := range []struct {
			word string
			sets int
			set  func(r int) *data.Examples
		}{
			{byOrder, s.Order.Permutations, func(r int) *data.Examples {
				return train.Subset(rand.New(s.Stream("permutation", r)).Perm(size))
			}},
			{bySample, s.Order.Samples, func(r int) *data.Examples {
				return dataset.NewExamples(task.Draw(size, s.Stream("sample", r)), task.Classes)
			}},
		} {
			var learners []*learner.Result
			for r := range by.sets {
				training := learner.Training{Random: func() rand.Source { return s.Stream("prior") }}
				l, err := training.Run(ctx, s.Model, by.set(r+1), nil)
				if err != nil {
					return nil, err
				}
				learners = append(learners, l)
			}
			t.Add(s.Task.Name, s.Model.Name, s.Seed, size, by.word, by.sets, compare(learners, test))
		}
	}
	return table.Set{t}, nil
}

// spreadColumns are those of compare.
func spreadColumns() []table.Column {
	return []table.Column{
		table.Num("tv", "total variation of two networks, mean over all pairs and the test inputs"),
		table.Num("tv_max", "total variation of the two networks that are farthest apart, mean over the test inputs"),
		table.Num("accuracy", "mean over the networks"), table.Num("accuracy_sd", "standard deviation over the networks"),
		table.Num("accuracy_min", "least of the networks"), table.Num("accuracy_max", "greatest of the networks"),
		table.Num("log_loss", "mean over the networks, in nats"), table.Num("failed", "networks that broke down"),
		table.Num("indefinite_steps", "mean over the networks"),
	}
}

// compare says how far networks are apart at the test inputs, and how good they are.
func compare(learners []*learner.Result, test data.Set) []float64 {
	var p [][][]float64
	var accuracy, loss []float64
	failed, indefinite := 0.0, 0.0
	for _, l := range learners {
		q := l.Probabilities(test.X)
		steps := l.Steps()
		p = append(p, q)
		accuracy = append(accuracy, metric.Accuracy(q, test.Class))
		loss = append(loss, metric.LogLoss(q, test.Class))
		if steps.Failed {
			failed++
		}
		indefinite += float64(steps.Indefinite) / float64(len(learners))
	}
	tv, largest := totalVariation(p)
	mean, sd := table.MeanSD(accuracy)
	return []float64{tv, largest, mean, sd, floats.Min(accuracy), floats.Max(accuracy), table.Mean(loss), failed, indefinite}
}

// totalVariation returns ½ Σ_j |p_j − q_j| for predictions p[r][i] of the inputs i by the networks r, two
// or more, averaged over the inputs: its mean over all pairs of networks, and its largest.
func totalVariation(p [][][]float64) (mean, largest float64) {
	each := make([]float64, len(p[0])) // of an input, mean over the pairs
	pairs := float64(len(p)*(len(p)-1)) / 2
	for a := range p {
		for b := range a {
			total := 0.0
			for i := range each {
				var tv float64
				for j, x := range p[a][i] {
					tv += math.Abs(x-p[b][i][j]) / 2
				}
				each[i] += tv / pairs
				total += tv
			}
			largest = max(largest, total/float64(len(each)))
		}
	}
	return table.Mean(each), largest
}

// Tables adds the means of spread.csv over the seeds; of log losses that are finite.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		return table.Set{t.Get("spread").GroupBy("task", "method", "size", "differ_by", "runs").
			Shares("tv", "tv_max", "accuracy", "accuracy_min", "accuracy_max").Positive("log_loss").MeanFinite("summary", table.Names(spreadColumns())...)}
	})
}
