package learn

import (
	"math"
	"regexp"
	"slices"
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

// Differences, what they vary over and their p-values are those by hand: of a generator, of one test part,
// and of two
// sets.
func TestContrasts(t *testing.T) {
	var all []table.Set
	manifest := compared(studytest.File(t, studytest.Clusters(36))) + contrasts
	for i, unit := range []string{"seeds", "seeds and test examples", "sets"} {
		without := regexp.MustCompile(`(?m)^\[\[set\]\]; name = "` + []string{"clusters", "moons", "-"}[i] + `".*$`)
		all = append(all, studytest.Run(t, Kind, without.ReplaceAllString(manifest, "")))
		check.Equal(t, "unit", all[i].Get("contrasts").Texts("unit"), []string{unit, unit})
	}
	score := func(i int, method, score string) []float64 {
		return all[i].Get("runs").Where("method", method).Nums(score)
	}
	// A generator: of two seeds the mean, half the difference and one degree of freedom.
	a, b := score(0, "filter", "log_loss"), score(0, "ours", "log_loss")
	got := all[0].Get("contrasts")
	d := []float64{a[0] - b[0], a[1] - b[1]}
	interval := numbers(got, 0, "difference difference_low difference_high")
	check.NearAll(t, "moons", interval, table.Interval(d), 1e-9)
	p := 1 - 2/math.Pi*math.Atan(math.Abs((d[0]+d[1])/(d[0]-d[1])))
	check.Near(t, "p", got.Nums("p")[0], p, 1e-9)
	// One test part: the variance has the seeds' and the examples'.
	wrong := make([]float64, 12)
	predictions := all[1].Get("predictions")
	for name, sign := range map[string]float64{"majority": 1, "ours": -1} {
		rows := predictions.Where("method", name)
		for i := range rows.Len() {
			p := []float64{rows.Nums("p1")[i], rows.Nums("p2")[i], rows.Nums("p3")[i]}
			class := map[string]int{}
			for j, c := range predictions.Distinct("class") {
				class[c] = j
			}
			w, _ := learner.Loss(p, class[rows.Texts("class")[i]])
			wrong[i%12] += sign * w / 3
		}
	}
	_, images := table.MeanVariance(wrong)
	var seeds []float64
	for i, x := range score(1, "majority", "error") {
		seeds = append(seeds, x-score(1, "ours", "error")[i])
	}
	mean, between := table.MeanVariance(seeds)
	u, v := between/3, images/12
	nu := int((u + v) * (u + v) / (u*u/2 + v*v/11))
	half := table.StudentQuantile(nu, 0.95) * math.Sqrt(u+v)
	got = all[1].Get("contrasts")
	check.NearAll(t, "images", numbers(got, 1, "difference difference_high"), []float64{mean, mean + half}, 1e-9)

	// Splits at random share training examples.
	check.Near(t, "variance of the mean", single([]float64{1, 3}, "splits", 0.5).variance, 2*(1/2.+0.5), 1e-15)
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
	losses := []map[string]float64{{"ours": 1.5, "filter": 1, "majority": 2}, {"ours": 2.5, "filter": 3, "majority": 2}}
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
