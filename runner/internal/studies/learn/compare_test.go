package learn

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	check "closedform/internal/checktest"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// manifest is about a file, whose first 24 examples are to train, and about a generator.
func compared(file string) string {
	return fmt.Sprintf(`
name = "small_compare"; study = "learn"; seed = 1
[evaluate]; validation = 0.25; reference = "ours"
[sweep]; seed = [1, 2, 3]
[[set]]; name = "clusters"; file = %q; train_rows = "1-24"
[[set]]; name = "moons"; generator = "moons"; train = 16; test = 10; splits = 2
[[method]]; name = "ours"; kind = "closed-form"; members = 1; rule = "adf"; bias = true
tune = ["prior_var"]; candidates = [[0.01], [1], [100]]
[[method]]; name = "filter"; kind = "kalman"; passes = 2; tune = ["prior_var", "prior_mean_var"]
candidates = [[0.001, 1], [3, 2], [1, 1]]
[[method]]; bias = false; rule = "joint"; prior_var = 1; name = "fails"; kind = "closed-form"; members = 1
lambda = 3
[[method]]; name = "majority"; kind = "majority"
`, file)
}

// runsOf returns runs with these log losses of each set and method.
func runsOf(e *experiment, losses func(set, method string) []float64) *table.Table {
	columns := []table.Column{
		table.Text("set", ""), table.Text("method", ""), table.Int("test", ""), table.Int("train", ""),
	}
	runs := table.New("runs", slices.Concat(columns, learner.ScoreColumns(), learner.StepColumns())...)
	for _, set := range e.sets {
		for _, m := range e.Methods {
			for _, x := range losses(set.Name, m.Name) {
				runs.Add(set.Name, m.Name, 9, 27, x/10, x, 0.5, 0.125, 0.1, learner.Steps{}.Row())
			}
		}
	}
	return runs
}

// Differences are paired split by split, ranks are those of the means; infinite scores have the last rank.
func TestPairsAndRanks(t *testing.T) {
	losses := map[string][]float64{
		"clusters ours": {1, 2, 4}, "clusters filter": {2, 2, 5}, "clusters fails": {1, 1, 1},
		"clusters majority": {3, math.Inf(1), 3}, "moons ours": {2, 2, 2}, "moons filter": {1, 1, 1},
		"moons fails": {2, 2, 2}, "moons majority": {3, 3, 3},
	}
	text := compared(studytest.File(t, studytest.Clusters(36)))
	e := studytest.New(t, Kind, text, "set.moons.splits=3").(*experiment)
	made := func() table.Tables {
		runs := runsOf(e, func(set, method string) []float64 { return losses[set+" "+method] })
		tables := e.Tables([]table.Tables{{runs}})
		for _, f := range e.Figures() {
			check.Must(f.Draw(tables).Encode("pdf"))
		}
		return tables
	}
	tables := made()
	row := func(set, method string) []float64 {
		r := tables.Get("paired").Where("set", set).Where("method", method)
		return numbers(r, 0, "log_loss log_loss_low log_loss_high error seeds")
	}
	check.NearAll(t, "filter", row("clusters", "filter"),
		append(table.NewEstimate([]float64{1, 0, 1}, 0).Interval(), 2./30, 3), 1e-12)
	whole := row(allSets, "filter")
	check.NearAll(t, "filter, all sets", []float64{whole[0], whole[3], whole[4]},
		[]float64{-1. / 6, -1. / 60, 2}, 1e-12)
	check.Equal(t, "no interval of two sets", math.IsNaN(whole[1]), true)
	for set, want := range map[string]float64{"clusters": 2. / 7, "moons": -1. / 2, allSets: (2./7 - 1./2) / 2} {
		r := tables.Get("paired").Where("set", set).Where("method", "filter")
		check.Near(t, "relative difference, "+set, r.Nums("log_loss_relative")[0], want, 1e-12)
	}
	for _, set := range []string{"clusters", allSets} {
		if r := row(set, "majority"); !math.IsInf(r[0], 1) || !math.IsNaN(r[1]) {
			t.Errorf("infinite: %v", r)
		}
	}
	// Means 7/3, 3, 1, ∞ and 2, 1, 2, 3: ranks 2, 3, 1, 4 and 2.5, 1, 2.5, 4.
	ranks := tables.Get("ranks")
	check.NearAll(t, "ranks", ranks.Nums("log_loss"), []float64{2.25, 2, 1.75, 4}, 1e-12)
	check.NearAll(t, "ranks of equals", ranks.Nums("brier"), []float64{2.5, 2.5, 2.5, 2.5}, 1e-12)
	check.Near(t, "critical difference", ranks.Nums("critical_difference")[0], 2.569*math.Sqrt(4*5/(6.*2)), 1e-3)
	losses["moons ours"][0], losses["moons filter"][0] = math.Inf(1), math.Inf(1) // the reference, too
	made()
}

