package learn

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/classifier"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/own"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// streamOf is a manifest about examples: the first 24 to train, the others to test.
func streamOf(t *testing.T, set data.Set) string {
	return fmt.Sprintf(`
name = "small_stream"; study = "learn"; seed = 2
[data]; file = %q; train_rows = "1-24"
[model]; members = 1; replications = [1]; rule = "adf"; bias = true; prior_var = 4
[evaluate]; snapshots = [1, 10]; passes = [1, 3]
[sweep]; seed = [1, 2]
[[method]]; name = "linear"
[[method]]; name = "hidden"; hidden_layers = [4]; hidden = "smooth"; covariance = "diagonal"
prior_draw = "independent"; prior_mean_var = 2
[[method]]; name = "fails"; rule = "joint"; lambda = 3
[[method]]; name = "filter"; kind = "kalman"; prior_var = 3
[[method]]; name = "batch"; kind = "laplace"
`, studytest.File(t, set))
}

// parts returns the first n examples and the others, with inputs of mean 0 and variance 1 in the first part.
func parts(set data.Set, n int) (train, test data.Set) {
	tr := dataset.NewExamples(data.Set{X: set.X[:n], Class: set.Class[:n]}, 3)
	te := dataset.NewExamples(data.Set{X: set.X[n:], Class: set.Class[n:]}, 3)
	scaler := check.Must(tr.Scaler(dataset.Standard))
	return scaler.Apply(tr).Set(0, tr.Len()), scaler.Apply(te).Set(0, te.Len())
}

// The tables are those of a network that is driven by hand.
func TestStreamByHand(t *testing.T) {
	set := studytest.Clusters(36)
	tables := studytest.Run(t, Kind, streamOf(t, set))
	train, test := parts(set, 24)
	for _, seed := range []int{1, 2} {
		cfg := bnn.Default(2, 3)
		cfg.PriorVar = []float64{4}
		src := study.Seeded{Manifest: "small_stream", Seed: seed}.Stream("prior")
		l := &learner.Network{Model: check.Must(bnn.NewEnsemble(cfg, 1, src))}
		predict := func(x []float64) []float64 { return check.Predict(t, l, 3, x...) }
		rows := func(name string) *table.Table {
			return tables.Get(name).Where("method", "linear").Where("seed", seed)
		}
		var p, before [][]float64
		var truth []int
		want := map[string]float64{}
		n := 0
		for pass := 1; pass <= 3; pass++ {
			for k, row := range rand.New(random.Source("small_stream", seed, "pass", pass)).Perm(24) {
				x, class := train.X[row], train.Class[row]
				if pass == 1 {
					before, truth = append(before, predict(x)), append(truth, class)
				}
				check.OK(t, l.Observe(x, class))
				if n++; n != 1 && n != 10 && n != 24 && n != 3*24 {
					continue
				}
				p = nil
				for _, x := range test.X {
					p = append(p, predict(x))
				}
				for i, score := range learner.Scores(p, test.Class) {
					want[learner.ScoreNames[i]] = score
				}
				point := maps.Clone(want)
				point["pass"], point["k"] = float64(pass), float64(k+1)
				ahead := learner.Scores(before, truth)
				if pass > 1 {
					ahead = table.Gaps(2)
				}
				point["prequential_error"], point["prequential_log_loss"] = ahead[0], ahead[1]
				near(t, rows("curve").Where("seen", n), 1e-12, point)
			}
		}
		want["train"], want["test"], want["failed"] = 24, 12, 0
		near(t, rows("runs"), 1e-12, want)
		got := rows("predictions")
		for i, class := range test.Class {
			check.NearAll(t, "predictions", numbers(got, i, "p_a p_b p_c"), p[i], 1e-12)
			check.Equal(t, "class", got.Texts("class")[i], string(rune('a'+class)))
		}
		check.Equal(t, "rows", []any{rows("curve").Len(), got.Len()}, []any{4, 12})
		check.Equal(t, "first row below the header and 24 others", got.Texts("row")[0], "26")
	}
}

// What learns all examples at once is scored once. A network that breaks down predicts equal probabilities
// from then on, and is counted.
func TestBatchAndBreakdown(t *testing.T) {
	src := streamOf(t, studytest.Clusters(36))
	tables := studytest.Run(t, Kind, src)
	batch := studytest.Rows(t, tables.Get("curve"), "method=batch seed=2")
	near(t, batch, 0, map[string]float64{"seen": 24, "prequential_log_loss": math.NaN()})
	fails := studytest.Rows(t, tables.Get("summary"), "method=fails seeds=2")
	near(t, fails, 1e-12, map[string]float64{"failed": 1, "log_loss": math.Log(3), "brier": 2. / 3})
	notes := studytest.New(t, Kind, src).(study.WithResult).Result(tables, nil).Notes
	check.True(t, len(notes) == 1 && strings.HasPrefix(notes[0], "fails "), "notes %q", notes)
	losses := studytest.Rows(t, tables.Get("curve"), "method=filter seen=10").Nums("prequential_log_loss")
	mean := studytest.Rows(t, tables.Get("curve_summary"), "method=filter seen=10 seeds=2")
	near(t, mean, 1e-12, map[string]float64{"prequential_log_loss": (losses[0] + losses[1]) / 2})
}

