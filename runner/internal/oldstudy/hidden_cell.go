package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"closedform/core/random"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// hiddenCell is one network and what is written down of its life.
type hiddenCell struct {
	hiddenSpec
	task                dataset.Task
	learner             *learner
	test                dataset.Set
	curve, maps, sample store.Table
}

// run trains a network, pass after pass. The examples of the first pass come in
// the order in which they are drawn, those of pass p in an order from the stream
// "pass", p. The test examples are from a stream of their own.
func (s hiddenSpec) run(ctx context.Context) ([]store.Table, error) {
	c := &hiddenCell{hiddenSpec: s, task: s.Task.Data.Task()}
	c.header()
	lambda := lambdaValue(s.Model.Lambda, c.task.Classes(), s.Model.Rho)
	network, err := newNetwork(s.Model, lambda, c.stream("prior"))
	if err != nil {
		return nil, err
	}
	c.learner = &learner{network: network, classes: c.task.Classes()}
	train := c.task.Generate(s.Task.Train, c.stream("train", s.Task.Name))
	c.test = c.task.Generate(s.Test, c.stream("test", s.Task.Name))
	if s.Train {
		c.writeTrain(train)
	}
	order := make([]int, s.Task.Train)
	for k := range order {
		order[k] = k
	}
	for pass := 1; pass <= slices.Max(s.Passes); pass++ {
		if pass > 1 {
			order = rand.New(c.stream("pass", pass)).Perm(s.Task.Train)
		}
		for k, i := range order {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c.learner.observe(train.X[i], train.Class[i])
			if seen := k + 1; pass == 1 && slices.Contains(s.Snapshots, seen) && seen < s.Task.Train {
				c.score(pass, seen)
			}
		}
		if pass == 1 && s.Grid > 0 {
			c.writeMap()
		}
		if slices.Contains(s.Passes, pass) || pass == 1 && slices.Contains(s.Snapshots, s.Task.Train) {
			c.score(pass, s.Task.Train)
		}
	}
	tables := []store.Table{c.curve}
	if s.Train {
		tables = append(tables, c.sample)
	}
	if s.Grid > 0 {
		tables = append(tables, c.maps)
	}
	return tables, nil
}

// stream returns the random stream of this seed for a purpose. All variants see
// the same examples in the same order.
func (s hiddenSpec) stream(purpose ...any) rand.Source {
	return random.Source(append([]any{s.Manifest, s.Seed}, purpose...)...)
}

func (c *hiddenCell) header() {
	c.curve = store.Table{Name: "curve", Header: []string{
		"variant", "task", "seed", "pass", "k", "seen", "accuracy", "log_loss", "ece",
		"failed", "indefinite_steps", "skipped_steps", "projected_steps", "raised",
	}}
	c.sample = store.Table{Name: "train", Header: []string{"task", "seed", "k", "x1", "x2", "class"}}
	c.maps = store.Table{Name: "maps", Header: []string{"variant", "task", "x1", "x2"}}
	for j := range c.Classes {
		c.maps.Header = append(c.maps.Header, fmt.Sprintf("p%d", j+1))
	}
	c.maps.Header = append(c.maps.Header, "variance", "variance_exact", "entropy")
}

// score writes down how good the network is on the test examples, after k
// examples of a pass.
func (c *hiddenCell) score(pass, k int) {
	p := c.learner.labels(c.test.X)
	failed := 0
	if c.learner.failed {
		failed = 1
	}
	row := []string{c.Model.Name, c.Task.Name}
	for _, n := range []int{c.Seed, pass, k, (pass-1)*c.Task.Train + k} {
		row = append(row, strconv.Itoa(n))
	}
	for _, x := range []float64{
		metric.Accuracy(p, c.test.Class), metric.LogLoss(p, c.test.Class), metric.ECE(p, c.test.Class, calibrationBins),
	} {
		row = append(row, store.Float(x))
	}
	for _, n := range []int{failed, c.learner.indefinite, c.learner.skipped, c.learner.projected, c.learner.raised} {
		row = append(row, strconv.Itoa(n))
	}
	c.curve.Rows = append(c.curve.Rows, row)
}

func (c *hiddenCell) writeTrain(train dataset.Set) {
	for k, x := range train.X {
		c.sample.Rows = append(c.sample.Rows, []string{
			c.Task.Name, strconv.Itoa(c.Seed), strconv.Itoa(k + 1), store.Float(x[0]), store.Float(x[1]), strconv.Itoa(train.Class[k] + 1),
		})
	}
}

// writeMap writes down the predictions on the region of the task. A class that
// the task does not have is a gap, and so are the variances of a network that has
// broken down.
func (c *hiddenCell) writeMap() {
	inputs := lattice(c.task.Region(), c.Grid)
	label := c.learner.labels(inputs)
	variance, exact := c.learner.variances(inputs)
	for i, x := range inputs {
		row := []string{c.Model.Name, c.Task.Name, store.Float(x[0]), store.Float(x[1])}
		for j := range c.Classes {
			p := math.NaN()
			if j < len(label[i]) {
				p = label[i][j]
			}
			row = append(row, gapped(p))
		}
		c.maps.Rows = append(c.maps.Rows, append(row, gapped(variance[i]), gapped(exact[i]), store.Float(metric.Entropy(label[i]))))
	}
}

// lattice returns the points of a map: row by row, the first coordinate changing
// fastest.
func lattice(r dataset.Region, points int) [][]float64 {
	var out [][]float64
	axis := r.Axis(0, points)
	for _, x2 := range r.Axis(1, points) {
		for _, x1 := range axis {
			out = append(out, []float64{x1, x2})
		}
	}
	return out
}
