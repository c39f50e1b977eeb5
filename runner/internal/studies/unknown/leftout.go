package unknown

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"closedform/core/classifier"
	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// leftOut is an experiment in which the default classifier learns all classes of a set but one, and answers
// the test rows of all classes. Each class is left out in turn.
type leftOut struct {
	Flags flags          `toml:"left_out"`
	Sets  []set          `toml:"set" check:"required"`
	Sweep manifest.Sweep `toml:"sweep"`

	manifest *manifest.Manifest
	seeds    []int
}

// flags are those of the command predict.
type flags struct {
	// Familiar is the level of predict -familiar; default 0.01.
	Familiar float64 `toml:"familiar" range:"0 1"`
	// Wrong is the share of predict -wrong; default 0.02.
	Wrong float64 `toml:"wrong" check:"required" range:"1e-6 0.999999"`
}

type set struct {
	Name string `toml:"name" check:"required"` // name in rows of tables
	data.Source
}

// overall stands for all sets, and for all classes of a set, in rows with their means.
const overall = "all"

// given are the words for flags of predict that are given together.
var given = []string{"none", "familiar", "wrong", "both"}

// decisions returns the decisions by the given flags, with the threshold of -wrong.
func (f flags) decisions(threshold float64) []classifier.Decision {
	const usual = classifier.DefaultFamiliarity
	return []classifier.Decision{
		{Familiarity: usual},
		{Familiarity: f.Familiar},
		{Familiarity: usual, Confidence: threshold},
		{Familiarity: f.Familiar, Confidence: threshold},
	}
}

func (e *leftOut) SetUp(m *manifest.Manifest) (err error) {
	e.manifest = m
	for _, s := range e.Sets {
		if s.Name == overall || s.Stream {
			return field.In("set."+s.Name, field.Refuse(true, "name", s.Name, "a test part, and another name than all"))
		}
	}
	e.seeds, err = m.Seeds(e.Sweep.Seed)
	return err
}

func (e *leftOut) Files() (paths, about []string) {
	for i := range e.Sets {
		s := &e.Sets[i].Source
		paths, about = append(paths, s.Paths(e.manifest.Folder)...), append(about, s.About()...)
	}
	return paths, about
}

func (e *leftOut) Prepare(context.Context) error {
	for i := range e.Sets {
		s := &e.Sets[i]
		err := s.Load(e.manifest.Folder)
		if err == nil {
			classes := s.Classes()
			err = field.Refuse(len(classes) < 3, "file", s.File, "3 or more classes: two must be left")
		}
		if err != nil {
			return e.manifest.Locate("set."+s.Name, err)
		}
	}
	return nil
}

func (e *leftOut) Cells() (cells []study.Cell) {
	for _, set := range e.Sets {
		for _, seed := range e.seeds {
			s := leftOutSpec{study.Seeded{Manifest: e.manifest.Name, Seed: seed}, set.Name, set.Source, e.Flags}
			key := fmt.Sprintf("set=%s seed=%d", set.Name, seed)
			cells = append(cells, study.Cell{Key: key, Spec: s, Run: study.Tables(s.run)})
		}
	}
	return cells
}

type leftOutSpec struct {
	study.Seeded
	Set   string
	Data  data.Source
	Flags flags
}

// run leaves each class out in turn.
func (s leftOutSpec) run(ctx context.Context) (table.Tables, error) {
	train, test, err := s.Data.Parts(s.Stream("data", s.Set))
	if err != nil {
		return nil, err
	}
	text, share := table.Text, table.Share
	runs := table.New("runs",
		text("set", "the data set; all: the mean over the sets"),
		text("unseen", "the class that was not learned; all: the mean over the classes"),
		text("flags", fmt.Sprintf("flags of predict. none: -familiar %g, its default; familiar: -familiar %g; "+
			"wrong: -wrong %g; both: these two", classifier.DefaultFamiliarity, s.Flags.Familiar, s.Flags.Wrong)),
		table.Int("seed", "seed of the split and of the order"),
		share("unseen_answered", "share of the test rows of the unseen class that are answered, as other classes"),
		share("known_answered", "share of the other test rows that are answered"),
		share("error", "share of wrong answers among the answered rows of known classes"),
		share("promised", "1 if predict -wrong can make its promise, or is not given, else 0: nothing is answered"),
		share("auroc", "area under the ROC curve, known against unseen rows: with familiar of the familiarity, "+
			"with wrong of the confidence"))
	for _, class := range train.Classes() {
		if err := s.leaveOut(ctx, runs, class, train, test); err != nil {
			return nil, err
		}
	}
	return table.Tables{runs}, nil
}

