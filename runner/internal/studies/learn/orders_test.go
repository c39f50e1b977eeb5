package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/baselines/learners/kalman"
	"closedform/core/bnn"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// The tables are those of a filter that is trained by hand, one class after another and shuffled.
func TestSorted(t *testing.T) {
	set := studytest.Clusters(90)
	text := fmt.Sprintf(`
name = "small_sorted"; study = "learn"; seed = 1
[evaluate]; order = ["sorted", "shuffled", "blocks", "drift"]
[sweep]; seed = [1, 2, 3]
[[set]]; name = "clusters"; file = %q; train_rows = "1-30"; methods = ["filter", "network"]
[[set]]; name = "moons"; generator = "moons"; train = 20; test = 10; splits = 2
methods = ["network", "other"]
[[method]]; name = "filter"; kind = "kalman"; prior_var = 0.3; hidden_layers = [4]
[[method]]; name = "network"; members = 1
[[method]]; name = "other"; label = "filter"; kind = "kalman"
`, studytest.File(t, set))
	tables := studytest.Run(t, Kind, text)
	check.Equal(t, "runs", tables.Get("runs").Len(), 4*(3*2+2*2))
	examples, test := parts(set, 30)
	for seed := 1; seed <= 3; seed++ {
		rnd := rand.New(random.Source("small_sorted", seed, "order", "clusters"))
		order, place := rnd.Perm(30), rnd.Perm(3)
		stream := slices.Clone(order)
		slices.SortStableFunc(stream, func(a, b int) int {
			return place[examples.Class[a]] - place[examples.Class[b]]
		})
		for name, stream := range map[Order][]int{Sorted: stream, Shuffled: order} {
			model, err := kalman.New(kalman.Config{PriorVar: 0.3, PriorMeanVar: 2}, []int{2, 4, 3},
				random.Source("small_sorted", seed, "method", "clusters", "filter"))
			check.OK(t, err)
			where := fmt.Sprintf("set=clusters method=filter seed=%d order=%s", seed, name)
			for _, i := range stream {
				check.OK(t, model.Observe(examples.X[i], examples.Class[i]))
			}
			var p [][]float64
			for _, x := range test.X {
				p = append(p, check.Predict(t, model, 3, x...))
			}
			row := studytest.Rows(t, tables.Get("runs"), where)
			check.NearAll(t, where, numbers(row, 0, "error log_loss"), learner.Scores(p, test.Class)[:2], 1e-12)
		}
	}
	differences := tables.Get("order_differences")
	check.Equal(t, "differences of orders", differences.Len(), 3*2*2)
	losses := func(order string) []float64 {
		return studytest.Rows(t, tables.Get("runs"), "set=clusters method=filter order="+order).Nums("log_loss")
	}
	d := losses("drift")
	want := table.NewEstimate(floats.SubTo(d, d, losses("shuffled")), 0).Interval()
	row := studytest.Rows(t, differences, "set=clusters method=filter order=drift")
	check.NearAll(t, "drift − shuffled", numbers(row, 0, "log_loss log_loss_low log_loss_high"), want, 1e-12)
	sorted := studytest.Run(t, Kind, small, "evaluate.order=sorted").Get("examples").Nums("class")
	check.Equal(t, "classes of a sorted stream", len(slices.Compact(sorted)), 3)
	studytest.Refused(t, Kind, text, map[string]string{
		`set.moons.methods=["iris"]`:            `set.moons.methods: "iris" is not allowed; allowed: "filter",`,
		"evaluate.passes=2":                     "evaluate.passes",
		"evaluate.snapshots=[10]":               "evaluate.snapshots",
		`evaluate.order=["sorted", "repeated"]`: "repeated alone",
	})
}

// Each order has every example once, follows from its source, and changes the class as often as it should.
func TestOrders(t *testing.T) {
	e := dataset.NewExamples(studytest.Clusters(900), 3)
	for name, want := range map[Order][2]int{
		Shuffled: {550, 650}, Drift: {400, 500}, Blocks: {5, 14}, Sorted: {2, 2},
	} {
		order := orders[name](e, rand.NewPCG(1, 2))
		check.Equal(t, "again", orders[name](e, rand.NewPCG(1, 2)), order)
		changes := 0
		for k, i := range order[1:] {
			if e.Class(i) != e.Class(order[k]) {
				changes++
			}
		}
		check.True(t, changes >= want[0] && changes <= want[1], "%s: %d changes, want %v", name, changes, want)
		slices.Sort(order)
		check.Equal(t, string(name), [2]int{order[0], len(slices.Compact(order))}, [2]int{0, 900})
	}
}

