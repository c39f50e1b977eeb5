package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/moments/montecarlo"
	"closedform/core/bnn"
	"closedform/core/classifier"
	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/own"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

func (s spec) learn(ctx context.Context, train, test *dataset.Examples) (table.Tables, []store.File, error) {
	t, c := s.training(), s.newCurve()
	if s.Evaluate.Snapshots != nil {
		t.Snapshots, t.ScorePasses, t.Score = s.Evaluate.Snapshots, s.Evaluate.Passes, c.score
		t.Observing = c.next.add
	}
	if s.Save {
		c.next.history = classifier.NewHistory(train.Inputs())
	}
	r, err := t.Run(ctx, s.Method, train, test)
	if err != nil {
		return nil, nil, err
	}
	tables := table.Tables{s.runs(r, train.Len(), nil)}
	if s.Evaluate.Snapshots != nil {
		if tables = append(tables, c.Table); s.Maps {
			tables = append(tables, c.maps)
		}
	}
	if s.Predictions {
		tables = append(tables, s.predictions(r, test, train.Classes()))
	}
	if s.Save && s.AllRows {
		train = dataset.Join(train, test)
		c.next.history, t.Score = classifier.NewHistory(train.Inputs()), nil
		if r, err = t.Run(ctx, s.Method, train, nil); err != nil {
			return nil, nil, err
		}
	}
	if s.Save && r.Err == nil {
		file, err := s.network(r, train.Classes(), c.next.history)
		return tables, []store.File{{Name: own.File, Data: file}}, err
	}
	return tables, nil, nil
}

func (s *spec) network(r *learner.Result, classes []string, history *classifier.History) ([]byte, error) {
	if r.Passes > 1 { // later passes make the network more confident than the record of the first one says
		history.Record = nil
	}
	n := own.Network{Classes: classes, Format: s.Data.Format, Scaler: r.Scaler}
	n.Classifier = classifier.From(r.Model(), history)
	return n.Bytes()
}

// key returns the columns that identify the rows of a cell, and their values in this cell.
func (s *spec) key() (columns []table.Column, row []any) {
	add := func(c table.Column, value any) { columns, row = append(columns, c), append(row, value) }
	add(table.Text("set", "the data set"), s.Set)
	add(table.Text("method", "the learner"), s.Method.Name)
	if s.Swept {
		add(table.Num("lambda", "slope λ of the probit"), s.Method.Model.Lambda.Number)
		add(table.Num("rho", "correlation ρ of the probit"), s.Method.Model.Rho)
	}
	if !s.Evaluate.single() {
		add(table.Text("order", "sorted: one class after another; blocks: parts of classes in random order; "+
			"drift: each class is frequent for a while; or shuffled"), string(s.Order))
	}
	add(table.Int("seed", "seed of the split, the order and the method"), s.Seed)
	return columns, row
}

// runs returns the row of a run, which ends with more columns and their values.
func (s *spec) runs(r *learner.Result, train int, more []table.Column, values ...float64) *table.Table {
	columns, row := s.key()
	columns = append(columns, table.Int("train", "training examples"), table.Int("test", "test examples"),
		table.Text("chosen", "the candidate that was chosen"))
	columns = slices.Concat(columns, learner.ScoreColumns(), learner.StepColumns(), more)
	t := table.New("runs", append(columns, table.Int("bytes", "memory of the learner in the end, in bytes"))...)
	t.Add(row, train, len(r.Class), r.Chosen, learner.Scores(r.P, r.Class), r.Steps().Row(), values, r.Bytes())
	return t
}

