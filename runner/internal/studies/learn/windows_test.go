package learn

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/classifier"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study/studytest"
)

func testThenTrain(file string) string {
	return fmt.Sprintf(`
name = "next"; study = "learn"; seed = 3
[data]; file = %q; stream = true; scale = "stream"; train_rows = "1-300"
[model]; hidden_layers = [3]
[evaluate]; order = ["given"]; windows = 3; validation = 0.1; promise = 0.05
[[method]]; name = "default"
[[method]]; name = "still"; followers = false
[[method]]; name = "last"; kind = "last"
[[method]]; name = "rates"; kind = "sgd"; tune = ["learning_rate"]; candidates = [[1e-9], [0.1], [1e-8]]
[[published]]; set = "data"; method = "a forest"; error = 0.125; source = "a paper"
`, file)
}

// A classifier that scales along the stream makes the same predictions, one after another.
func TestNextExamples(t *testing.T) {
	set := studytest.Clusters(330)
	for _, x := range set.X {
		x[0] = 1e4 + 1e3*x[0]
	}
	src := testThenTrain(studytest.File(t, set))
	tables := studytest.Run(t, Kind, src)
	runs := tables.Get("runs")

	e := studytest.New(t, Kind, src).(*experiment)
	s := e.Cells()[0].Spec.(spec)
	c := check.Must(classifier.New(classifier.Options{Inputs: 2, Classes: 3, Hidden: []int{3}, Scale: true}, s.random()))
	var p [][]float64
	var next classifier.Prediction
	same, threshold, answered, wrong := 0, math.NaN(), 0, 0
	for i, x := range set.X[:300] {
		if i == 150 {
			threshold = check.Must(c.Threshold(0.05, 0.95))
		}
		check.OK(t, c.Predict(&next, x))
		if i >= 150 && next.Confidence >= threshold {
			if answered++; next.Details.Class() != set.Class[i] {
				wrong++
			}
		}
		if i >= 30 {
			p = append(p, append([]float64(nil), next.P...))
			if set.Class[i] == set.Class[i-1] {
				same++
			}
		}
		check.OK(t, c.Learn(x, set.Class[i]))
	}
	want, persistent := learner.Scores(p, set.Class[30:300]), 1-float64(same)/270
	row := studytest.Rows(t, runs, "method=default")
	check.NearAll(t, "scores", numbers(row, 0, strings.Join(learner.ScoreNames, " ")), want, 1e-12)
	near(t, row, 1e-12, map[string]float64{
		"kappa": 1 - want[0]/persistent, "answered": float64(answered) / 150,
		"answered_error": float64(wrong) / float64(answered),
	})
	check.True(t, answered > 0 && answered < 150, "%d of 150 answered", answered)
	last := map[string]float64{"error": persistent, "kappa": 0}
	near(t, studytest.Rows(t, runs, "method=last"), 1e-12, last)
	check.Equal(t, "chosen", studytest.Rows(t, runs, "method=rates").Texts("chosen"), []string{"learning_rate=0.1"})
	bytes := runs.Nums("bytes")
	check.True(t, bytes[0] > bytes[1] && bytes[1] > bytes[3] && bytes[3] > 8*(3*3+4*3), "memory %v", bytes)

	curve := studytest.Rows(t, tables.Get("curve_summary"), "method=default")
	check.Equal(t, "windows", curve.Texts("seen"), []string{"120", "210", "300"})
	for k, score := range []string{"error", "log_loss"} {
		check.Near(t, "mean over the windows", floats.Sum(curve.Nums(score))/3, want[k], 1e-12)
	}
	late := studytest.Run(t, Kind, src, "evaluate.validation=0.9").Get("runs") // scored in the last tenth
	check.True(t, late.Nums("answered")[0] > 0.3, "%s", late.CSV())
	for _, c := range tables.Get("summary").Columns {
		if c.Name == "log_loss" {
			copy(c.Nums, []float64{10.25, 0.5})
		}
	}
	r := e.Result(tables, nil)
	check.Contains(t, fmt.Sprint(r), " 10.250 ", " .500 ", "published, data, a forest: 12.50 %, a paper")
	check.Equal(t, "figures", len(e.Figures()), 1)
	small := studytest.New(t, Kind, src, "evaluate.promise=0.01").(*experiment)
	check.Equal(t, "a promise below the default", small.Evaluate.Promise, 0.01)
}

