package learn

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"closedform/baselines/learners/kalman"
	"closedform/core/bnn"
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
[evaluate]; snapshots = [1, 10]; passes = [1, 2]
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

// byHandOf returns the learner of a name.
func byHandOf(t *testing.T, name string, seed int) (l learner.Learner) {
	t.Helper()
	src := study.Seeded{Manifest: "small_stream", Seed: seed}.Stream
	cfg := bnn.Default(2, 3)
	cfg.PriorVar = []float64{4}
	if name == "filter" {
		filter := kalman.Config{Covariance: kalman.Full, PriorVar: 3}
		return check.Must(kalman.New(filter, []int{2, 3}, src("rival", "filter")))
	}
	return &learner.Network{Model: check.Must(bnn.NewEnsemble(cfg, 1, src("prior")))}
}

// The tables are those of networks and of another method that are driven by hand.
func TestStreamByHand(t *testing.T) {
	set := studytest.Clusters(36)
	tables := studytest.Run(t, Kind, streamOf(t, set))
	train, test := parts(set, 24)
	for _, seed := range []int{1, 2} {
		for _, name := range []string{"linear", "filter"} {
			l := byHandOf(t, name, seed)
			predict := func(x []float64) []float64 { return check.Predict(t, l, 3, x...) }
			rows := func(name string, method string) *table.Table {
				return tables.Get(name).Where("method", method).Where("seed", seed)
			}
			var p, before [][]float64
			var truth []int
			want := map[string]float64{}
			n := 0
			for pass := 1; pass <= 2; pass++ {
				for k, row := range rand.New(random.Source("small_stream", seed, "pass", pass)).Perm(24) {
					x, class := train.X[row], train.Class[row]
					if pass == 1 {
						before, truth = append(before, predict(x)), append(truth, class)
					}
					check.OK(t, l.Observe(x, class))
					if n++; n != 1 && n != 10 && n%24 != 0 {
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
					if pass == 2 {
						ahead = table.Gaps(2)
					}
					point["prequential_error"], point["prequential_log_loss"] = ahead[0], ahead[1]
					near(t, rows("curve", name).Where("seen", n), 1e-12, point)
				}
			}
			want["train"], want["test"], want["failed"] = 24, 12, 0
			near(t, rows("runs", name), 1e-12, want)
			got := rows("predictions", name)
			for i, class := range test.Class {
				check.NearAll(t, name, numbers(got, i, "p_a p_b p_c"), p[i], 1e-12)
				check.Equal(t, name+": class", got.Texts("class")[i], string(rune('a'+class)))
			}
			check.Equal(t, "rows", []any{rows("curve", name).Len(), got.Len()}, []any{4, 12})
			check.Equal(t, "first row below the header and 24 others", got.Texts("row")[0], "26")
		}
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
	// Of a generator, too, and of the model alone.
	const moons = `name = "g"; study = "learn"; seed = 1; data = {generator = "moons", train = 30, test = 9}; `
	n, _ = kept(t, moons+keep)
	check.True(t, n != nil && n.Scaler[1].Column == "x2", "%+v", n)
	// On all rows, after the test, which is the same.
	n, tables = kept(t, manifest+keep)
	whole, after := kept(t, manifest+keep+"all_rows = true\n")
	check.Equal(t, "examples", []int{n.Familiar.Seen, whole.Familiar.Seen}, []int{36 - test.Len(), 36})
	check.Equal(t, "runs", string(after.Get("runs").CSV()), string(tables.Get("runs").CSV()))
	studytest.Refused(t, Kind, manifest, map[string]string{"save.all_rows=true": "allowed: with network"})
}
