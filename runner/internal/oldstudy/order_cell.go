package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"closedform/core/random"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// The two reasons why networks differ: they have seen the same training set in
// different orders, or different training sets.
const (
	byOrder  = "order"
	bySample = "sample"
)

// orderCell is the networks of a cell and what is written down of them.
type orderCell struct {
	orderSpec
	task               dataset.Task
	lambda             float64
	test               dataset.Set
	runs, spread, maps store.Table
}

// run trains networks that have the same prior. The training set of size N is the
// first N examples of the stream "train"; its order r is from the stream
// "permutation", r, and the same for all models. The other training set r is from
// the stream "sample", r.
func (s orderSpec) run(ctx context.Context) ([]store.Table, error) {
	c := &orderCell{orderSpec: s, task: s.Data.Task()}
	c.lambda = lambdaValue(s.Model.Lambda, c.task.Classes(), s.Model.Rho)
	c.test = c.task.Generate(s.Test, c.stream("test"))
	c.header()
	train := c.task.Generate(s.Data.Train, c.stream("train"))
	for _, size := range s.Sizes {
		permuted, err := c.learners(ctx, s.Permutations, func(r int) dataset.Set {
			return permute(train, rand.New(c.stream("permutation", r)).Perm(size))
		})
		if err != nil {
			return nil, err
		}
		c.compare(byOrder, size, permuted)
		if s.Grid > 0 && size == s.Mapped {
			c.writeMap(permuted)
		}
		others, err := c.learners(ctx, s.Samples, func(r int) dataset.Set {
			return c.task.Generate(size, c.stream("sample", r))
		})
		if err != nil {
			return nil, err
		}
		c.compare(bySample, size, others)
	}
	tables := []store.Table{c.runs, c.spread}
	if s.Grid > 0 {
		tables = append(tables, c.maps)
	}
	return tables, nil
}

func (s orderSpec) stream(purpose ...any) rand.Source {
	return random.Source(append([]any{s.Manifest, s.Seed}, purpose...)...)
}

// permute returns the examples of the indices.
func permute(s dataset.Set, indices []int) dataset.Set {
	var out dataset.Set
	for _, i := range indices {
		out.X, out.Class = append(out.X, s.X[i]), append(out.Class, s.Class[i])
	}
	return out
}

// learners returns networks that have learned the training sets 1 to n.
func (c *orderCell) learners(ctx context.Context, n int, set func(r int) dataset.Set) ([]*learner, error) {
	var out []*learner
	for r := 1; r <= n; r++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		network, err := newNetwork(c.Model, c.lambda, c.stream("prior"))
		if err != nil {
			return nil, err
		}
		l := &learner{network: network, classes: c.task.Classes()}
		train := set(r)
		for k, x := range train.X {
			l.observe(x, train.Class[k])
		}
		out = append(out, l)
	}
	return out, nil
}

func (c *orderCell) header() {
	c.runs = store.Table{Name: "runs", Header: []string{
		"variant", "seed", "size", "differ_by", "run", "accuracy", "log_loss", "failed", "indefinite_steps", "skipped_steps", "projected_steps",
	}}
	c.spread = store.Table{Name: "spread", Header: append([]string{"variant", "seed", "size", "differ_by", "runs"}, spreadColumns...)}
	c.maps = store.Table{Name: "maps", Header: []string{"variant", "size", "x1", "x2"}}
	for j := range c.task.Classes() {
		c.maps.Header = append(c.maps.Header, fmt.Sprintf("p%d", j+1))
	}
	c.maps.Header = append(c.maps.Header, "tv", "sd")
}

// spreadColumns are the numbers of spread.csv.
var spreadColumns = []string{
	"tv", "tv_max", "sd", "accuracy", "accuracy_sd", "accuracy_min", "accuracy_max", "log_loss", "failed", "indefinite_steps",
}

// compare writes down how good the networks are and how far they are apart at the
// test inputs.
func (c *orderCell) compare(by string, size int, learners []*learner) {
	var p [][][]float64
	var accuracy, loss []float64
	var failed, indefinite float64
	at := []string{c.Model.Name, strconv.Itoa(c.Seed), strconv.Itoa(size), by}
	for r, l := range learners {
		q := l.labels(c.test.X)
		p = append(p, q)
		accuracy = append(accuracy, metric.Accuracy(q, c.test.Class))
		loss = append(loss, metric.LogLoss(q, c.test.Class))
		broken := 0
		if l.failed {
			broken = 1
		}
		failed += float64(broken)
		indefinite += float64(l.indefinite) / float64(len(learners))
		row := append(at[:len(at):len(at)], strconv.Itoa(r+1), store.Float(accuracy[r]), store.Float(loss[r]))
		for _, n := range []int{broken, l.indefinite, l.skipped, l.projected} {
			row = append(row, strconv.Itoa(n))
		}
		c.runs.Rows = append(c.runs.Rows, row)
	}
	s := spreadOf(p)
	mean, sd := stat.MeanStdDev(accuracy, nil)
	row := append(at[:len(at):len(at)], strconv.Itoa(len(learners)))
	for _, x := range []float64{
		stat.Mean(s.tv, nil), s.largest, stat.Mean(s.sd, nil),
		mean, sd, floats.Min(accuracy), floats.Max(accuracy), stat.Mean(loss, nil), failed, indefinite,
	} {
		row = append(row, store.Float(x))
	}
	c.spread.Rows = append(c.spread.Rows, row)
}

// writeMap writes down the mean prediction of the networks and their spread on
// the region of the task.
func (c *orderCell) writeMap(learners []*learner) {
	inputs := lattice(c.task.Region(), c.Grid)
	var p [][][]float64
	for _, l := range learners {
		p = append(p, l.labels(inputs))
	}
	s := spreadOf(p)
	for i, x := range inputs {
		row := []string{c.Model.Name, strconv.Itoa(c.Mapped), store.Float(x[0]), store.Float(x[1])}
		for _, m := range s.mean[i] {
			row = append(row, store.Float(m))
		}
		c.maps.Rows = append(c.maps.Rows, append(row, store.Float(s.tv[i]), store.Float(s.sd[i])))
	}
}