// A method that does not learn a set has no row there, and is compared on the others; ranks are over the sets
// that all methods learn.
func TestMethodLeavesOutASet(t *testing.T) {
	text := compared(studytest.File(t, studytest.Clusters(36)))
	without := `set.moons.methods=["ours", "fails", "majority"]`
	full, partial := studytest.Run(t, Kind, text), studytest.Run(t, Kind, text, without)
	paired := partial.Get("paired").Where("method", "filter")
	check.Equal(t, "sets", paired.Texts("set"), []string{"clusters", allSets})
	check.Near(t, "over one set", paired.Nums("log_loss")[1], paired.Nums("log_loss")[0], 0)
	ranks := partial.Get("ranks")
	check.Equal(t, "sets of the ranks", ranks.Texts("sets"), []string{"1", "1", "1", "1"})
	check.True(t, floats.Sum(ranks.Nums("log_loss")) == 10, "ranks %v", ranks.Nums("log_loss"))
	for _, name := range []string{"ours", "fails"} {
		want := string(full.Get("summary").Where("method", name).CSV())
		check.Equal(t, "means of "+name, string(partial.Get("summary").Where("method", name).CSV()), want)
	}
	e := studytest.New(t, Kind, text, without).(*experiment)
	for _, f := range e.Figures() {
		check.Must(f.Draw(partial).Encode("pdf"))
	}
}

// A method with splits learns the first seeds alone, and is compared on these; the mean of one has no
// interval. What fails is scored as equal probabilities, and counted, as the majority of equal classes.
func TestFewerSplits(t *testing.T) {
	text := compared(studytest.File(t, studytest.Clusters(36)))
	few := studytest.New(t, Kind, text, "method.filter.splits=1").Cells()
	check.Equal(t, "cells", len(few), 3*(3+2)+2)
	full, one := studytest.Run(t, Kind, text), studytest.Run(t, Kind, text, "method.filter.splits=1")
	row := func(tables table.Tables, name, method string) *table.Table {
		return tables.Get(name).Where("set", "clusters").Where("method", method)
	}
	check.Equal(t, "runs", full.Get("runs").Len(), 4*(3+2))
	for method, want := range map[string]string{"fails": "1", "majority": "0"} {
		r := row(full, "runs", method)
		check.NearAll(t, "log loss", r.Nums("log_loss"), slices.Repeat([]float64{math.Log(3)}, 3), 1e-12)
		check.Equal(t, "failed, nothing chosen", r.Texts("failed")[0]+r.Texts("chosen")[0], want)
	}
	chosen := row(full, "runs", "filter").Texts("chosen")[0]
	check.Equal(t, "chosen", strings.HasPrefix(chosen, "prior_var="), true)
	loss := func(method string) float64 { return row(full, "runs", method).Nums("log_loss")[0] }
	summary, paired := row(one, "summary", "filter"), row(one, "paired", "filter")
	check.Near(t, "mean", summary.Nums("log_loss")[0], loss("filter"), 0)
	ci := table.Wilson(12*summary.Nums("error")[0], 12) // of the twelve test examples of every seed
	check.Near(t, "sampling error", summary.Nums("error_sampling")[0], (ci[2]-ci[1])/2, 1e-12)
	drawn := one.Get("summary").Where("set", "moons").Nums("error_sampling")[0]
	check.Equal(t, "sampling error of test examples that are drawn anew", math.IsNaN(drawn), true)
	check.Near(t, "difference", paired.Nums("log_loss")[0], loss("filter")-loss("ours"), 0)
	if summary.Nums("seeds")[0] != 1 || paired.Nums("seeds")[0] != 1 || paired.Texts("log_loss_low")[0] != "" {
		t.Errorf("%s%s", summary.CSV(), paired.CSV())
	}
	a, b := row(full, "paired", "majority").CSV(), row(one, "paired", "majority").CSV()
	check.Equal(t, "differences of another method", string(b), string(a))
}

func TestCompareRefused(t *testing.T) {
	text, other := compared(studytest.File(t, studytest.Clusters(36))), studytest.File(t, studytest.Clusters(39))
	studytest.Differ(t, Kind, text, "name=other", "sweep.seed=[2, 1]", "evaluate.validation=0.5",
		"set.clusters.train_rows=1-25", "set.clusters.scale=none", "set.clusters.file="+other,
		"method.ours.lambda=1", "method.ours.passes=2")
	named := studytest.New(t, Kind, text, "name=defaults").Cells()[0].Spec.(spec)
	split := studytest.New(t, Kind, text, "evaluate.splits_of=defaults").Cells()[0].Spec.(spec)
	check.Equal(t, "with the splits of defaults", split.Stream("pass").Uint64(), named.Stream("pass").Uint64())
	studytest.Refused(t, Kind, text, map[string]string{
		"evaluate.reference=x":              "evaluate.reference",
		"method.ours.candidates=[[1], [2]]": "[3, 2], [1, 1]] is not allowed; allowed: 2",
		"set.clusters.name=all":             "set.all.name",
		"set.clusters.train_rows=1-36":      "set.clusters.train_rows",
		"set.clusters.file=gone.csv":        "no such file",
		"method.ours.splits=1":              "method.ours.splits", "seed=4": "seed",
		`set.moons.methods=["fails"]`: "set.moons.methods", "evaluate.order=repeated": "evaluate.snapshots",
	})
}

