package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat"

	"closedform/baselines/kalman"
	"closedform/core/random"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// compareOf is a manifest about the file, whose first 24 examples are to train, and
// about a generator.
func compareOf(file string) string {
	return fmt.Sprintf(`
name  = "small_compare"
study = "compare"
seed  = 1
[compare]
budget     = 3
validation = 0.25
reference  = "ours"
[sweep]
seed = [1, 2, 3]
[[set]]
name = "clusters"
file = %q
train_rows = "1-24"
[[set]]
name = "moons"
generator = "moons"
train  = 16
test   = 10
splits = 2
[[method]]
name = "ours"
kind = "closed-form"
rule = "adf"
bias = true
prior = "scaled"
tune = ["prior_var"]
candidates = [[0.01], [1], [100]]
[[method]]
name = "filter"
kind = "kalman"
passes = 2
tune = ["prior_var", "process_noise"]
candidates = [[0.001, 0], [3, 0.1], [1, 0]]
[[method]]
name = "fails"
kind = "closed-form"
lambda = 3
[[method]]
name = "majority"
kind = "majority"
`, file)
}

// learnFilter returns what a filter says of the test examples that has seen the
// others twice, in the order of the study, all as the training examples require.
func learnFilter(t *testing.T, seed int, priorVar, noise float64, train, test *dataset.Examples) (p [][]float64, class []int) {
	t.Helper()
	scaler, err := train.Scaler(dataset.Standard)
	if err != nil {
		t.Fatal(err)
	}
	tr, te := scaler.Apply(train).Set(), scaler.Apply(test).Set()
	model, err := kalman.New(kalman.Config{Layers: []int{2, 3}, PriorVar: priorVar, PriorMeanVar: 2, ProcessNoise: noise},
		random.Source("small_compare", seed, "method", "clusters", "filter"))
	if err != nil {
		t.Fatal(err)
	}
	for pass := 1; pass <= 2; pass++ {
		for _, i := range rand.New(random.Source("small_compare", seed, "pass", "clusters", pass)).Perm(len(tr.X)) {
			if err := model.Observe(tr.X[i], tr.Class[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, x := range te.X {
		q := make([]float64, 3)
		if err := model.Predict(q, x); err != nil {
			t.Fatal(err)
		}
		p = append(p, q)
	}
	return p, te.Class
}

// The candidate is chosen, and the scores come about, as by hand.
func TestCompareByHand(t *testing.T) {
	all := clusters(36)
	o := run(t, parse(t, compareOf(csvFile(t, all))))
	var set dataset.Set
	for _, e := range all {
		set.X, set.Class = append(set.X, []float64{e.x, e.y}), append(set.Class, e.class)
	}
	examples := dataset.NewExamples(set, 3)
	rows := make([]int, 36)
	for i := range rows {
		rows[i] = i
	}
	train, test := examples.Subset(rows[:24]), examples.Subset(rows[24:])
	for _, seed := range []int{1, 2, 3} {
		learn, judge, err := train.SplitFraction(0.25, random.Source("small_compare", seed, "validation", "clusters"))
		if err != nil {
			t.Fatal(err)
		}
		best, least := 0, math.Inf(1)
		candidates := [][2]float64{{0.001, 0}, {3, 0.1}, {1, 0}}
		for i, c := range candidates {
			p, class := learnFilter(t, seed, c[0], c[1], train.Subset(learn), train.Subset(judge))
			if loss := metric.LogLoss(p, class); loss < least {
				best, least = i, loss
			}
		}
		r := records(t, o.report.Tables, "scores", record{"set": "clusters", "method": "filter", "seed": strconv.Itoa(seed)})
		if len(r) != 1 {
			t.Fatalf("%d rows", len(r))
		}
		if want := fmt.Sprintf("prior_var=%v process_noise=%v", candidates[best][0], candidates[best][1]); r[0]["chosen"] != want {
			t.Errorf("seed %d: chosen %s, want %s", seed, r[0]["chosen"], want)
		}
		near(t, "validation", r[0].number(t, "validation_log_loss"), least, 1e-12)
		p, class := learnFilter(t, seed, candidates[best][0], candidates[best][1], train, test)
		near(t, "error", r[0].number(t, "error"), metric.Error(p, class), 1e-12)
		near(t, "log loss", r[0].number(t, "log_loss"), metric.LogLoss(p, class), 1e-12)
		near(t, "Brier", r[0].number(t, "brier"), metric.Brier(p, class), 1e-12)
		near(t, "ECE", r[0].number(t, "ece"), metric.ECE(p, class, 15), 1e-12)
		for i, r := range records(t, o.report.Tables, "predictions", record{"set": "clusters", "method": "filter", "seed": strconv.Itoa(seed)}) {
			for j, x := range r.numbers(t, "p#") {
				near(t, "p", x, p[i][j], 1e-5)
			}
		}
	}
}

// The choice knows nothing of the test part: other labels and inputs there leave it.
func TestCompareChoosesWithoutTest(t *testing.T) {
	all := clusters(36)
	other := slices.Clone(all)
	for i := 24; i < 36; i++ {
		other[i].class = (other[i].class + 1) % 3
		other[i].x *= 10
	}
	a := run(t, parse(t, compareOf(csvFile(t, all))))
	b := run(t, parse(t, compareOf(csvFile(t, other))))
	changed := 0
	for i, r := range records(t, a.report.Tables, "scores", record{"set": "clusters"}) {
		s := records(t, b.report.Tables, "scores", record{"set": "clusters"})[i]
		if r["chosen"] != s["chosen"] || r["validation_log_loss"] != s["validation_log_loss"] {
			t.Errorf("%v and with another test part %v", r, s)
		}
		if r["log_loss"] != s["log_loss"] {
			changed++
		}
	}
	if changed < 6 {
		t.Errorf("the scores of %d rows follow the test part", changed)
	}
}

func TestCompareTables(t *testing.T) {
	o := run(t, parse(t, compareOf(csvFile(t, clusters(36)))))
	checkPure(t, o)
	checkOrder(t, o)
	if n := len(records(t, o.report.Tables, "scores", nil)); n != 4*(3+2) {
		t.Errorf("%d rows", n)
	}
	// What fails is scored as equal probabilities, and counted.
	for _, r := range records(t, o.report.Tables, "scores", record{"method": "fails", "set": "clusters"}) {
		near(t, "log loss", r.number(t, "log_loss"), math.Log(3), 1e-12)
		if r["failed"] != "1" || r["chosen"] != "" || r["validation_log_loss"] != "" {
			t.Errorf("%v", r)
		}
	}
	// Classes that a set does not have are gaps.
	for _, r := range records(t, o.report.Tables, "predictions", record{"set": "moons"}) {
		if r["p3"] != "" {
			t.Errorf("%v", r)
		}
		near(t, "p1 + p2", r.number(t, "p1")+r.number(t, "p2"), 1, 1e-5)
	}
	// All methods of a split have the same test part.
	for _, seed := range []string{"1", "2"} {
		var classes [][]string
		for _, method := range []string{"ours", "majority"} {
			var class []string
			for _, r := range records(t, o.report.Tables, "predictions", record{"set": "moons", "seed": seed, "method": method}) {
				class = append(class, r["class"])
			}
			classes = append(classes, class)
		}
		if !slices.Equal(classes[0], classes[1]) || len(classes[0]) != 10 {
			t.Errorf("test parts %v", classes)
		}
	}
}

// The same test part has the same majority whatever the order; by hand.
func TestCompareMajority(t *testing.T) {
	o := run(t, parse(t, compareOf(csvFile(t, clusters(36))), "sweep.seed=[1]"))
	r := records(t, o.report.Tables, "scores", record{"set": "clusters", "method": "majority"})[0]
	near(t, "log loss", r.number(t, "log_loss"), math.Log(3), 1e-12) // the classes come in turn
}

// made is an outcome of a comparison with these log losses by set, method and split.
func made(t *testing.T, losses map[string]map[string][]float64) Report {
	t.Helper()
	e, err := New(parse(t, compareOf(csvFile(t, clusters(36))), "set.moons.splits=3"))
	if err != nil {
		t.Fatal(err)
	}
	var cells [][]store.Table
	for _, c := range e.Cells() {
		s := c.Spec.(compareSpec)
		table := store.Table{Name: "scores", Header: slices.Concat([]string{"set", "method", "seed"}, scoreColumns, stepColumns)}
		loss := losses[s.Set.Name][s.Method.Name][s.Seed-1]
		row := []string{s.Set.Name, s.Method.Name, strconv.Itoa(s.Seed), "0.25", store.Float(loss), "0.5", "0.125"}
		table.Rows = [][]string{append(row, "0", "0", "0", "0", "0")}
		cells = append(cells, []store.Table{table})
	}
	report, err := e.Report(cells)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Differences are paired split by split, ranks are those of the means; infinite
// scores have the last rank and are drawn all the same.
func TestComparePairsAndRanks(t *testing.T) {
	losses := map[string]map[string][]float64{
		"clusters": {"ours": {1, 2, 4}, "filter": {2, 2, 5}, "fails": {1, 1, 1}, "majority": {3, math.Inf(1), 3}},
		"moons":    {"ours": {2, 2, 2}, "filter": {1, 1, 1}, "fails": {2, 2, 2}, "majority": {3, 3, 3}},
	}
	report := made(t, losses)
	of := func(set, method string) record {
		return records(t, report.Tables, "paired", record{"set": set, "method": method})[0]
	}
	mean, low, high := metric.Interval([]float64{1, 0, 1})
	r := of("clusters", "filter")
	near(t, "mean", r.number(t, "log_loss"), mean, 1e-12)
	near(t, "low", r.number(t, "log_loss_low"), low, 1e-12)
	near(t, "high", r.number(t, "log_loss_high"), high, 1e-12)
	near(t, "error", r.number(t, "error"), 0, 1e-12)
	if r["pairs"] != "3" || r["reference"] != "ours" {
		t.Errorf("%v", r)
	}
	all := of(allSets, "filter")
	mean, low, high = metric.Interval([]float64{stat.Mean([]float64{1, 0, 1}, nil), -1})
	near(t, "mean over the sets", all.number(t, "log_loss"), mean, 1e-12)
	near(t, "low", all.number(t, "log_loss_low"), low, 1e-12)
	near(t, "high", all.number(t, "log_loss_high"), high, 1e-12)
	for _, set := range []string{"clusters", allSets} {
		if r := of(set, "majority"); r["log_loss"] != "" || r["log_loss_low"] != "" {
			t.Errorf("infinite: %v", r)
		}
	}
	near(t, "finite set", of("moons", "majority").number(t, "log_loss"), 1, 1e-12)
	// Means 7/3, 3, 1, ∞ and 2, 1, 2, 3: ranks 2, 3, 1, 4 and 2.5, 1, 2.5, 4.
	for method, want := range map[string]float64{"ours": 2.25, "filter": 2, "fails": 1.75, "majority": 4} {
		r := records(t, report.Tables, "ranks", record{"method": method})[0]
		near(t, "rank", r.number(t, "log_loss"), want, 1e-12)
		near(t, "rank of equals", r.number(t, "error"), 2.5, 1e-12)
		near(t, "critical difference", r.number(t, "critical_difference"), 2.569*math.Sqrt(4*5/(6.*2)), 1e-3)
	}
	for _, f := range report.Figures {
		if b, err := f.Drawing.Encode("svg"); err != nil || len(b) < 1000 {
			t.Errorf("%s: %d bytes, %v", f.Name, len(b), err)
		}
	}
	if len(report.Figures) != 2 || report.Figures[0].Name != "differences" || report.Figures[1].Name != "ranks" {
		t.Errorf("%d figures", len(report.Figures))
	}
	// An infinite reference.
	losses["moons"]["ours"][0] = math.Inf(1)
	losses["moons"]["filter"][0] = math.Inf(1)
	for _, f := range made(t, losses).Figures {
		if _, err := f.Drawing.Encode("png"); err != nil {
			t.Error(err)
		}
	}
}