// The numbers are those of networks that are trained by hand.
func TestRepeated(t *testing.T) {
	tables, task := studytest.Run(t, Kind, repeated), data.Generator{Name: "wedges"}.Task()
	stream := func(purpose string, more ...any) rand.Source {
		return study.Seeded{Manifest: "small_order", Seed: 2}.Stream(append([]any{purpose, "wedges"}, more...)...)
	}
	test, train := task.Draw(30, stream("test")), task.Draw(12, stream("train"))
	adf := func(train data.Set, order []int) [][]float64 {
		cfg := bnn.Default(2, 3)
		cfg.Bias, cfg.PriorVar = false, []float64{1}
		n := check.Must(bnn.New(cfg, rand.NewPCG(1, 2)))
		_, cov := n.Weights(0)
		check.OK(t, n.SetWeights(0, mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}), cov))
		for _, i := range order {
			check.Must(n.Observe(train.X[i], train.Class[i]))
		}
		return learner.NewClassifier(&learner.Network{Model: check.Must(bnn.Combine(n))}, 3).Probabilities(test.X)
	}
	networks := map[string][][][]float64{}
	for r := 1; r <= 4; r++ {
		networks["order"] = append(networks["order"], adf(train, rand.New(stream("permutation", r)).Perm(12)))
		if r < 4 {
			sample := adf(task.Draw(12, stream("sample", r)), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
			networks["sample"] = append(networks["sample"], sample)
		}
	}
	for by, p := range networks {
		var tv, wrong, loss []float64
		for a := range p {
			wrong, loss = append(wrong, metric.Error(p[a], test.Class)), append(loss, metric.LogLoss(p[a], test.Class))
			for b := range a {
				sum := 0.0
				for i := range p[a] {
					sum += floats.Distance(p[a][i], p[b][i], 1) / 2 / 30
				}
				tv = append(tv, sum)
			}
		}
		row := studytest.Rows(t, tables.Get("pairs"), "method=adf seen=12 seed=2 differ_by="+by)
		near(t, row, 1e-9, map[string]float64{
			"tv": stat.Mean(tv, nil), "error": stat.Mean(wrong, nil), "log_loss": stat.Mean(loss, nil), "failed": 0,
		})
		both := studytest.Rows(t, tables.Get("pairs"), "method=adf seen=12 differ_by="+by).Nums("tv")
		mean := studytest.Rows(t, tables.Get("summary"), "method=adf seen=12 seeds=2 differ_by="+by)
		near(t, mean, 1e-12, map[string]float64{"tv": table.Mean(both)})
		// One example has no order, two training sets of one example differ; and the prior is the same.
		for _, tv := range studytest.Rows(t, tables.Get("pairs"), "seen=1 failed=0 differ_by="+by).Nums("tv") {
			check.True(t, (tv == 0) == (by == "order"), "%s: total variation %g after one example", by, tv)
		}
		// Networks that break down are counted, and agree that all classes are equally probable.
		broken := studytest.Rows(t, tables.Get("summary"), "method=fails seen=12 differ_by="+by)
		near(t, broken, 1e-12, map[string]float64{"failed": 1, "log_loss": math.Log(3), "tv": 0})
	}
	curved := studytest.Rows(t, tables.Get("pairs"), "set=curved")
	check.Equal(t, "sizes of a small set", curved.Distinct("seen"), []string{"1"})
	printed := studytest.New(t, Kind, repeated).(*experiment).Result(tables, nil).Tables
	check.Equal(t, "columns", strings.Join(printed[0][0], "; "), "wedges: total variation; order, seen = 1; "+
		"sample, seen = 1; order, seen = 12; sample, seen = 12")
	check.Equal(t, "columns", strings.Join(printed[1][0], "; "), "curved: total variation; order, seen = 1; sample, seen = 1")
	studytest.Refused(t, Kind, repeated, map[string]string{
		"evaluate.orders=1": "2 to 1000", "evaluate.snapshots=[1, 13]": "1 to 12",
		"evaluate.snapshots=[]":        "sizes of training sets",
		`set.curved.methods=["other"]`: "adf", "set.wedges.test=0": "1 or more", "sweep.seed=[1]": "seed",
		"evaluate.order=shuffled": "evaluate.order",
	})
}