func (s *spec) predictions(r *learner.Result, test *dataset.Examples, names []string) *table.Table {
	columns, key := s.key()
	columns = append(columns, table.Int("example", "number of the test example"),
		table.Int("row", "line of the file, the header being 1, or number of the image"),
		table.Text("class", "the true class"), table.Text("predicted", "the class of the largest probability"))
	for _, name := range names {
		columns = append(columns, table.Num("p_"+name, "probability of the class "+name))
	}
	t := &table.Table{Name: "predictions", Packed: true, Columns: columns}
	for i, p := range r.P {
		t.Add(key, i+1, test.Row(i), names[r.Class[i]], names[floats.MaxIdx(p)], p)
	}
	return t
}

// examples returns the training examples in the plane, in the order in which the first pass learns them.
func (s spec) examples() *table.Table {
	t := table.New("examples", table.Int("seed", "the seed whose maps are drawn"),
		table.Int("k", "place in the stream, from 1"), table.Num("x1", "first input"),
		table.Num("x2", "second input"), table.Int("class", "class, from 1"))
	train := s.draw(s.Data.Train, "train")
	if order, src := orders[s.Order], s.shuffle(1); order != nil && src != nil {
		train = train.Subset(order(train, src))
	}
	for k := range train.Len() {
		t.Add(s.Seed, k+1, train.Input(k), train.Class(k)+1)
	}
	return t
}

// pairs compares networks with the same prior, for each size N of the training set: network r learns the
// first N examples in the order of stream "permutation", r, or N other examples of stream "sample", r.
func (s spec) pairs(ctx context.Context, train, test *dataset.Examples) (table.Tables, error) {
	columns, key := s.key()
	t := table.New("pairs", append(columns,
		table.Int("seen", "examples of the training set"),
		table.Text("differ_by", "networks differ by the order of the same examples, or by the sample of examples"),
		table.Share("tv", "total variation of two networks, mean over all pairs and the test inputs"),
		table.Share("error", "share of wrong answers, mean over the networks"),
		table.Positive("log_loss", "log loss in nats, mean over the networks"),
		table.Share("failed", "share of the networks that broke down"))...)
	for _, size := range s.Evaluate.Snapshots {
		if size > train.Len() {
			break
		}
		for _, by := range []string{"order", "sample"} {
			var networks []*learner.Result
			for r := range map[string]int{"order": s.Evaluate.Orders, "sample": s.Evaluate.Resamples}[by] {
				examples := s.draw(size, "sample", r+1)
				if by == "order" {
					examples = train.Subset(rand.New(s.stream("permutation", r+1)).Perm(size))
				}
				network, err := s.training().Run(ctx, s.Method, examples, test)
				if err != nil {
					return nil, err
				}
				networks = append(networks, network)
			}
			t.Add(key, size, by, comparePairs(networks))
		}
	}
	return table.Tables{t}, nil
}

// comparePairs returns the means of the total variation of pairs, and of error, log loss and failure.
func comparePairs(networks []*learner.Result) []float64 {
	var wrong, loss []float64
	failed, n := 0.0, float64(len(networks))
	tv := make([]float64, len(networks[0].P)) // total variation at each input, averaged over the pairs
	for a, r := range networks {
		wrong, loss = append(wrong, metric.Error(r.P, r.Class)), append(loss, metric.LogLoss(r.P, r.Class))
		if r.Err != nil {
			failed++
		}
		for _, other := range networks[:a] {
			for i := range tv {
				tv[i] += metric.TotalVariation(r.P[i], other.P[i]) / (n * (n - 1) / 2)
			}
		}
	}
	return []float64{table.Mean(tv), table.Mean(wrong), table.Mean(loss), failed / n}
}

// curve is the table of the scores along the stream.
type curve struct {
	*table.Table
	spec  *spec
	key   []any
	maps  *table.Table // predictions on a grid; nil: there is no grid
	noise rand.Source  // the random numbers of Monte Carlo
	next  next         // of the first pass
}

