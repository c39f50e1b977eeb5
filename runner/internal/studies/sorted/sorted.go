// Package sorted is the study of streams that are sorted by class: methods learn one class after
// another, one example at a time, in one pass, and the same examples shuffled. Every answer is
// one of all classes: class-incremental learning in the words of van de Ven and Tolias, "Three
// scenarios for continual learning", arXiv 1904.07734 (2019), with a class for each task.
package sorted

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "sorted",
	Asks: "What do methods retain when the classes come one after another?",
	New: study.Decoded(func(*config.Manifest) *experiment {
		return &experiment{Model: learner.DefaultModel()}
	}),
}

type experiment struct {
	study.Swept
	data.Sources
	Model   learner.Model    `toml:"model"`
	Methods []learner.Method `toml:"method" inherit:"model" allowed:"at least one table headed [[method]]"`
}

func (e *experiment) Validate() error {
	for _, m := range e.Methods {
		if !m.Online() {
			return field.Errorf("method."+m.Name+".kind", "%q is not allowed; allowed: kinds that see one example after another", m.Kind)
		}
	}
	var names []string
	for _, s := range e.Sets {
		names = append(names, s.Name)
	}
	return learner.Rules{Stream: true, Sets: names}.Check(e.Methods)
}

func (e *experiment) Files() []string { return e.Paths(e.Manifest.Folder) }

func (e *experiment) Prepare(context.Context) error {
	if err := e.Load(e.Manifest); err != nil {
		return err
	}
	for _, s := range e.Sets {
		if err := learner.Fit(e.Manifest, e.Methods, s.Name, s.Inputs(), len(s.Classes())); err != nil {
			return err
		}
	}
	return nil
}

func (e *experiment) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

// The orders of a stream.
const (
	byClass  = "sorted"
	shuffled = "shuffled"
)

// spec is all that the tables of a cell, one method on one stream, follow from.
type spec struct {
	study.Seeded
	Set    string
	Source data.Source
	Method learner.Method
	Order  string
}

func (e *experiment) Cells() (cells []study.Cell) {
	for _, set := range e.Sets {
		for _, m := range e.Methods {
			if !m.Learns(set.Name) {
				continue
			}
			for _, seed := range e.Seeds[:min(len(e.Seeds), cmp.Or(set.Splits, len(e.Seeds)))] {
				for _, order := range []string{byClass, shuffled} {
					s := spec{study.Seeded{Manifest: e.Manifest.Name, Seed: seed}, set.Name, set.Source, m, order}
					cells = append(cells, study.Cell{Key: fmt.Sprintf("%s %s %s seed=%d", m.Name, set.Name, order, seed), Spec: s, Run: s.run})
				}
			}
		}
	}
	return cells
}

