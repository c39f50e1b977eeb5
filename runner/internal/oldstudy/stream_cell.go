package study

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// streamCell is one pupil and what is written down of its life.
type streamCell struct {
	streamSpec
	train, test *dataset.Examples
	pupil       pupil
	batch       bool // the pupil learns nothing before it has all examples

	// Of the first pass: how many examples were predicted wrong before they were
	// learned, and their logarithmic loss.
	seen            int
	wrong, surprise float64

	curve store.Table
	last  [][]float64 // predictions of the test examples when they were last scored
	class []int       // of the test examples
}

// run trains a pupil, pass after pass, and scores it. The data and their split
// are from the stream "data", the same for all that learns; the orders of the
// examples from "pass", p; all else from a stream of the pupil.
func (s streamSpec) run(ctx context.Context) ([]store.Table, error) {
	c := &streamCell{streamSpec: s, curve: store.Table{Name: "curve", Header: append([]string{
		"variant", "seed", "pass", "k", "seen",
	}, scoreColumns...)}}
	c.curve.Header = append(c.curve.Header, "prequential_error", "prequential_log_loss")
	var err error
	if c.train, c.test, err = s.Source.Parts(c.stream("data")); err != nil {
		return nil, err
	}
	if err := c.enrol(); err != nil {
		return nil, err
	}
	for pass := 1; pass <= s.Passes; pass++ {
		if err := c.learn(ctx, pass); err != nil {
			return nil, err
		}
		if c.batch {
			break // It has learned all there is.
		}
	}
	tables := []store.Table{c.summary(), c.curve}
	if s.Predictions {
		tables = append(tables, c.predictions())
	}
	return tables, nil
}

func (c *streamCell) stream(purpose ...any) rand.Source {
	return random.Source(append([]any{c.Manifest, c.Seed}, purpose...)...)
}

// enrol makes the pupil.
func (c *streamCell) enrol() error {
	inputs, classes := c.train.Inputs(), len(c.train.Classes())
	if c.Rival != nil {
		var err error
		c.batch = !c.Rival.Online()
		c.pupil, err = enrol(c.Rival, c.Rival.Hyper, inputs, classes, c.stream("rival", c.Name))
		return err
	}
	network, err := newNetwork(c.Model, lambdaValue(c.Model.Lambda, classes, c.Model.Rho), c.stream("prior"))
	if err != nil {
		return err
	}
	c.pupil = &learner{network: network, classes: classes}
	return nil
}

// learn shows the pupil all examples once.
func (c *streamCell) learn(ctx context.Context, pass int) error {
	order := make([]int, c.train.Len())
	for k := range order {
		order[k] = k
	}
	if c.Order == "shuffled" {
		order = rand.New(c.stream("pass", pass)).Perm(c.train.Len())
	}
	x := make([]float64, c.train.Inputs())
	for i, row := range order {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c.train.Input(x, row)
		class := c.train.Class(row)
		if pass == 1 && !c.batch {
			c.foresee(x, class)
		}
		c.pupil.observe(x, class)
		if k := i + 1; pass == 1 && k < len(order) && !c.batch && slices.Contains(c.Snapshots, k) {
			c.score(pass, k)
		}
	}
	c.score(pass, len(order))
	return nil
}

// foresee scores the prediction of an example before it is learned (Dawid, "The
// prequential approach", JRSS A 1984).
func (c *streamCell) foresee(x []float64, class int) {
	p := c.pupil.labels([][]float64{x})[0]
	c.seen++
	if floats.MaxIdx(p) != class {
		c.wrong++
	}
	c.surprise -= math.Log(p[class])
}

// scoreColumns are the columns of scores.
var scoreColumns = []string{"error", "log_loss", "brier", "ece"}

func scores(p [][]float64, class []int) []float64 {
	return []float64{
		metric.Error(p, class), metric.LogLoss(p, class), metric.Brier(p, class), metric.ECE(p, class, calibrationBins),
	}
}

// score writes a row of the curve, after k examples of a pass.
func (c *streamCell) score(pass, k int) {
	row := []string{c.Name, strconv.Itoa(c.Seed)}
	for _, n := range []int{pass, k, (pass-1)*c.train.Len() + k} {
		row = append(row, strconv.Itoa(n))
	}
	c.last, c.class = answer(c.pupil, c.test)
	for _, x := range scores(c.last, c.class) {
		row = append(row, store.Float(x))
	}
	c.curve.Rows = append(c.curve.Rows, append(row, c.prequential(pass)...))
}

// prequential returns the mean scores of the predictions of the first pass so
// far, empty where there are none.
func (c *streamCell) prequential(pass int) []string {
	if pass > 1 || c.seen == 0 {
		return []string{"", ""}
	}
	return []string{store.Float(c.wrong / float64(c.seen)), store.Float(c.surprise / float64(c.seen))}
}

// summary is the row of the pupil after all passes.
func (c *streamCell) summary() store.Table {
	t := store.Table{Name: "summary", Header: slices.Concat(
		[]string{"variant", "seed", "train", "test", "inputs", "classes", "passes"}, scoreColumns,
		[]string{"prequential_error", "prequential_log_loss"}, stepColumns,
	)}
	row := []string{c.Name}
	passes := c.Passes
	if c.batch {
		passes = 1
	}
	for _, n := range []int{c.Seed, c.train.Len(), c.test.Len(), c.train.Inputs(), len(c.train.Classes()), passes} {
		row = append(row, strconv.Itoa(n))
	}
	last := c.curve.Rows[len(c.curve.Rows)-1]
	row = append(row, last[5:5+len(scoreColumns)]...)
	row = append(append(row, c.prequential(1)...), c.pupil.done().fields()...)
	t.Rows = [][]string{row}
	return t
}

// predictions lists the probabilities of all test examples. Examples are numbered
// from 1, classes by their names.
func (c *streamCell) predictions() store.Table {
	t := store.Table{Name: "predictions", Packed: true, Header: []string{"variant", "seed", "example", "class"}}
	names := c.train.Classes()
	for _, name := range names {
		t.Header = append(t.Header, "p_"+name)
	}
	for i, p := range c.last {
		row := []string{c.Name, strconv.Itoa(c.Seed), strconv.Itoa(i + 1), names[c.class[i]]}
		for _, x := range p {
			row = append(row, store.Float(x))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// stepColumns are the columns of steps.fields.
var stepColumns = []string{"indefinite_steps", "skipped_steps", "projected_steps", "raised", "failed"}

func (s steps) fields() []string {
	failed := 0
	if s.failed {
		failed = 1
	}
	var out []string
	for _, n := range []int{s.indefinite, s.skipped, s.projected, s.raised, failed} {
		out = append(out, strconv.Itoa(n))
	}
	return out
}
