package order

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Networks differ by the order of one training set, or by their training sets.
const (
	byOrder  = "order"
	bySample = "sample"
)

// spec is all that the tables of a cell, one model and one seed, follow from.
type spec struct {
	study.Seeded
	Data  data.Sample
	Model learner.Named
	Order settings
	Maps  bool // whether maps are written down
}

func (e *experiment) Cells() (cells []study.Cell) {
	for _, model := range e.Models {
		for _, seed := range e.Seeds {
			s := spec{study.Seeded{Manifest: e.header.Name, Seed: seed}, e.Data, model, e.Order, seed == e.header.Seed}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("%s seed=%d", model.Name, seed), Spec: s, Run: s.run})
		}
	}
	return cells
}

// cell is the tables of a cell.
type cell struct {
	spec
	task               *data.Task
	test               data.Set
	runs, spread, maps *table.Table
}

// run trains networks that have the same prior. The training set of size N is the first N examples of
// the stream "train", its order r that of the stream "permutation", r; the other training set r is
// from the stream "sample", r.
func (s spec) run(ctx context.Context) (table.Set, error) {
	task := s.Data.Task()
	c := &cell{spec: s, task: task, test: task.Draw(s.Order.Test, s.Stream("test"))}
	c.begin()
	train := dataset.NewExamples(task.Draw(s.Data.Train, s.Stream("train")), task.Classes)
	for _, size := range s.Order.Sizes {
		permuted, err := c.learners(ctx, s.Order.Permutations, func(r int) *data.Examples {
			return train.Subset(rand.New(s.Stream("permutation", r)).Perm(size))
		})
		if err != nil {
			return nil, err
		}
		others, err := c.learners(ctx, s.Order.Samples, func(r int) *data.Examples {
			return dataset.NewExamples(task.Draw(size, s.Stream("sample", r)), task.Classes)
		})
		if err != nil {
			return nil, err
		}
		c.compare(byOrder, size, permuted)
		c.compare(bySample, size, others)
		if s.Maps && size == s.Order.Mapped {
			c.writeMap(permuted)
		}
	}
	if s.Maps {
		return table.Set{c.runs, c.spread, c.maps}, nil
	}
	return table.Set{c.runs, c.spread}, nil
}

// learners returns networks that have learned the training sets 1 to n.
func (c *cell) learners(ctx context.Context, n int, set func(r int) *data.Examples) ([]*learner.Tolerant, error) {
	var out []*learner.Tolerant
	for r := 1; r <= n; r++ {
		l, err := c.Model.Learner(c.Stream("prior"))
		if err != nil {
			return nil, err
		}
		if err := (learner.Course{Examples: set(r)}).Train(ctx, l); err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// begin makes the tables.
func (c *cell) begin() {
	method, size := table.Text("method", "the variant of the network"), table.Int("size", "examples of the training set")
	key := []table.Column{
		method, table.Int("seed", "of the training set"), size,
		table.Text("differ_by", "what networks differ by: the order of the same examples, or the sample of examples"),
	}
	c.runs = table.New("runs", slices.Concat(key, []table.Column{
		table.Int("run", "number of the order or of the training set"),
		table.Num("accuracy", "share of right answers on the test inputs"), table.Num("log_loss", "mean of −log p of the true class, in nats"),
	}, learner.StepColumns())...)
	c.spread = table.New("spread", slices.Concat(key, []table.Column{table.Int("runs", "networks that are compared")}, spreadColumns())...)
	c.maps = table.New("maps", slices.Concat([]table.Column{
		method, size, table.Num("x1", "first input").Rounded(6), table.Num("x2", "second input").Rounded(6),
	}, learner.ProbabilityColumns(c.task.Classes, "probability of the class, mean over the orders"), []table.Column{
		table.Num("tv", "total variation of two networks, mean over all pairs").Rounded(6),
		table.Num("sd", "√(½ Σ_j Var p_j) over the orders").Rounded(6),
	})...)
	c.maps.Packed = true
}

// compare writes down how good the networks are, and how far they are apart, at the test inputs.
func (c *cell) compare(by string, size int, learners []*learner.Tolerant) {
	var p [][][]float64
	var accuracy, loss []float64
	failed, indefinite := 0, 0.0
	key := []any{c.Model.Name, c.Seed, size, by}
	for r, l := range learners {
		q := l.Probabilities(c.test.X)
		steps := l.Steps()
		p = append(p, q)
		accuracy = append(accuracy, metric.Accuracy(q, c.test.Class))
		loss = append(loss, metric.LogLoss(q, c.test.Class))
		if steps.Failed {
			failed++
		}
		indefinite += float64(steps.Indefinite) / float64(len(learners))
		c.runs.Add(key, r+1, accuracy[r], loss[r], steps.Row())
	}
	s := spreadOf(p)
	mean, sd := table.MeanSD(accuracy)
	c.spread.Add(key, len(learners), table.Mean(s.tv), s.largest, table.Mean(s.sd),
		mean, sd, floats.Min(accuracy), floats.Max(accuracy), table.Mean(loss), float64(failed), indefinite)
}

// writeMap writes down the mean prediction and the spread of the networks on the region of the task.
func (c *cell) writeMap(learners []*learner.Tolerant) {
	g := c.task.Region.Grid(c.Order.Grid)
	var p [][][]float64
	for _, l := range learners {
		p = append(p, l.Probabilities(g.Points))
	}
	s := spreadOf(p)
	for i, x := range g.Points {
		c.maps.Add(c.Model.Name, c.Order.Mapped, x, s.mean[i], s.tv[i], s.sd[i])
	}
}