// leaveOut adds the rows of a class, unless it has no test row.
func (s leftOutSpec) leaveOut(
	ctx context.Context, runs *table.Table, class string, train, test *data.Examples,
) error {
	train, test, unseen, err := withhold(train, test, class)
	if err != nil || unseen.Len() == 0 {
		return err
	}
	scaler, err := train.Scaler(s.Data.Scale)
	if err != nil {
		return err
	}
	snapshot, err := s.learn(ctx, scaler.Apply(train))
	if err != nil {
		return err
	}
	threshold, err := snapshot.Threshold(s.Flags.Wrong, 0.95)
	if err != nil {
		threshold = math.Inf(1) // predict -wrong refuses: the order is one of the few that do not look random
	}
	known, err := predictAll(snapshot, scaler.Apply(test))
	if err != nil {
		return err
	}
	others, err := predictAll(snapshot, scaler.Apply(unseen))
	if err != nil {
		return err
	}
	familiarity := func(p classifier.Prediction) float64 { return p.Familiarity }
	confidence := func(p classifier.Prediction) float64 { return p.Confidence }
	auroc := []float64{
		math.NaN(), metric.AUROC(each(known, familiarity), each(others, familiarity)),
		metric.AUROC(each(known, confidence), each(others, confidence)), math.NaN(),
	}
	for k, d := range s.Flags.decisions(threshold) {
		answered := func(p classifier.Prediction) float64 { return number(d.Answers(&p)) }
		wrong := 0.0
		for i, answered := range each(known, answered) {
			wrong += float64(answered * number(known[i].Details.Class() != test.Class(i)))
		}
		share := table.Mean(each(known, answered))
		runs.Add(s.Set, class, given[k], s.Seed, table.Mean(each(others, answered)), share,
			wrong/float64(len(known))/share, number(!math.IsInf(d.Confidence, 1)), auroc[k])
	}
	return nil
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// learn returns a snapshot of the default classifier after the examples in a random order.
func (s leftOutSpec) learn(ctx context.Context, train *data.Examples) (*classifier.Snapshot, error) {
	o := classifier.Options{Inputs: train.Inputs(), Classes: len(train.Classes()), Images: train.SquareImages()}
	c, err := classifier.New(o, s.Stream("classifier", s.Set))
	if err != nil {
		return nil, err
	}
	for _, i := range rand.New(s.Stream("order", s.Set)).Perm(train.Len()) {
		if err := cmp.Or(ctx.Err(), c.Learn(train.Input(i), train.Class(i))); err != nil {
			return nil, err
		}
	}
	return c.Snapshot()
}

func predictAll(s *classifier.Snapshot, e *data.Examples) (p []classifier.Prediction, err error) {
	p = make([]classifier.Prediction, e.Len())
	for i := range p {
		err = cmp.Or(err, s.Predict(&p[i], e.Input(i)))
	}
	return p, err
}

func each(p []classifier.Prediction, f func(classifier.Prediction) float64) (x []float64) {
	for i := range p {
		x = append(x, f(p[i]))
	}
	return x
}

// withhold returns the parts without the unseen classes, and the test examples of these.
func withhold(train, test *data.Examples, unseen ...string) (seen, known, withheld *data.Examples, err error) {
	withheld = test.Subset(rows(test, unseen, true))
	// The test part may lack classes of the training part. Parts numbers the classes of both alike.
	known = test.Subset(rows(test, unseen, false))
	seen, known, err = dataset.Parts(train.Subset(rows(train, unseen, false)), known)
	return seen, known, withheld, err
}

var leftOutColumns = []string{"unseen_answered", "known_answered", "error", "promised", "auroc"}

// Tables has the means over the seeds, of each class, of each set and of all sets, none where a seed has no value.
func (e *leftOut) Tables(cells []table.Tables) table.Tables {
	runs := table.Merge(cells).Get("runs")
	for _, group := range runs.GroupBy("set", "flags", "seed") {
		addMean(runs, group, group.Texts("set")[0])
	}
	for _, group := range runs.Where("unseen", overall).GroupBy("flags", "seed") {
		addMean(runs, group, overall)
	}
	return table.Tables{runs.Mean("summary", table.Means{
		Keys: []string{"set", "unseen", "flags"}, Columns: leftOutColumns,
	})}
}

// addMean adds a row with the means of the rows of one seed with the same flags. The error is that of the rows
// with answers.
func addMean(runs, rows *table.Table, set string) {
	row := []any{set, overall, rows.Texts("flags")[0], rows.Nums("seed")[0]}
	for _, column := range leftOutColumns {
		sum, n := 0.0, 0.0
		for _, x := range rows.Nums(column) {
			if !math.IsNaN(x) {
				sum, n = sum+x, n+1
			}
		}
		row = append(row, sum/n)
	}
	runs.Add(row...)
}

// Figures implements [study.Experiment].
func (e *leftOut) Figures() []study.Figure { return nil }

// Result has the shares of rows that are answered, for each set.
func (e *leftOut) Result(tables table.Tables, _ map[string]float64) study.Result {
	means := tables.Get("summary").Where("unseen", overall)
	head := []string{"set"}
	for _, rows := range []string{"unseen", "known"} {
		for _, flags := range given {
			head = append(head, rows+": "+flags)
		}
	}
	rows, notes := [][]string{head}, []string{fmt.Sprintf("Share of the test rows that are answered. "+
		"unseen: the class was left out of training, mean over the classes; known: all others. familiar: predict "+
		"-familiar %g, wrong: predict -wrong %g", e.Flags.Familiar, e.Flags.Wrong)}
	for _, set := range means.GroupBy("set") {
		row := []string{set.Texts("set")[0]}
		for _, column := range leftOutColumns[:2] {
			for _, share := range set.Nums(column) {
				row = append(row, fmt.Sprintf("%.3f", share))
			}
		}
		rows = append(rows, row)
	}
	return study.Result{Tables: [][][]string{rows}, Notes: notes}
}