// In the order of the rows the seed matters where something else is random. There are default snapshots.
func TestRowOrder(t *testing.T) {
	src := streamOf(t, studytest.Clusters(36))
	once := []string{"evaluate.order=given", "evaluate.passes=1", "evaluate.snapshots=[]"}
	tables := studytest.Run(t, Kind, src, once...)
	for name, same := range map[string]bool{"linear": true, "filter": true, "hidden": false} {
		x := tables.Get("runs").Where("method", name).Nums("log_loss")
		check.Equal(t, fmt.Sprintf("%s: log losses %v are equal", name, x), x[0] == x[1], same)
	}
	curve := studytest.Rows(t, tables.Get("curve_summary"), "method=linear")
	check.Equal(t, "scored after", curve.Texts("k"), []string{"1", "3", "6", "12", "24"})
	check.Equal(t, "figures", len(studytest.New(t, Kind, src, once...).Figures()), 1)
}

func TestStreamRefused(t *testing.T) {
	studytest.Refused(t, Kind, streamOf(t, studytest.Clusters(36)), map[string]string{
		"evaluate.snapshots=[25]": "1 to 24", "data.file=none.csv": "none.csv",
		"method.linear.layers=[3, 3]":                            "[2, …, 3]",
		"method.hidden.own_orders=true; method.hidden.members=2": "own_orders",
	})
}

// kept returns the network that a manifest keeps, and the merged tables, nil if it keeps none.
func kept(t *testing.T, manifest string) (n *own.Network, tables table.Tables) {
	t.Helper()
	e := studytest.New(t, Kind, manifest)
	var cells []table.Tables
	for _, c := range e.Cells() {
		tables, files, err := c.Run(t.Context())
		check.OK(t, err)
		cells = append(cells, tables)
		for _, file := range files {
			n = check.Must(own.Read(check.Write(t, string(file.Data), t.TempDir(), file.Name)))
		}
	}
	return n, e.Tables(cells)
}

// The network that is kept is the first, of the first seed, with its scaling: it predicts as the tables.
func TestKeptNetwork(t *testing.T) {
	const keep = "[save]\nnetwork = true\n"
	manifest := streamOf(t, studytest.Clusters(36))
	manifest = strings.Replace(manifest, `train_rows = "1-24"`, "test_fraction = 0.3", 1)
	source := studytest.New(t, Kind, manifest).(*experiment).sets[0].Source
	_, test, err := source.Parts(random.Source("small_stream", 1, "data"))
	check.OK(t, err)
	for _, change := range [][2]string{
		{"", ""}, {"members = 1", "members = 3"}, {"test_fraction", `scale = "stream"; test_fraction`},
	} {
		n, tables := kept(t, strings.Replace(manifest, change[0], change[1], 1)+keep)
		rows := studytest.Rows(t, tables.Get("predictions"), "method=linear seed=1")
		check.Equal(t, "predictions and classes", []any{rows.Len(), n.Classes}, []any{test.Len(), source.Classes()})
		var p bnn.Prediction
		for i, x := range n.Scaler.Apply(test).Set(0, test.Len()).X {
			if n.Scaling != nil {
				check.OK(t, n.Scaling.Scale(x, x))
			}
			check.OK(t, n.Model().Predict(&p, x))
			for j, class := range n.Classes {
				what := fmt.Sprintf("with %q: example %d, class %s", change[1], i+1, class)
				check.Near(t, what, p.P[j]/p.Sum(), rows.Nums("p_" + class)[i], 1e-12) // sums are in another order
			}
		}
	}
	none, _ := kept(t, manifest)
	check.True(t, none == nil, "a network without [save]")
	fails := strings.Replace(manifest, `name = "linear"`, `name = "linear"; rule = "joint"; lambda = 3`, 1)
	fails += keep
	n, tables := kept(t, fails)
	notes := studytest.New(t, Kind, fails).(study.WithResult).Result(tables, nil).Notes
	if n != nil || !slices.Contains(notes, "no network.npz is kept: linear broke down") {
		t.Errorf("a network that broke down is kept, or not told of: %q", notes)
	}
	// On all rows, after the test, which is the same.
	n, tables = kept(t, manifest+keep)
	whole, after := kept(t, manifest+keep+"all_rows = true\n")
	check.Equal(t, "examples", []int{n.Familiar.Seen, whole.Familiar.Seen}, []int{36 - test.Len(), 36})
	check.Equal(t, "runs", string(after.Get("runs").CSV()), string(tables.Get("runs").CSV()))
	studytest.Refused(t, Kind, manifest, map[string]string{"save.all_rows=true": "allowed: with network"})
}

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
	rand.New(rand.NewPCG(1, 2)).Shuffle(330, func(i, k int) { // else no class comes twice in a row
		set.X[i], set.X[k], set.Class[i], set.Class[k] = set.X[k], set.X[i], set.Class[k], set.Class[i]
	})
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
	check.True(t, answered > 0 && answered < 150 && persistent < 0.8, "%d of 150 answered, %g", answered, persistent)
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
