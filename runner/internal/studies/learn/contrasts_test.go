package learn

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

const contrasts = `
[[contrast]]; method = "filter"; against = "ours"
[[contrast]]; method = "majority"; against = "ours"; score = "error"
`

// Differences, what they vary over and their p-values are those by hand: of a generator, of random splits of
// a file, and of two sets, which are too few for an interval.
func TestContrasts(t *testing.T) {
	manifest := compared(studytest.File(t, studytest.Clusters(36))) + contrasts
	manifest = strings.Replace(manifest, `train_rows = "1-24"`, "test_fraction = 0.25", 1)
	for i, rule := range []string{"t, seeds", "corrected t, splits", "t, sets"} {
		without := regexp.MustCompile(`(?m)^\[\[set\]\]; name = "` + []string{"clusters", "moons", "-"}[i] + `".*$`)
		e := studytest.New(t, Kind, without.ReplaceAllString(manifest, "")).(*experiment)
		columns := []table.Column{
			table.Text("set", ""), table.Text("method", ""), table.Int("test", ""), table.Int("train", ""),
		}
		runs := table.New("runs", slices.Concat(columns, learner.ScoreColumns(), learner.StepColumns())...)
		losses := map[string][]float64{"ours": {1, 2, 4, 4}, "filter": {2, 2, 5, 6}}
		for _, set := range e.sets {
			for _, m := range e.Methods {
				for k := range 4 {
					loss := append(losses[m.Name], 3, 3, 3, 3)[k]
					runs.Add(set.Name, m.Name, 9, 27, loss/10, loss, 0.5, 0.125, 0.1, learner.Steps{}.Row())
				}
			}
		}
		got := check.Must(e.Tables([]table.Set{{runs}})).Get("contrasts")
		check.Equal(t, "rule", got.Texts("interval"), []string{rule, rule})
		if row := numbers(got, 0, "difference difference_low p"); rule == "t, sets" {
			check.Equal(t, "two sets", []any{row[0], math.IsNaN(row[1]), math.IsNaN(row[2])}, []any{1., true, true})
			continue
		}
		want := table.NewEstimate([]float64{1, 0, 1, 2}, map[string]float64{"corrected t, splits": 9. / 27}[rule])
		check.NearAll(t, rule, numbers(got, 0, "difference difference_low difference_high"), want.Interval(), 1e-12)
		check.NearAll(t, "p", numbers(got, 0, "p p_holm"), []float64{want.P(), 2 * want.P()}, 1e-12)
	}
	studytest.Refused(t, Kind, manifest, map[string]string{
		"contrast.1.method=x": `contrast.1.method: "x" `, "contrast.1.against=filter": "twice",
		"contrast.2.score=brier": "log_loss, error",
	})
}

// What is chosen for a set is what does best on the others, here the worse one on the set.
func TestLeftOut(t *testing.T) {
	text := compared(studytest.File(t, studytest.Clusters(36)))
	e := studytest.New(t, Kind, text, `evaluate.leave_out=["filter", "majority"]`).(*experiment)
	columns := []table.Column{table.Text("set", ""), table.Text("method", "")}
	runs := table.New("runs", slices.Concat(columns, learner.ScoreColumns(), learner.StepColumns())...)
	losses := []map[string]float64{
		{"ours": 1.5, "filter": 1, "majority": 2},
		{"ours": 2.5, "filter": 3, "majority": 2},
	}
	for i, set := range e.sets {
		for _, m := range e.Methods {
			loss, ok := losses[i][m.Name]
			if !ok {
				loss = 5
			}
			runs.Add(set.Name, m.Name, 0.25, loss, 0.5, 0.125, 0.1, learner.Steps{}.Row())
		}
	}
	got := check.Must(e.Tables([]table.Set{{runs}})).Get("left_out")
	check.Equal(t, "chosen", got.Texts("chosen"), []string{"majority", "filter", ""})
	check.NearAll(t, "log loss", got.Nums("log_loss"), []float64{2, 3, 2.5}, 1e-12)
	check.NearAll(t, "reference", got.Nums("reference_log_loss"), []float64{1.5, 2.5, 2}, 1e-12)
	check.NearAll(t, "best", got.Nums("best_log_loss"), []float64{1, 2, 1.5}, 1e-12)
}
