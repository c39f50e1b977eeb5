package learn

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/familiar"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
	"closedform/runner/internal/trained"
)

// streamSpec is all that the tables of a cell follow from.
type streamSpec struct {
	study.Seeded
	Data     data.Source
	Method   learner.Method
	Evaluate course
	Save     bool `json:",omitempty"` // whether the trained network is kept
}

// random returns the randomness of what learns.
func (s streamSpec) random() rand.Source {
	if s.Method.ClosedForm() {
		return s.Stream("prior")
	}
	return s.Stream("rival", s.Method.Name)
}

// run trains a learner, pass after pass, and scores it. The data and their split are
// from the stream "data", the same for all that learn, the part for validation from
// "validation"; the orders of the examples from "pass", p; all else from a stream of the learner.
func (s streamSpec) run(ctx context.Context) (table.Set, error) {
	train, test, err := s.Data.Unscaled(s.Stream("data"))
	if err != nil {
		return nil, err
	}
	scores := slices.Concat(learner.ScoreColumns(), []table.Column{
		table.Num("prequential_error", "share of wrong answers on the examples of the first pass so far, each before it was learned"),
		table.Num("prequential_log_loss", "mean of −log p of their true classes, in nats"),
	})
	curve := s.table("curve", append([]table.Column{
		table.Int("pass", "over the training part"), table.Int("k", "examples of this pass seen"), table.Int("seen", "examples seen in all passes"),
	}, scores...)...)
	runs := s.table("runs", slices.Concat([]table.Column{
		table.Int("train", "training examples"), table.Int("test", "test examples"), table.Int("inputs", ""), table.Int("classes", ""),
		table.Int("passes", "over the training part"),
	}, scores, learner.StepColumns())...)
	var before learner.Prequential
	kept := &trained.Network{Classes: train.Classes(), Column: s.Data.Class, Layout: s.Data.Layout, Familiar: familiar.New(train.Inputs()), Record: new(bnn.TrackRecord)}
	training := learner.Training{
		Scale: s.Data.Scale, Random: s.random, Passes: s.Evaluate.Passes,
		Validation: s.Evaluate.Validation, Split: s.Stream("validation"), Snapshots: s.Evaluate.Snapshots,
		Observing: func(c *learner.Classifier, x []float64, class int) {
			p := c.PredictNext(x)
			before.Add(p, class)
			if s.Save && kept.Familiar.Observe(x) == nil && kept.Familiar.Seen > train.Len()/2 {
				kept.Record.Add(floats.Max(p), floats.MaxIdx(p) != class)
			}
		},
		Score: func(_ *learner.Classifier, pass, k int, p [][]float64, class []int) {
			soFar := before.Means()
			if pass > 1 {
				soFar = table.Gaps(len(soFar))
			}
			curve.Add(s.Method.Name, s.Seed, pass, k, (pass-1)*train.Len()+k, learner.Scores(p, class), soFar)
		},
	}
	if s.Evaluate.Shuffle {
		training.Shuffle = func(pass int) rand.Source { return s.Stream("pass", pass) }
	}
	r, err := training.Run(ctx, s.Method, train, test)
	if err != nil {
		return nil, err
	}
	runs.Add(s.Method.Name, s.Seed, train.Len(), test.Len(), train.Inputs(), len(train.Classes()), r.Passes,
		learner.Scores(r.P, r.Class), before.Means(), r.Steps().Row())
	tables := table.Set{runs, curve, s.predictions(r.P, r.Class, train.Classes())}
	if len(s.Method.Candidates) > 0 {
		chosen := s.table("chosen", learner.ChoiceColumns()...)
		chosen.Add(s.Method.Name, s.Seed, r.ChoiceRow())
		tables = append(tables, chosen)
	}
	if !s.Save || r.Err != nil {
		return tables, nil
	}
	network, err := s.saved(kept, r, train)
	return append(tables, network), err
}

// table returns a table that begins with what learns.
func (s streamSpec) table(name string, columns ...table.Column) *table.Table {
	at := []table.Column{table.Text("method", "what learns"), table.Int("seed", "of the split, the order and the prior")}
	return table.New(name, append(at, columns...)...)
}

// predictions lists the probabilities of all test examples after all passes.
func (s streamSpec) predictions(p [][]float64, class []int, names []string) *table.Table {
	t := s.table("predictions", table.Int("example", "of the test part, from 1"), table.Text("class", "its name"))
	t.Packed = true
	for _, name := range names {
		t.Columns = append(t.Columns, table.Num("p_"+name, fmt.Sprintf("probability of the class %s", name)))
	}
	for i := range p {
		t.Add(s.Method.Name, s.Seed, i+1, names[class[i]], p[i])
	}
	return t
}

// save says whether a trained network is kept: that of the first closed-form method and the first seed.
type save struct {
	Network bool `toml:"network,omitempty"`
}

// savedFile is the file of the network.
const savedFile = "network.npz"

// saved returns the file of the network.
func (s streamSpec) saved(n *trained.Network, r *learner.Result, train *data.Examples) (*table.Table, error) {
	n.Model, n.Scaler = r.Model(), r.Scaler
	if len(train.Features()) == 0 { // of a generator, and of images
		for j := range train.Inputs() {
			n.Scaler.Features = append(n.Scaler.Features, dataset.Feature{Column: fmt.Sprint("x", j+1)})
		}
	}
	if r.Passes > 1 { // which make the network surer than it was in the first
		n.Record = nil
	}
	var file bytes.Buffer
	if err := n.Write(&file); err != nil {
		return nil, err
	}
	return &table.Table{Name: savedFile, File: file.Bytes()}, nil
}