func (s *spec) newCurve() *curve {
	columns, key := s.key()
	c := &curve{spec: s, key: key}
	columns = append(columns, table.Int("pass", "number of the pass over the training part"),
		table.Int("k", "examples seen in this pass"), table.Int("seen", "examples seen in all passes"))
	columns = append(append(columns, learner.ScoreColumns()...), table.Share("prequential_error",
		"share of wrong answers on the examples of the first pass so far, each before learning"),
		table.Positive("prequential_log_loss",
			"log loss in nats on the examples of the first pass so far, each before learning"))
	if s.Data.Grid > 0 {
		n := s.Data.Task().Classes
		c.noise = s.stream("montecarlo", s.Method.Name)
		c.maps = &table.Table{Name: "maps", Packed: true, Columns: slices.Concat([]table.Column{
			table.Text("set", "the data set"), table.Text("method", "the network"),
			table.Int("k", "examples seen"),
			table.Num("x1", "coordinate of the input"), table.Num("x2", "coordinate of the input"),
		}, learner.ClassColumns("p", n, "mean of the probability of the class"),
			learner.ClassColumns("var", n, "variance of the probability of the class"))}
	}
	if c.maps != nil && s.Evaluate.Samples > 0 {
		columns = append(columns,
			table.Positive("p_error", "mean distance of p from Monte Carlo, on some grid lines"),
			table.Positive("p_se", "mean standard error of p by Monte Carlo"),
			table.Positive("var_error", "mean distance of the variances of p from Monte Carlo, on some grid lines"),
			table.Positive("var_se", "mean standard error of the variances of p by Monte Carlo"))
	}
	c.Table = table.New("curve", append(columns, learner.StepColumns()...)...)
	return c
}

// score adds a row. Passes after the first are scored at their end.
func (c *curve) score(l *learner.Classifier, pass, k int, p [][]float64, class []int) {
	before := table.Gaps(2)
	if n := c.next; pass == 1 && len(n.p) > 0 {
		before = []float64{metric.Error(n.p, n.class), metric.LogLoss(n.p, n.class)}
	}
	c.Add(c.key, pass, k, pass*k, learner.Scores(p, class), before, c.onGrid(l, k), l.Steps().Row())
}

// onGrid adds the predictions after k examples to the maps. It returns the mean distances from Monte Carlo
// and the standard errors of Monte Carlo, which are missing if the method is not one network on unscaled
// inputs, or has failed.
func (c *curve) onGrid(l *learner.Classifier, k int) (row []float64) {
	s, e := c.spec, c.spec.Evaluate
	if c.maps != nil && e.Samples > 0 {
		row = table.Gaps(4)
	}
	if c.maps == nil || l.Network() == nil || l.Err != nil || s.Method.Scale != "" {
		return row
	}
	var sum [4]float64 // over grid points and classes: distance and standard error of p, then of its variance
	var q bnn.Prediction
	estimate, grid, n := montecarlo.NewEstimate(l.Classes), s.Data.Task().Region.Grid(s.Data.Grid), 0.0
	side, stride := len(grid.X), max(1, e.Stride)
	predictor := l.Predictor()
	for i, x := range grid.Points {
		if predictor.Predict(&q, x) != nil {
			return row
		}
		var variance []float64
		for j := range q.P {
			variance = append(variance, q.Cov.At(j, j))
		}
		if s.Maps {
			c.maps.Add(s.Set, s.Method.Name, k, x, q.P, variance)
		}
		if e.Samples == 0 || len(q.Members) > 0 || i%side%stride > 0 || i/side%stride > 0 {
			continue
		}
		estimate.Sample(q.Mean, q.Variance, e.Samples, c.noise)
		for j, pj := range q.P {
			sum[0], sum[1] = sum[0]+math.Abs(pj-estimate.P[j]), sum[1]+estimate.PErr[j]
			sum[2], sum[3] = sum[2]+math.Abs(variance[j]-estimate.Var[j]), sum[3]+estimate.VarErr[j]
			n++
		}
	}
	for i := range row {
		row[i] = sum[i] / n
	}
	return row
}