// run trains a learner along a stream. The seed draws the split, the order of the examples and
// that of the classes, the same for all methods; a sorted stream is the shuffled one, stably
// sorted by class.
func (s spec) run(ctx context.Context) (table.Set, error) {
	train, test, err := s.Source.Unscaled(s.Stream("data", s.Set))
	if err != nil {
		return nil, err
	}
	scaler, err := train.Scaler(cmp.Or(s.Method.Scale, s.Source.Scale))
	if err != nil {
		return nil, err
	}
	rnd := rand.New(s.Stream("order", s.Set))
	order, place := rnd.Perm(train.Len()), rnd.Perm(len(train.Classes()))
	if s.Order == byClass {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(place[train.Class(a)], place[train.Class(b)]) })
	}
	stream := train.Subset(order)
	key := []table.Column{table.Text("set", "the data set"), table.Text("method", "the learner"), table.Int("seed", "of the split, the order and the method")}
	at := []any{s.Set, s.Method.Name, s.Seed}
	course := table.New("course", slices.Concat(key, []table.Column{
		table.Int("classes", "how many were learned"), table.Text("class", "the last of them"), table.Int("seen", "training examples so far"),
		table.Num("accuracy", "share of right answers on the test examples of these classes, where an answer may be any class"),
		table.Text("each", "that share on each of these classes, in the order in which they were learned"),
	})...)
	var classes []int    // in the order in which they were learned
	var each [][]float64 // after each, the accuracies on all classes so far
	training := learner.Training{
		Scale: s.Source.Scale, Random: func() rand.Source { return s.Stream("method", s.Set, s.Method.Name) },
		Shuffle: func(int) rand.Source { return s.Stream("order", s.Set) },
		Order:   func(*data.Examples, rand.Source) []int { return order },
	}
	training.Observed = func(l *learner.Classifier, _, k int) error {
		if class := stream.Class(k - 1); s.Order == byClass && (k == stream.Len() || stream.Class(k) != class) {
			classes = append(classes, class)
			accuracy, of := retained(l, scaler.Apply(test), classes)
			each = append(each, of)
			course.Add(at, len(classes), train.Classes()[class], k, accuracy, table.List(of, 6))
		}
		return nil
	}
	r, err := training.Run(ctx, s.Method, train, test)
	if err != nil {
		return nil, err
	}
	runs := table.New("runs", slices.Concat(key, []table.Column{
		table.Text("order", "sorted: one class after another; or shuffled"), table.Int("train", "training examples"), table.Int("test", "test examples"),
	},
		learner.ScoreColumns(), []table.Column{
			table.Num("average_accuracy", "mean over the classes of the accuracy on all classes so far, after each was learned; of a sorted stream"),
			table.Num("backward_transfer", "mean over the classes but the last of the accuracy on it at the end less that just after it was learned; of a sorted stream"),
		}, learner.StepColumns())...)
	// The first is the average incremental accuracy of Rebuffi et al., "iCaRL", CVPR 2017.
	runs.Add(at, s.Order, train.Len(), test.Len(), learner.Scores(r.P, r.Class), table.Mean(course.Nums("accuracy")), backwardTransfer(each), r.Steps().Row())
	return table.Set{runs, course}, nil
}

// retained returns the accuracy on the test examples of some classes, and that on each of them.
func retained(l *learner.Classifier, test *data.Examples, classes []int) (accuracy float64, each []float64) {
	var seen []int
	for i := range test.Len() {
		if slices.Contains(classes, test.Class(i)) {
			seen = append(seen, i)
		}
	}
	p, truth := l.Test(test.Subset(seen))
	var all []float64 // 1 of each right answer, 0 of others
	of := map[int][]float64{}
	for i, c := range truth {
		wrong, _ := learner.Loss(p[i], c)
		all, of[c] = append(all, 1-wrong), append(of[c], 1-wrong)
	}
	for _, c := range classes {
		each = append(each, table.Mean(of[c]))
	}
	return table.Mean(all), each
}

// backwardTransfer is that of Lopez-Paz and Ranzato, "Gradient episodic memory for continual
// learning", NIPS 2017, with classes for tasks: 1/(n−1) Σ_{j<n} a_nj − a_jj, where each has the
// accuracy a_kj on the j-th class after the k-th. Below two classes it is no value.
func backwardTransfer(each [][]float64) float64 {
	var change []float64
	for j := range max(0, len(each)-1) {
		change = append(change, each[len(each)-1][j]-each[j][j])
	}
	return table.Mean(change)
}

// Tables adds to the runs by how much sorting makes the error larger, and the means over the
// seeds.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		runs, names := t.Get("runs"), []string{"average_accuracy", "backward_transfer", "loss_by_sorting"}
		lost := table.Num("loss_by_sorting", "error less that of the same stream shuffled; of a sorted stream")
		for pair := range slices.Chunk(runs.Nums("error"), 2) { // as Cells has them
			lost.Nums = append(lost.Nums, pair[0]-pair[1], math.NaN())
		}
		runs.Columns = append(runs.Columns, lost)
		return table.Set{
			runs.GroupBy("set", "method", "order").Shares(learner.ShareNames...).Positive(learner.LossNames...).Shares("average_accuracy").
				Mean("summary", slices.Concat(learner.ScoreNames, names, learner.StepNames)...),
			t.Get("course").GroupBy("set", "method", "classes").Shares("accuracy").Mean("course_summary", "accuracy"),
		}
	})
}