const contrasts = `
[[contrast]]; method = "filter"; against = "ours"
[[contrast]]; method = "majority"; against = "ours"; score = "error"
`

// Differences and p-values by hand: of a generator, of random splits of a file, and of two sets, which
// are too few for an interval.
func TestContrasts(t *testing.T) {
	manifest := compared(studytest.File(t, studytest.Clusters(36))) + contrasts
	manifest = strings.Replace(manifest, `train_rows = "1-24"`, "test_fraction = 0.25", 1)
	for i, rule := range []string{"t, seeds", "corrected t, splits", "t, sets"} {
		without := regexp.MustCompile(`(?m)^\[\[set\]\]; name = "` + []string{"clusters", "moons", "-"}[i] + `".*$`)
		e := studytest.New(t, Kind, without.ReplaceAllString(manifest, "")).(*experiment)
		losses := map[string][]float64{"ours": {1, 2, 4, 4}, "filter": {2, 2, 5, 6}}
		runs := runsOf(e, func(_, method string) []float64 { return append(losses[method], 3, 3, 3, 3)[:4] })
		got := e.Tables([]table.Tables{{runs}}).Get("contrasts")
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
		"contrast.1.method=x": `contrast.1.method: "x" `, "contrast.1.against=filter": "another method",
	})
}

// Wilcoxon's test takes the means of the sets; an infinite one is the largest, and two infinite ones are equal.
func TestSignedRankContrast(t *testing.T) {
	manifest := compared(studytest.File(t, studytest.Clusters(36))) + contrasts
	sets := []string{"clusters", "moons", "three", "four", "five", "six"}
	for _, name := range sets[2:] {
		manifest += fmt.Sprintf("[[set]]; name = %q; generator = \"moons\"; train = 16; test = 10\n", name)
	}
	e := studytest.New(t, Kind, manifest, "contrast.1.test=wilcoxon").(*experiment)
	inf := math.Inf(1)
	ours, filter := []float64{1, 2, 3, 4, 5, inf}, []float64{2, 4, 6, 8, inf, inf}
	runs := runsOf(e, func(set, method string) []float64 {
		i := slices.Index(sets, set)
		return map[string][]float64{"ours": {1, ours[i]}, "filter": {filter[i], 1}, "fails": {1}, "majority": {1}}[method]
	})
	got := e.Tables([]table.Tables{{runs}}).Get("contrasts")
	check.Equal(t, "tests", got.Texts("test"), []string{"wilcoxon", "t"})
	check.Near(t, "five of one sign", got.Nums("p")[0], 2/32., 1e-15)
	check.Near(t, "units, with the one that does not count", got.Nums("units")[0], 6, 0)
	studytest.Refused(t, Kind, regexp.MustCompile(`(?m)^\[\[set\]\]; name = "[^c].*$`).ReplaceAllString(manifest, ""),
		map[string]string{"contrast.1.test=wilcoxon": "contrast.1.test: \"wilcoxon\" is not allowed; allowed: with two"})
}

// What is left out of a set is a table, and a note.
func TestOmitted(t *testing.T) {
	text := "x,empty,class\n9,,c\n"
	for i := range 20 {
		text += fmt.Sprintf("%d,,%c\n", i, 'a'+i%2)
	}
	file := check.Write(t, text, t.TempDir(), "a.csv")
	manifest := fmt.Sprintf(`name = "omits"; study = "learn"
[[set]]; name = "odd"; file = %q; missing = "mean"; test_fraction = 0.5; min_class_rows = 2
[[method]]; name = "majority"; kind = "majority"
`, file)
	e := studytest.New(t, Kind, manifest)
	tables := studytest.Run(t, Kind, manifest)
	check.Equal(t, "omitted", string(tables.Get("omitted").CSV()),
		"set,omitted\nodd,\"column empty, class c\"\n")
	check.Contains(t, strings.Join(e.(*experiment).Result(tables, nil).Notes, "\n"),
		"odd: left out: column empty, class c")
}

// What is chosen for a set is what does best on the others, here the worse one on the set.
func TestLeftOut(t *testing.T) {
	text := compared(studytest.File(t, studytest.Clusters(36)))
	e := studytest.New(t, Kind, text, `evaluate.leave_out=["filter", "majority"]`).(*experiment)
	losses := map[string]float64{
		"clusters ours": 1.5, "clusters filter": 1, "clusters majority": 2,
		"moons ours": 2.5, "moons filter": 3, "moons majority": 2,
	}
	runs := runsOf(e, func(set, method string) []float64 { return []float64{losses[set+" "+method]} })
	got := e.Tables([]table.Tables{{runs}}).Get("left_out")
	check.Equal(t, "chosen", got.Texts("chosen"), []string{"majority", "filter", ""})
	check.NearAll(t, "log loss", got.Nums("log_loss"), []float64{2, 3, 2.5}, 1e-12)
	check.NearAll(t, "reference", got.Nums("reference_log_loss"), []float64{1.5, 2.5, 2}, 1e-12)
	check.NearAll(t, "best", got.Nums("best_log_loss"), []float64{1, 2, 1.5}, 1e-12)
}
