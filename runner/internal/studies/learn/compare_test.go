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

// compared is a manifest about a file, whose first 24 examples are to train, and about a generator.
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
		r := row(set, "majority")
		check.True(t, math.IsInf(r[0], 1) && math.IsNaN(r[1]), "infinite: %v", r)
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
// interval.
func TestFewerSplits(t *testing.T) {
	text := compared(studytest.File(t, studytest.Clusters(36)))
	check.Equal(t, "cells", len(studytest.New(t, Kind, text, "method.filter.splits=1").Cells()), 3*(3+2)+2)
	full, one := studytest.Run(t, Kind, text), studytest.Run(t, Kind, text, "method.filter.splits=1")
	row := func(tables table.Tables, name, method string) *table.Table {
		return tables.Get(name).Where("set", "clusters").Where("method", method)
	}
	check.Equal(t, "runs", full.Get("runs").Len(), 4*(3+2))
	check.Equal(t, "nothing chosen", row(full, "runs", "majority").Texts("chosen")[0], "")
	check.Begins(t, row(full, "runs", "filter").Texts("chosen")[0], "prior_var=")
	loss := func(method string) float64 { return row(full, "runs", method).Nums("log_loss")[0] }
	summary, paired := row(one, "summary", "filter"), row(one, "paired", "filter")
	check.Near(t, "mean", summary.Nums("log_loss")[0], loss("filter"), 0)
	ci := table.Wilson(12*summary.Nums("error")[0], 12) // of the twelve test examples of every seed
	check.Near(t, "sampling error", summary.Nums("error_sampling")[0], (ci[2]-ci[1])/2, 1e-12)
	drawn := one.Get("summary").Where("set", "moons").Nums("error_sampling")[0]
	check.Equal(t, "sampling error of test examples that are drawn anew", math.IsNaN(drawn), true)
	check.Near(t, "difference", paired.Nums("log_loss")[0], loss("filter")-loss("ours"), 0)
	got := []string{summary.Texts("seeds")[0], paired.Texts("seeds")[0], paired.Texts("log_loss_low")[0]}
	check.Equal(t, "seeds, and no interval", got, []string{"1", "1", ""})
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

// summary returns a table of means to which rows are added: set, method, λ, error with its interval, log loss.
func summary() (t *table.Table, add func(set, method string, lambda, wrong, low, high, loss float64)) {
	t = table.New("summary", table.Text("set", ""), table.Text("method", ""), table.Num("lambda", ""),
		table.Num("rho", ""), table.Int("seeds", ""), table.RuleColumn())
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.Interval(c.Name, "")...)
	}
	t.Columns = append(t.Columns, table.Num("log_loss_median", ""), table.Num("train", ""))
	return t, func(set, method string, lambda, wrong, low, high, loss float64) {
		gaps := table.Gaps(2)
		t.Add(set, method, lambda, 0.5, 5, "t, seeds", wrong, low, high, loss, gaps, 0.5, gaps, gaps, gaps, gaps,
			0.25, 50)
	}
}

// A run ends with the means, and a warning where guessing is better. Columns without values are left out.
func TestResult(t *testing.T) {
	e := &experiment{Evaluate: evaluate{Passes: []int{1}}, sets: []set{{Name: "wine"}, {Name: "iris"}}}
	e.Methods = []learner.Method{{Name: "guess", Kind: "majority"}, {Name: "sure", Kind: "closed-form", Passes: 4}}
	check.OK(t, e.Methods[0].Extend(map[string]any{"kind": "majority"}))
	short, add := summary()
	add("iris", "model", 1, 0.1, 0.08, 0.12, 1.25)
	add("iris", "guess", 1, 0.6, 0.6, 0.6, 1.1)
	add("iris", "sure", 1, 0.1, 0, 0.4, 0.3)
	size := table.Num("bytes", "")
	size.Nums = []float64{2.5e6, 700, math.NaN()}
	short.Columns = append(short.Columns, size)
	seconds := map[string]float64{
		"set=iris method=model lambda=1 rho=0.5": 2, "set=iris method=sure lambda=1 rho=0.5": 3,
	}
	r := e.Result(table.Tables{short}, seconds)
	check.Equal(t, "rows", r.Tables, [][][]string{{
		{"method", "error", "log loss", "Brier", "MB", "seconds", "per 1,000 examples"},
		{"model", "0.1000 [0.0800, 0.1200]", "1.2500", "0.5000", "2.50", "2.0000", "40.0000"},
		{"guess", "0.6000", "1.1000", "0.5000", "0.00", "", ""},
		{"sure", "0.1000 [0.0000, 0.4000]", "0.3000", "0.5000", "", "3.0000", "15.0000"},
	}})
	check.Equal(t, "notes", r.Notes, []string{
		"[a, b]: 95 % interval: t, seeds",
		"model has a larger log loss than the frequencies of the classes",
	})
}

