package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"closedform/core/classifier"
	"closedform/core/selective"
	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// promised is the statistical confidence of promises.
const promised = 0.95

// published is a result of others on a set.
type published struct {
	Set    string  `toml:"set" check:"required"`       // the name of a [[set]]
	Method string  `toml:"method" check:"required"`    // the method, in words
	Error  float64 `toml:"error" range:"1e-6 0.99999"` // its share of wrong predictions
	Source string  `toml:"source" check:"required"`    // where it was read
}

// checkStreams sets stream, and reports what does not go together with sets that have no test part.
func (e *experiment) checkStreams() error {
	settings, refuse, names, alike := &e.Evaluate, field.Refuse, []string(nil), true
	for _, s := range e.sets {
		names, e.stream, alike = append(names, s.Name), e.stream || s.Stream, alike && s.Stream
	}
	if e.stream {
		settings.Windows, settings.Promise = cmp.Or(settings.Windows, 1), cmp.Or(settings.Promise, 0.05)
	}
	err := errors.Join(refuse(e.stream && !alike, "evaluate.windows", settings.Windows,
		"in all sets stream = true, or in none"),
		refuse(!e.stream && settings.Windows+len(e.Published) > 0, "evaluate.windows", settings.Windows,
			"with stream = true"),
		refuse(!e.stream && settings.Promise > 0, "evaluate.promise", settings.Promise, "with stream = true"),
		refuse(e.stream && settings.Snapshots != nil, "evaluate.snapshots", settings.Snapshots,
			"without stream = true"),
		refuse(e.stream && (e.swept || e.Save.Network || settings.repeated() || !settings.single() ||
			slices.Max(settings.Passes) > 1),
			"evaluate.windows", settings.Windows, "one order and pass, nothing swept, repeated or saved"))
	for i, p := range e.Published {
		err = errors.Join(err, field.In(fmt.Sprint("published.", i+1), field.Among("set", names, p.Set)))
	}
	return err
}

// checkScored returns an error unless each window of a stream with so many examples has some that are scored.
func (e *experiment) checkScored(set string, examples int) error {
	settings, scored := &e.Evaluate, examples-e.Evaluate.head(examples)
	return cmp.Or(
		field.Refuse(scored == 0, "evaluate.validation", settings.Validation,
			"less, as no example of "+set+" is left to be scored"),
		field.Refuse(scored < settings.Windows, "evaluate.windows", settings.Windows,
			fmt.Sprintf("at most %d, the scored examples of %s", scored, set)))
}

// next has the predictions of the examples of a stream, each before it was learned (Dawid, JRSS A 1984).
type next struct {
	p          [][]float64
	class      []int // the true classes
	confidence []float64
	history    *classifier.History // of a closed-form method; nil: none is kept
	threshold  float64             // of the confidence, promised after half of the stream; +Inf: no promise
}

// add predicts the next example of the stream.
func (n *next) add(c *learner.Classifier, x []float64, class int) {
	p := c.PredictNext(x)
	n.p, n.class, n.confidence = append(n.p, p.P), append(n.class, class), append(n.confidence, p.Confidence)
	if network := c.Network(); n.history != nil && network != nil && c.Err == nil {
		n.history.Scaling = c.Scaling
		n.history.Add(network.Model, network.Latest(), x, class)
	}
}

// follow trains a method on a stream, and predicts each example before it is learned. After half of them it
// promises a share of wrong answers; 0: no promise.
func (s *spec) follow(
	ctx context.Context, m learner.Method, e *dataset.Examples, share float64,
) (*learner.Result, *next, error) {
	t, out := s.training(), new(next)
	if share > 0 {
		out.history = classifier.NewHistory(e.Inputs())
	}
	m.Candidates, t.Order = nil, nil
	t.Observing = func(c *learner.Classifier, x []float64, class int) {
		if share > 0 && len(out.class) == e.Len()/2 {
			out.threshold = out.promise(c, share)
		}
		out.add(c, x, class)
	}
	r, err := t.Run(ctx, m, e, nil)
	return r, out, err
}

// promise returns the smallest confidence from which on, after the predictions so far, at most the share is
// promised to be wrong: that of a [classifier.Classifier], or of a baseline by the last half of them.
func (n *next) promise(c *learner.Classifier, share float64) float64 {
	var threshold float64
	var err error
	if network := c.Network(); network != nil {
		threshold, err = classifier.From(network.Model, n.history).Threshold(share, promised)
	} else {
		var record selective.Record
		for i := len(n.class) / 2; i < len(n.class); i++ {
			record.Add(n.confidence[i], floats.MaxIdx(n.p[i]) != n.class[i])
		}
		threshold, err = record.Threshold(share, promised)
	}
	if err != nil {
		return math.Inf(1) // nothing can be promised
	}
	return threshold
}

// head returns how many of the examples of a stream choose candidates.
func (v *evaluate) head(examples int) int { return int(math.Ceil(v.Validation * float64(examples))) }

