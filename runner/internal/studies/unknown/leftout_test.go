package unknown

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"closedform/core/classifier"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// leaveOut returns a manifest about two files. The first 600 examples of one of them are its training part.
func leaveOut(one, two string) string {
	return fmt.Sprintf(`
name = "small_unseen"; study = "unknown"; seed = 2
set = [{name="one", file=%q, train_rows="1-600"}, {name="two", file=%q, test_fraction=0.5}]
[left_out]; familiar = 0.02; wrong = 0.1
[sweep]; seed = [1, 2]
`, one, two)
}

// answers are the shares of rows that a snapshot answers by its decision, and of wrong answers among these.
func answers(t *testing.T, s *classifier.Snapshot, e *data.Examples) (answered, wrong float64) {
	t.Helper()
	for i := range e.Len() {
		var p classifier.Prediction
		check.OK(t, s.Predict(&p, e.Input(i)))
		if p.Class != classifier.Unknown {
			answered++
			if p.Class != e.Class(i) {
				wrong++
			}
		}
	}
	return answered / float64(e.Len()), wrong / answered
}

// The rows of a class are those of a classifier that learned the other classes, with the decisions of predict.
func TestLeftOut(t *testing.T) {
	set := studytest.Clusters(900)
	file := studytest.File(t, set)
	text := leaveOut(file, studytest.File(t, studytest.Clusters(60)))
	summary := studytest.Run(t, Kind, text, "sweep.seed=[2]").Get("summary")
	src := study.Seeded{Manifest: "small_unseen", Seed: 2}.Stream
	part := func(rows string, unseen bool) *data.Examples {
		e, in := check.Must(data.Rows(dataset.NewExamples(set, 3), "rows", rows)), []int(nil)
		for i := range e.Len() {
			if (e.Class(i) == 1) == unseen {
				in = append(in, i)
			}
		}
		return e.Subset(in)
	}
	train, known, err := dataset.Parts(part("1-600", false), part("601-900", false))
	check.OK(t, err)
	scaler := check.Must(train.Scaler(dataset.Standard))
	c := check.Must(classifier.New(classifier.Options{Inputs: 2, Classes: 2}, src("classifier", "one")))
	for _, i := range rand.New(src("order", "one")).Perm(train.Len()) {
		check.OK(t, c.Learn(scaler.Apply(train).Input(i), train.Class(i)))
	}
	s := check.Must(c.Snapshot())
	threshold := check.Must(s.Threshold(0.1, 0.95))
	known, unseen := scaler.Apply(known), scaler.Apply(part("601-900", true))
	var familiarity, confidence [2][]float64
	for k, e := range []*data.Examples{known, unseen} {
		for i := range e.Len() {
			var p classifier.Prediction
			check.OK(t, s.Predict(&p, e.Input(i)))
			familiarity[k], confidence[k] = append(familiarity[k], p.Familiarity), append(confidence[k], p.Confidence)
		}
	}
	aurocs := map[string]float64{
		"familiar": metric.AUROC(familiarity[0], familiarity[1]), "wrong": metric.AUROC(confidence[0], confidence[1]),
	}
	for flags, d := range map[string]classifier.Decision{
		"none": {Familiarity: 0.001}, "familiar": {Familiarity: 0.02},
		"wrong": {Familiarity: 0.001, Confidence: threshold}, "both": {Familiarity: 0.02, Confidence: threshold},
	} {
		s.Decision = d
		row := studytest.Rows(t, summary, "set=one unseen=b flags="+flags)
		want := make([]float64, 3)
		want[1], want[2] = answers(t, s, known)
		want[0], _ = answers(t, s, unseen)
		check.NearAll(t, flags, []float64{
			row.Nums("unseen_answered")[0], row.Nums("known_answered")[0], row.Nums("error")[0],
		}, want, 1e-12)
		check.True(t, want[0] > 0 && want[0] < 1 && want[1] > 0.7, "%s: no test of answers: %v", flags, want)
		if auroc, ok := aurocs[flags]; ok {
			check.Near(t, flags+": AUROC", row.Nums("auroc")[0], auroc, 1e-12)
		}
	}
}

// Each mean is over the classes of a set, and over the sets. Without a promise nothing is answered, and a row
// has no error.
func TestLeftOutMeans(t *testing.T) {
	text := leaveOut(studytest.File(t, studytest.Clusters(900)), studytest.File(t, studytest.Clusters(60)))
	summary := studytest.Run(t, Kind, text, "left_out.wrong=0.03").Get("summary")
	check.Equal(t, "rows", summary.Len(), (4+4+1)*4)
	mean := func(filters, column string) float64 {
		return table.Mean(studytest.Rows(t, summary, filters).Nums(column))
	}
	classes := 0.0
	for _, class := range []string{"a", "b", "c"} {
		classes += mean("set=one flags=familiar unseen="+class, "unseen_answered") / 3
	}
	one, two := "set=one flags=familiar unseen=all", "set=two flags=familiar unseen=all"
	check.Near(t, "classes", mean(one, "unseen_answered"), classes, 1e-12)
	sets := (mean(one, "unseen_answered") + mean(two, "unseen_answered")) / 2
	check.Near(t, "sets", mean("set=all flags=familiar unseen=all", "unseen_answered"), sets, 1e-12)
	check.Equal(t, "answered without a promise", mean("set=two flags=wrong", "known_answered"), 0)
	check.Equal(t, "promised", mean("set=two flags=wrong", "promised"), 0)
	check.Equal(t, "not asked for", mean("set=two flags=familiar", "promised"), 1)
	result := studytest.New(t, Kind, text).(study.WithResult).Result(table.Tables{summary}, nil)
	check.Equal(t, "result", len(result.Tables[0]), 1+3)
}

func TestLeftOutRefuses(t *testing.T) {
	file := studytest.File(t, studytest.Clusters(660))
	text := leaveOut(file, file)
	studytest.Refused(t, Kind, text, map[string]string{
		"left_out.familiar=2": "left_out.familiar: 2 is not allowed", "left_out.wrong=0": "left_out.wrong: ",
		"left_out.promise=1": "not a key", "set.one.name=all": "another name than all", "sweep.seed=[3]": "seed",
		"set.one.train_rows=1-660": "from 1 to 660",
	})
	two := studytest.File(t, data.Set{X: [][]float64{{1, 2}, {3, 4}, {1, 3}, {3, 3}}, Class: []int{0, 1, 0, 1}})
	studytest.Refused(t, Kind, leaveOut(file, two), map[string]string{"seed=2": "set.two.file: "})
	studytest.Differ(t, Kind, text, "left_out.familiar=0.1", "left_out.wrong=0.3", "set.one.scale=none",
		"set.one.name=x")
}
