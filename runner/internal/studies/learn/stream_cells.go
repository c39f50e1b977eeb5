package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/methods"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// streamSpec is all that the tables of a cell follow from. Either Model or Method
// learns.
type streamSpec struct {
	study.Seeded
	Data     data.Source
	Name     string
	Model    *learner.Model  `json:",omitempty"`
	Method   *methods.Method `json:",omitempty"`
	Evaluate course
}

// online reports whether what learns sees one example after another.
func (s streamSpec) online() bool { return s.Method == nil || s.Method.Online() }

func (s streamSpec) learner(inputs, classes int) (*learner.Tolerant, error) {
	if s.Method != nil {
		return s.Method.Learner(inputs, classes, s.Stream("rival", s.Name))
	}
	return s.Model.Learner(s.Stream("prior"))
}

// streamCell is one learner and what is written down of its life.
type streamCell struct {
	streamSpec
	train, test *data.Examples
	learner     *learner.Tolerant
	before      learner.Prequential // of the first pass
	curve       *table.Table

	p     [][]float64 // predictions of the test part when it was last scored
	class []int       // of the test part
}

// run trains a learner, pass after pass, and scores it. The data and their split are
// from the stream "data", the same for all that learn; the orders of the examples
// from "pass", p; all else from a stream of the learner. What learns all examples at
// once has one pass, and is scored after it.
func (s streamSpec) run(ctx context.Context) (table.Set, error) {
	c := &streamCell{streamSpec: s}
	var err error
	if c.train, c.test, err = s.Data.Parts(s.Stream("data")); err != nil {
		return nil, err
	}
	if c.learner, err = s.learner(c.train.Inputs(), len(c.train.Classes())); err != nil {
		return nil, err
	}
	c.curve = table.New("curve", slices.Concat(at(), []table.Column{
		table.Int("pass", "over the training part"), table.Int("k", "examples of this pass seen"), table.Int("seen", "examples seen in all passes"),
	}, learner.ScoreColumns(), prequentialColumns())...)
	passes := s.Evaluate.Passes
	if !s.online() {
		passes = 1
	}
	course := learner.Course{Examples: c.train, Passes: passes, After: func(pass, k int) error {
		if k == c.train.Len() || pass == 1 && s.online() && slices.Contains(s.Evaluate.Snapshots, k) {
			c.score(pass, k)
		}
		return nil
	}}
	if s.Evaluate.Shuffle {
		course.Order = func(pass int) rand.Source { return s.Stream("pass", pass) }
	}
	if s.online() {
		course.Before = func(x []float64, class, pass int) {
			if pass == 1 {
				c.before.Add(c.learner.Probabilities([][]float64{x})[0], class)
			}
		}
	}
	if err := course.Train(ctx, c.learner); err != nil {
		return nil, err
	}
	return table.Set{c.runs(passes), c.curve, c.predictions()}, nil
}

// at returns the columns that begin every table.
func at() []table.Column {
	return []table.Column{table.Text("method", "what learns"), table.Int("seed", "of the split, the order and the prior")}
}

var prequentialNames = []string{"prequential_error", "prequential_log_loss"}

func prequentialColumns() []table.Column {
	return []table.Column{
		table.Num("prequential_error", "share of wrong answers on the examples of the first pass so far, each before it was learned"),
		table.Num("prequential_log_loss", "mean of −log p of their true classes, in nats"),
	}
}

// score writes a row of the curve, after k examples of a pass.
func (c *streamCell) score(pass, k int) {
	c.p, c.class = c.learner.Test(c.test)
	before := []float64{math.NaN(), math.NaN()}
	if pass == 1 {
		before = c.before.Means()
	}
	c.curve.Add(c.Name, c.Seed, pass, k, (pass-1)*c.train.Len()+k, learner.Scores(c.p, c.class), before)
}

// runs returns the row of the learner after all passes.
func (c *streamCell) runs(passes int) *table.Table {
	t := table.New("runs", slices.Concat(at(), []table.Column{
		table.Int("train", "training examples"), table.Int("test", "test examples"), table.Int("inputs", ""), table.Int("classes", ""),
		table.Int("passes", "over the training part"),
	}, learner.ScoreColumns(), prequentialColumns(), learner.StepColumns())...)
	t.Add(c.Name, c.Seed, c.train.Len(), c.test.Len(), c.train.Inputs(), len(c.train.Classes()), passes,
		learner.Scores(c.p, c.class), c.before.Means(), c.learner.Steps().Row())
	return t
}

// predictions lists the probabilities of all test examples after all passes.
func (c *streamCell) predictions() *table.Table {
	t := table.New("predictions", append(at(), table.Int("example", "of the test part, from 1"), table.Text("class", "its name"))...)
	t.Packed = true
	for _, name := range c.train.Classes() {
		t.Columns = append(t.Columns, table.Num("p_"+name, fmt.Sprintf("probability of the class %s", name)))
	}
	for i, p := range c.p {
		t.Add(c.Name, c.Seed, i+1, c.train.Classes()[c.class[i]], p)
	}
	return t
}