// learnStream chooses the candidate by the first part of the stream, and scores the others.
func (s *spec) learnStream(ctx context.Context, e *dataset.Examples) (table.Tables, error) {
	if order, src := orders[s.Order], s.shuffle(1); order != nil && src != nil {
		e = e.Subset(order(e, src))
	}
	head := s.Evaluate.head(e.Len())
	first, _ := data.Divide(e, 0, head)
	m, chosen, err := s.Method.Choose(func(m learner.Method) (float64, error) {
		_, out, err := s.follow(ctx, m, first, 0)
		if err != nil {
			return 0, err
		}
		return metric.LogLoss(out.p, out.class), nil
	})
	if err != nil {
		return nil, err
	}
	r, out, err := s.follow(ctx, m, e, s.Evaluate.Promise)
	if err != nil {
		return nil, err
	}
	r.P, r.Class, r.Chosen = out.p[head:], out.class[head:], chosen
	return table.Tables{s.streamRuns(r, out, head), s.windows(r, head)}, nil
}

// streamRuns returns the row of a run, with the columns that only streams have.
func (s *spec) streamRuns(r *learner.Result, out *next, head int) *table.Table {
	same, answered, wrong := 0, 0, 0
	later := max(head, len(out.class)/2) // the first example that is scored and has a promise
	for i := head; i < len(out.class); i++ {
		if out.class[i] == out.class[i-1] { // head is 1 or more
			same++
		}
		if i >= later && out.confidence[i] >= out.threshold {
			if answered++; floats.MaxIdx(out.p[i]) != out.class[i] {
				wrong++
			}
		}
	}
	persistent := 1 - float64(same)/float64(len(r.Class))
	return s.runs(r, head, []table.Column{
		table.Num("kappa", "κ: 1 minus the ratio of the error to that of the same label as last time"),
		table.Share("answered", fmt.Sprintf("share of the last half that a promise of %g wrong answers answers",
			s.Evaluate.Promise)),
		table.Share("answered_error", "share of wrong answers among these"),
	}, 1-metric.Error(r.P, r.Class)/persistent, float64(answered)/float64(len(out.class)-later),
		float64(wrong)/float64(answered))
}

// windows returns the scores of the windows of the scored part.
func (s *spec) windows(r *learner.Result, head int) *table.Table {
	columns, key := s.key()
	columns = append(columns, table.Int("seen", "examples of the stream up to the end of the window"))
	t := &table.Table{Name: "curve", Packed: true, Columns: slices.Concat(columns, learner.ScoreColumns()[:2])}
	for w, begin := 1, 0; w <= s.Evaluate.Windows; w++ {
		end := len(r.Class) * w / s.Evaluate.Windows
		p, class := r.P[begin:end], r.Class[begin:end]
		t.Add(key, head+end, metric.Error(p, class), metric.LogLoss(p, class))
		begin = end
	}
	return t
}

// streamResult has a row for each method: error and log loss on each set, means of other scores over the sets,
// promises, time and memory.
func (e *experiment) streamResult(tables table.Tables, seconds map[string]float64) (r study.Result) {
	summary, runs := tables.Get("summary"), tables.Get("runs")
	header := []string{"method"}
	for _, set := range e.sets {
		header = append(header, set.Name)
	}
	rows := [][]string{append(header, "kappa", "ECE", "promises", "broken", "answered", "seconds",
		"per 1,000 examples", "kB")}
	for _, m := range summary.Distinct("method") {
		row, time, examples := []string{m}, 0.0, 0.0
		means, given := summary.Where("method", m), runs.Where("method", m)
		for _, set := range e.sets {
			cell := "" // where the set is not for the method
			if one := means.Where("set", set.Name); one.Len() > 0 {
				run := given.Where("set", set.Name)
				examples += run.Nums("train")[0] + run.Nums("test")[0]
				loss := strings.TrimPrefix(fmt.Sprintf("%.3f", one.Nums("log_loss")[0]), "0")
				cell = fmt.Sprintf("%.2f %s", 100*one.Nums("error")[0], loss)
			}
			row = append(row, cell)
			time += seconds["set="+set.Name+" method="+m]
		}
		promises, broken := 0, 0
		for _, wrong := range given.Nums("answered_error") { // NaN where nothing is answered
			if wrong >= 0 {
				promises++
			}
			if wrong > e.Evaluate.Promise {
				broken++
			}
		}
		mean := func(column string) string { return decimals(table.Mean(means.Nums(column))) }
		rows = append(rows, append(row, mean("kappa"), mean("ece"), fmt.Sprint(promises), fmt.Sprint(broken),
			mean("answered"), fmt.Sprintf("%.1f", time),
			fmt.Sprintf("%.3f", 1000*time/examples), fmt.Sprintf("%.0f", slices.Max(means.Nums("bytes"))/1e3)))
	}
	r.Tables = [][][]string{rows}
	r.Notes = append(e.problems(runs),
		"of each set: the error in % and the log loss in nats; kappa, ECE and answered: means over the sets",
		fmt.Sprintf("promises: in how many of the runs a promise of %g wrong answers, after half of the "+
			"stream, answers anything; broken: in how many more of these answers are wrong", e.Evaluate.Promise),
		"seconds: processor time, with that for candidates; kB: the largest memory of the learner")
	for _, p := range e.Published {
		r.Notes = append(r.Notes,
			fmt.Sprintf("published, %s, %s: %.2f %%, %s", p.Set, p.Method, 100*p.Error, p.Source))
	}
	return r
}
