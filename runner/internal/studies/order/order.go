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
		return &experiment{header: m.Header, Networks: learner.Networks{Model: learner.DefaultModel()}}
	}),
}

type experiment struct {
	study.Plain
	Data  data.Sample `toml:"data"`
	Order settings    `toml:"order"`
	learner.Networks
	header config.Header
}

func (e *experiment) SetUp(m *config.Manifest) error {
	e.Data.Generator = e.Data.WithDefaults()
	return cmp.Or(learner.Increasing("order.sizes", e.Order.Sizes, e.Data.Train), e.Resolve(m), e.Fit(m, data.Inputs, e.Data.Task().Classes))
}

type settings struct {
	Permutations int   `toml:"permutations" allowed:"2 to 1,000"`                   // orders of each training set
	Samples      int   `toml:"samples" allowed:"2 to 1,000"`                        // other training sets beside it, the yardstick
	Sizes        []int `toml:"sizes" allowed:"increasing numbers up to data.train"` // of the training set: the first examples of one stream
	Test         int   `toml:"test" allowed:"1 to 1,000,000"`                       // inputs at which networks are compared and scored
	Mapped       int   `toml:"mapped" allowed:"one of sizes"`                       // the size whose maps are drawn
	Grid         int   `toml:"grid" allowed:"2 to 2,001"`                           // points of the maps along each axis
}

func (s *settings) Validate() error {
	if !slices.Contains(s.Sizes, s.Mapped) {
		return field.Errorf("mapped", "%d is not allowed; allowed: one of sizes = %v", s.Mapped, s.Sizes)
	}
	return nil
}

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

// spreadColumns are the numbers of spread.csv.
func spreadColumns() []table.Column {
	return []table.Column{
		table.Num("tv", "total variation of two networks, mean over all pairs and the test inputs"),
		table.Num("tv_max", "total variation of the two networks that are farthest apart, mean over the test inputs"),
		table.Num("sd", "√(½ Σ_j Var p_j) over the networks, mean over the test inputs"),
		table.Num("accuracy", "mean over the networks"), table.Num("accuracy_sd", "standard deviation over the networks"),
		table.Num("accuracy_min", "least of the networks"), table.Num("accuracy_max", "greatest of the networks"),
		table.Num("log_loss", "mean over the networks, in nats"), table.Num("failed", "networks that broke down"),
		table.Num("indefinite_steps", "mean over the networks"),
	}
}

// spread is how far predictions of the same inputs are apart.
type spread struct {
	mean    [][]float64 // p̄ of each input
	tv      []float64   // of each input, ½Σ_j|p_j − q_j| averaged over all pairs of predictions
	sd      []float64   // of each input, √(½ Σ_j Var p_j)
	largest float64     // total variation of the two predictions that are farthest apart, averaged over the inputs
}

// spreadOf compares predictions p[r][i] of the inputs i by the networks r, two or more. For two
// classes, sd is the standard deviation of the probability of either.
func spreadOf(p [][][]float64) spread {
	inputs, classes := len(p[0]), len(p[0][0])
	s := spread{tv: make([]float64, inputs), sd: make([]float64, inputs)}
	pairs := float64(len(p)*(len(p)-1)) / 2
	for a := range p {
		for b := range a {
			total := 0.0
			for i := range inputs {
				var tv float64
				for j, x := range p[a][i] {
					tv += math.Abs(x-p[b][i][j]) / 2
				}
				s.tv[i] += tv / pairs
				total += tv
			}
			s.largest = max(s.largest, total/float64(inputs))
		}
	}
	x := make([]float64, len(p))
	for i := range inputs {
		mean, sum := make([]float64, classes), 0.
		for j := range classes {
			for r := range p {
				x[r] = p[r][i][j]
			}
			var variance float64
			mean[j], variance = table.MeanVariance(x)
			sum += variance
		}
		s.mean, s.sd[i] = append(s.mean, mean), math.Sqrt(sum/2)
	}
	return s
}

// Tables adds the means of spread.csv over the seeds; of log losses that are finite.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		t.Pack("runs")
		return table.Set{t.Get("spread").GroupBy("method", "size", "differ_by", "runs").
			Shares("tv", "tv_max", "accuracy", "accuracy_min", "accuracy_max").Positive("log_loss").MeanFinite("summary", table.Names(spreadColumns())...)}
	})
}