// Means are listed set after set; more than fit a list are methods by sets, the best in bold.
func TestManySets(t *testing.T) {
	e := &experiment{Evaluate: evaluate{Passes: []int{1}}, sets: []set{{Name: "wine"}, {Name: "iris"}}}
	means, add := summary()
	add("wine", "a", 1, 0.2, 0.2, 0.2, 0.3)
	add("iris", "a", 1, 0.1, 0.1, 0.1, 1)
	add("wine", "b", 1, 0.5, 0.5, 0.5, 2)
	rows := e.Result(table.Tables{means}, nil).Tables[0]
	check.Equal(t, "sets", []string{rows[1][0], rows[2][0], rows[3][0]}, []string{"wine", "wine", "iris"})
	for i := range maxRows {
		add("iris", fmt.Sprint("m", i), 1, 0.5, 0.5, 0.5, 2+float64(i))
	}
	r := e.Result(table.Tables{means}, map[string]float64{"set=iris method=m0 lambda=1 rho=0.5": 2})
	titles := []string{r.Tables[0][0][0], r.Tables[1][0][0], r.Tables[2][0][0], r.Tables[3][0][0]}
	check.Equal(t, "tables", titles,
		[]string{"log loss", "log loss, median of the seeds", "error", "seconds for 1,000 examples"})
	check.Equal(t, "log loss", r.Tables[0][:4], [][]string{
		{"log loss", "wine", "iris"}, {"a", "**0.300**", "**1.000**"}, {"b", "2.000", ""}, {"m0", "", "2.000"},
	})
	check.Equal(t, "error", r.Tables[2][1], []string{"a", "**0.200**", "**0.100**"})
	two := pivots(means.Rows([]int{0, 1}), []string{"set", "interval"})[0]
	check.Equal(t, "two keys", two[1:], [][]string{{"a, t, seeds", "**0.300**", "**1.000**"}})
	check.Equal(t, "seconds", r.Tables[3][3], []string{"m0", "", "40.000"})
}

// A sweep has its indefinite steps, where losses are infinite their median and share, and no times. Of a large
// one there are the rows of one ρ.
func TestSweptResult(t *testing.T) {
	e := &experiment{Evaluate: evaluate{Passes: []int{2}}, sets: []set{{Name: "data"}}, swept: true}
	e.Sweep.Rho = []float64{0, 0.5}
	means, add := summary()
	for i := range maxRows {
		add("data", "model", float64(i), 0.1, 0.1, 0.1, math.Inf(1))
		means.Columns[3].Nums[i] = float64(i%2) / 2
	}
	e.Methods = []learner.Method{{Name: "model", Kind: "closed-form"}}
	infinite, steps := table.Num("log_loss_infinite", ""), table.Num("indefinite_steps", "")
	infinite.Nums, steps.Nums = slices.Repeat([]float64{0.75}, maxRows), slices.Repeat([]float64{2}, maxRows)
	means.Columns = append(means.Columns, infinite, steps)
	seconds := map[string]float64{"set=data method=model lambda=0 rho=0": 2}
	rows := e.Result(table.Tables{means}, seconds).Tables[0]
	check.Equal(t, "rows", rows[:2], [][]string{
		{"method", "lambda", "rho", "error", "log loss", "median", "infinite", "Brier", "indefinite steps"},
		{"model", "0", "0", "0.1000", "+Inf", "0.2500", "0.7500", "0.5000", "2.0 of 100"},
	})
	means = table.Merge([]table.Tables{{means}, {means.Where("rho", 0)}}).Get("summary")
	r := e.Result(table.Tables{means}, seconds)
	check.Equal(t, "rows of one ρ", []any{len(r.Tables[0]), r.Tables[0][1][1], r.Notes},
		[]any{1 + maxRows/2, "1", []string{"rho = 0.5, of 2 values: summary.csv has all"}})
	e.sets, e.Sweep.Rho = append(e.sets, set{Name: "iris"}), nil
	for i := range maxRows / 2 {
		means.Columns[0].Texts[2*i] = "iris"
	}
	r = e.Result(table.Tables{means}, seconds)
	check.Equal(t, "by sets", []any{len(r.Tables), r.Tables[3][:2]}, []any{4, [][]string{
		{"indefinite steps", "iris", "data"}, {"model, lambda = 0, rho = 0", "2.000", "2.000"},
	}})
}

// A note says where an output layer cuts its inputs, and what broke down.
func TestProblems(t *testing.T) {
	const rows = "method,train,limited,failed\ncut,24,3,0\nfine,24,2,0\nfails,24,0,1\n"
	runs := check.Must(table.Read("runs", strings.NewReader(rows)))
	notes := strings.Join(new(experiment).problems(runs), "\n")
	want := regexp.MustCompile("^cut: 3 of 24 training .* ±32.*\nfails broke down in 1 of 1 runs.*$")
	check.True(t, want.MatchString(notes), "notes %q", notes)
}
