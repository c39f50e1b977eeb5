package compare

import (
	"math"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

const contrasts = `
[[contrast]]; set = "moons"; method = "filter"; against = "ours"
[[contrast]]; set = "clusters"; method = "majority"; against = "ours"; score = "error"
[[contrast]]; method = "majority"; against = "filter"
`

// Differences, what they vary over and their p-values are those by hand.
func TestContrasts(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest(studytest.File(t, studytest.Clusters(36)))+contrasts)
	got := tables.Get("contrasts")
	check.Equal(t, "units", strings.Join(got.Texts("unit"), "; "), "seeds; seeds and test examples; sets")
	score := func(set, method, score string) []float64 {
		return tables.Get("runs").Where("set", set).Where("method", method).Nums(score)
	}
	// A generator: of two seeds the mean, half the difference and one degree of freedom.
	a, b := score("moons", "filter", "log_loss"), score("moons", "ours", "log_loss")
	d := []float64{a[0] - b[0], a[1] - b[1]}
	check.NearAll(t, "moons", []float64{got.Nums("difference")[0], got.Nums("difference_low")[0], got.Nums("difference_high")[0]}, table.Interval(d), 1e-9)
	p := 1 - 2/math.Pi*math.Atan(math.Abs((d[0]+d[1])/(d[0]-d[1])))
	check.Near(t, "p", got.Nums("p")[0], p, 1e-9)
	// One test part: the variance has the seeds' and the examples'.
	wrong := make([]float64, 12)
	predictions := tables.Get("predictions").Where("set", "clusters")
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
	for i, x := range score("clusters", "majority", "error") {
		seeds = append(seeds, x-score("clusters", "ours", "error")[i])
	}
	mean, between := table.MeanVariance(seeds)
	u, v := between/3, images/12
	nu := int((u + v) * (u + v) / (u*u/2 + v*v/11))
	half := table.StudentQuantile(nu, 0.95) * math.Sqrt(u+v)
	check.NearAll(t, "clusters", []float64{got.Nums("difference")[1], got.Nums("difference_high")[1]}, []float64{mean, mean + half}, 1e-9)

	// Holm, by hand; what is not a number counts among the tests.
	check.NearAll(t, "holm", holm([]float64{0.01, 0.04, 0.03, 0.005}), []float64{0.03, 0.06, 0.06, 0.02}, 1e-15)
	if all := holm([]float64{math.NaN(), 0.01}); !math.IsNaN(all[0]) || all[1] != 0.02 {
		t.Errorf("with a gap %v", all)
	}
	// Splits at random share training examples.
	check.Near(t, "variance of the mean of two splits", single([]float64{1, 3}, "splits", 0.5).variance, 2*(1/2.+0.5), 1e-15)
	for text, want := range map[string]string{`method = "x"`: `: contrast.1.method: "x" `, `set = "x"`: `: contrast.1.set: "x" `, `score = "brier"`: "log_loss, error"} {
		entry := "\n[[contrast]]\nagainst = \"ours\"\n" + text
		if !strings.HasPrefix(text, "method") {
			entry += "\nmethod = \"filter\""
		}
		studytest.Refused(t, Kind, manifest(studytest.File(t, studytest.Clusters(36)))+entry, map[string]string{"seed=1": want})
	}
}

// What is chosen for a set is what does best on the others.
func TestLeftOut(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest(studytest.File(t, studytest.Clusters(36))), `compare.leave_out=["filter", "majority"]`)
	summary, got := tables.Get("summary"), tables.Get("left_out")
	for i, set := range got.Texts("set")[:2] {
		other := map[string]string{"clusters": "moons", "moons": "clusters"}[set]
		loss := func(set, method string) float64 {
			return summary.Where("set", set).Where("method", method).Nums("log_loss")[0]
		}
		want := "filter"
		if loss(other, "majority") < loss(other, "filter") {
			want = "majority"
		}
		check.Equal(t, set, got.Texts("chosen")[i], want)
		check.NearAll(t, set, []float64{got.Nums("log_loss")[i], got.Nums("reference_log_loss")[i], got.Nums("best_log_loss")[i]},
			[]float64{loss(set, want), loss(set, "ours"), min(loss(set, "filter"), loss(set, "majority"))}, 1e-9)
	}
}