// The cell of a set that a method does not learn is empty.
func TestStreamsOfSomeMethods(t *testing.T) {
	const src = `
name = "some"; study = "learn"; seed = 1
[[set]]; name = "still"; generator = "gaussians"; train = 40; stream = true; methods = ["model"]
[[set]]; name = "moving"; generator = "moving-gaussians"; train = 40; stream = true
[[method]]; name = "last"; kind = "last"
[[method]]; name = "model"
[[method]]; name = "other"
`
	tables := studytest.Run(t, Kind, src, `set.moving.methods=["last", "model"]`)
	seconds := map[string]float64{"set=moving method=last": 2}
	rows := studytest.New(t, Kind, src).(*experiment).Result(tables, seconds).Tables[0]
	check.Equal(t, "times", rows[1][8:10], []string{"2.0", "50.000"})
	check.Equal(t, "rows and columns", []int{len(rows), len(rows[1]), len(rows[2])}, []int{3, 11, 11})
	check.Equal(t, "empty", []bool{rows[1][1] == "", rows[1][2] == "", rows[2][1] == ""}, []bool{true, false, false})
}

// The promise of a baseline is by the last half of its predictions: the first half, all wrong, would allow none.
func TestPromiseOfBaseline(t *testing.T) {
	m := learner.Method{Kind: "majority"}
	check.OK(t, m.Extend(map[string]any{"kind": "majority"}))
	c := check.Must(m.Learner(1, 2, random.Source("promise")))
	var n next
	for i := range 400 {
		class := 0
		if i < 200 {
			class = 1
		}
		n.p, n.class, n.confidence = append(n.p, []float64{0.9, 0.1}), append(n.class, class), append(n.confidence, 0.9)
	}
	threshold := n.promise(c, 0.05)
	check.True(t, threshold > 0.85 && threshold <= 0.9, "threshold %g", threshold)
	n.p, n.class, n.confidence = n.p[:300], n.class[:300], n.confidence[:300]
	check.Equal(t, "no promise where a third is wrong", n.promise(c, 0.05), math.Inf(1))
}

func TestStreamsRefused(t *testing.T) {
	src := testThenTrain(studytest.File(t, studytest.Clusters(330)))
	studytest.Refused(t, Kind, src, map[string]string{
		"data.stream=false":                 "windows",
		"data.test_fraction=0.2":            "none with stream = true",
		"data.test_file=other.csv":          "test_file",
		"evaluate.passes=[2]":               "one order and pass",
		"evaluate.order=['given','sorted']": "one order and pass",
		"evaluate.snapshots=[10]":           "snapshots: [10] is not",
		"evaluate.validation=0.999":         "validation: 0.999 is not",
		"evaluate.windows=271":              "at most 270",
		"save.network=true":                 "save",
		"published.1.set=none":              `"data"`,
		"method.last.passes=2":              "passes",
		"evaluate.order=shuffled; method.last.own_orders=true; method.last.members=2": "own_orders",
		"data={generator='wedges', train=9, grid=9, stream=true}":                     "grid: 9 is not",
	})
	studytest.Refused(t, Kind, src+"[[method]]\nname = \"batch\"\nkind = \"laplace\"\n", map[string]string{
		"seed=3": "learns one example after another",
	})
}

// Equal learners have equal sizes, and shared memory counts once.
func TestBytes(t *testing.T) {
	size := func(classes int) float64 {
		m := learner.Method{Kind: "majority"}
		check.OK(t, m.Extend(map[string]any{"kind": "majority"}))
		return check.Must(m.Learner(1, classes, random.Source("size"))).Bytes()
	}
	check.Equal(t, "three more classes", size(5)-size(2), 24.0)
}
