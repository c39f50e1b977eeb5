package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/familiar"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// streamSpec is all that the tables of a cell follow from.
type streamSpec struct {
	study.Seeded
	Data     data.Source
	Method   learner.Method
	Model    *learner.Model `json:",omitempty"` // that of a network of the manifest; nil: of another method
	Swept    []string       `json:",omitempty"` // parameters of networks that have a column
	Evaluate course
	Save     bool `json:",omitempty"` // whether the trained network is kept
}

// random returns the randomness of what learns.
func (s streamSpec) random() rand.Source {
	if s.Model == nil {
		return s.Stream("rival", s.Method.Name)
	}
	return s.Stream("prior")
}

// order returns the randomness of a pass, nil where the order is that of the data.
func (s streamSpec) order(pass int) rand.Source {
	if !s.Evaluate.Shuffle {
		return nil
	}
	return s.Stream("pass", pass)
}

// choose returns the method with the candidate that is best on a part for validation,
// drawn by the stream "validation".
func (s streamSpec) choose(ctx context.Context, train *data.Examples) (learner.Method, learner.Choice, error) {
	l := learner.Lesson{
		Scale: s.Data.Scale, Validation: s.Evaluate.Validation,
		Split: s.Stream("validation"), Learner: s.random, Order: s.order,
	}
	return l.Choose(ctx, s.Method, train)
}

// streamCell is one learner and what is written down of its life.
type streamCell struct {
	streamSpec
	train, test *data.Examples
	learner     *learner.Tolerant
	before      learner.Prequential // of the first pass
	familiar    *familiar.Inputs    // of the first pass; nil: the network is not kept
	record      bnn.TrackRecord     // of the second half of the first pass, if the network is kept
	curve       *table.Table
	atlas       *atlas // nil: none is drawn

	p     [][]float64 // predictions of the test part when it was last scored
	class []int       // of the test part
}

// run trains a learner, pass after pass, and scores it. The data and their split are
// from the stream "data", the same for all that learn; the orders of the examples
// from "pass", p; all else from a stream of the learner. What learns all examples at
// once has one pass, and is scored after it.
func (s streamSpec) run(ctx context.Context) (table.Set, error) {
	c := &streamCell{streamSpec: s}
	train, test, err := s.Data.Unscaled(s.Stream("data"))
	if err != nil {
		return nil, err
	}
	method, choice, err := s.choose(ctx, train)
	if err != nil {
		return nil, err
	}
	scaler, err := train.Scaler(s.Data.Scale)
	if err != nil {
		return nil, err
	}
	c.train, c.test = scaler.Apply(train), scaler.Apply(test)
	if c.learner, err = method.Learner(c.train.Inputs(), len(c.train.Classes()), s.random()); err != nil {
		return nil, err
	}
	c.curve = c.table("curve", slices.Concat([]table.Column{
		table.Int("pass", "over the training part"), table.Int("k", "examples of this pass seen"), table.Int("seen", "examples seen in all passes"),
	}, learner.ScoreColumns(), prequentialColumns())...)
	if s.Evaluate.Grid > 0 {
		c.atlas = c.newAtlas(train, scaler)
	}
	course := learner.Course{Examples: c.train, Passes: method.Passes, Order: s.order, After: func(pass, k int) error {
		if k == c.train.Len() || pass == 1 && method.Online() && slices.Contains(s.Evaluate.Snapshots, k) {
			c.score(pass, k)
			if c.atlas != nil && pass == 1 {
				c.atlas.draw(c, k)
			}
		}
		return nil
	}}
	if method.Online() {
		course.Before = c.look
	}
	if err := course.Train(ctx, c.learner); err != nil {
		return nil, err
	}
	tables := table.Set{c.runs(max(1, method.Passes)), c.curve, c.predictions()}
	if c.atlas != nil {
		tables = append(tables, c.atlas.maps, c.atlas.train)
	}
	if len(method.Candidates) > 0 {
		chosen := c.table("chosen", table.Text("chosen", "the candidate that was chosen; of a bank the one of most weight, with that"),
			table.Num("validation_log_loss", "its log loss on the part for validation, in nats"))
		chosen.Add(c.at(), cmp.Or(choice.Text, c.learner.Chosen()), table.Finite(choice.LogLoss))
		tables = append(tables, chosen)
	}
	if c.Save && !c.learner.Steps().Failed {
		file, err := c.saved()
		if err != nil {
			return nil, err
		}
		tables = append(tables, file)
	}
	return tables, nil
}

// look notes what the learner predicts of an example of the first pass before it learns that.
func (c *streamCell) look(x []float64, class, pass int) {
	if pass > 1 {
		return
	}
	p := c.learner.Probabilities([][]float64{x})[0]
	c.before.Add(p, class)
	if !c.Save {
		return
	}
	if c.familiar == nil {
		c.familiar = familiar.New(len(x))
	}
	if err := c.familiar.Observe(x); err == nil && c.familiar.Seen > c.train.Len()/2 {
		c.record.Add(floats.Max(p), floats.MaxIdx(p) != class)
	}
}

// table returns a table that begins with the columns of at.
func (c *streamCell) table(name string, columns ...table.Column) *table.Table {
	at := []table.Column{table.Text("method", "what learns"), table.Int("seed", "of the split, the order and the prior")}
	for _, parameter := range c.Swept {
		at = append(at, table.Num(parameter, map[string]string{
			"lambda": "slope λ of the probit of a network", "rho": "correlation ρ of the probit of a network",
		}[parameter]))
	}
	return table.New(name, append(at, columns...)...)
}

// at returns what learns, and where in the sweep.
func (c *streamCell) at() []any {
	at := []any{c.Method.Name, c.Seed}
	for _, parameter := range c.Swept {
		switch {
		case c.Model == nil:
			at = append(at, math.NaN())
		case parameter == "lambda":
			at = append(at, c.Model.Lambda.Value(len(c.train.Classes()), c.Model.Rho))
		default:
			at = append(at, c.Model.Rho)
		}
	}
	return at
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
	c.curve.Add(c.at(), pass, k, (pass-1)*c.train.Len()+k, learner.Scores(c.p, c.class), before)
}

// runs returns the row of the learner after all passes.
func (c *streamCell) runs(passes int) *table.Table {
	t := c.table("runs", slices.Concat([]table.Column{
		table.Int("train", "training examples"), table.Int("test", "test examples"), table.Int("inputs", ""), table.Int("classes", ""),
		table.Int("passes", "over the training part"),
	}, learner.ScoreColumns(), prequentialColumns(), learner.StepColumns())...)
	t.Add(c.at(), c.train.Len(), c.test.Len(), c.train.Inputs(), len(c.train.Classes()), passes,
		learner.Scores(c.p, c.class), c.before.Means(), c.learner.Steps().Row())
	return t
}

// predictions lists the probabilities of all test examples after all passes.
func (c *streamCell) predictions() *table.Table {
	t := c.table("predictions", table.Int("example", "of the test part, from 1"), table.Text("class", "its name"))
	t.Packed = true
	for _, name := range c.train.Classes() {
		t.Columns = append(t.Columns, table.Num("p_"+name, fmt.Sprintf("probability of the class %s", name)))
	}
	at := c.at()
	for i, p := range c.p {
		t.Add(at, i+1, c.train.Classes()[c.class[i]], p)
	}
	return t
}
