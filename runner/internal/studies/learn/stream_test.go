package learn

import (
	"fmt"
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
[evaluate]; snapshots = [1, 10]; passes = 2
[sweep]; seed = [1, 2]
[[method]]; name = "linear"
[[method]]; name = "hidden"; hidden_layers = [4]; hidden = "smooth"; covariance = "diagonal"; prior_draw = "independent"; prior_mean_var = 2
[[method]]; name = "fails"; rule = "joint"; lambda = 3
[[method]]; name = "filter"; kind = "kalman"; prior_var = 3
[[method]]; name = "near"; kind = "neighbours"; neighbours = 3
`, studytest.File(t, set))
}

// parts returns the examples as a study sees those of both parts: each input with the
// mean 0 and the variance 1 in the training part.
func parts(t *testing.T, all data.Set) (train, test data.Set) {
	t.Helper()
	tr := dataset.NewExamples(data.Set{X: all.X[:24], Class: all.Class[:24]}, 3)
	te := dataset.NewExamples(data.Set{X: all.X[24:], Class: all.Class[24:]}, 3)
	scaler := check.Must(tr.Scaler(dataset.Standard))
	return scaler.Apply(tr).Set(0, tr.Len()), scaler.Apply(te).Set(0, te.Len())
}

// byHandOf returns the learner of a name.
func byHandOf(t *testing.T, name string, seed int) (l learner.Learner) {
	t.Helper()
	src := func(purpose ...any) rand.Source {
		return random.Source(append([]any{"small_stream", seed}, purpose...)...)
	}
	cfg := bnn.Default(2, 3)
	cfg.PriorVar = []float64{4}
	switch name {
	case "filter":
		return check.Must(kalman.New(kalman.Config{Layers: []int{2, 3}, Covariance: kalman.Full, PriorVar: 3}, src("rival", "filter")))
	case "hidden":
		cfg = bnn.Default(2, 4, 3)
		cfg.SetCovariance(bnn.Diagonal)
		cfg.Hidden, cfg.PriorVar, cfg.Replications, cfg.PriorDraw = bnn.Smooth, []float64{4, 4}, []float64{1, 1}, bnn.Independent
	}
	return &learner.Network{Model: check.Must(bnn.NewEnsemble(cfg, 1, src("prior")))}
}

// The tables are those of networks and of another method that are driven by hand.
func TestStreamByHand(t *testing.T) {
	all := studytest.Clusters(36)
	tables := studytest.Run(t, Kind, streamOf(t, all))
	train, test := parts(t, all)
	for _, seed := range []int{1, 2} {
		for _, name := range []string{"linear", "hidden", "filter"} {
			l := byHandOf(t, name, seed)
			predict := func(x []float64) []float64 { return check.Predict(t, l, 3, x...) }
			of := func(name string, method string) *table.Table {
				return tables.Get(name).Where("method", method).Where("seed", seed)
			}
			var p, before [][]float64
			var truth []int
			want := map[string]float64{}
			n := 0
			for pass := 1; pass <= 2; pass++ {
				for k, row := range rand.New(study.Stream("small_stream", seed, "pass", pass)).Perm(24) {
					x, class := train.X[row], train.Class[row]
					if pass == 1 {
						before, truth = append(before, predict(x)), append(truth, class)
						scores := learner.Scores(before, truth)
						want["prequential_error"], want["prequential_log_loss"] = scores[0], scores[1]
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
					point := map[string]float64{"pass": float64(pass), "k": float64(k + 1)}
					for column, x := range want {
						if point[column] = x; pass == 2 && strings.HasPrefix(column, "prequential") {
							point[column] = math.NaN()
						}
					}
					near(t, of("curve", name).Where("seen", n), 1e-12, point)
				}
			}
			for column, x := range map[string]float64{"train": 24, "test": 12, "inputs": 2, "classes": 3, "passes": 2, "failed": 0} {
				want[column] = x
			}
			near(t, of("runs", name), 1e-12, want)
			got := of("predictions", name)
			for i, class := range test.Class {
				check.NearAll(t, name, []float64{got.Nums("p_a")[i], got.Nums("p_b")[i], got.Nums("p_c")[i]}, p[i], 1e-12)
				check.Equal(t, name+": class and example", []any{got.Texts("class")[i], got.Nums("example")[i]}, []any{string(rune('a' + class)), float64(i + 1)})
			}
			check.Equal(t, "rows", []any{of("curve", name).Len(), got.Len()}, []any{4, 12})
		}
	}
}

// What learns all examples at once is scored once, and nothing is said of examples that it has not seen.
func TestBatchMethod(t *testing.T) {
	all := studytest.Clusters(36)
	tables := studytest.Run(t, Kind, streamOf(t, all), "sweep.seed=[2]")
	near(t, tables.Get("curve").Where("method", "near"), 0, map[string]float64{"seen": 24, "prequential_log_loss": math.NaN()})
	near(t, tables.Get("runs").Where("method", "near"), 0, map[string]float64{"passes": 1, "prequential_error": math.NaN()})
}

// A network that breaks down says from then on that all classes are equally probable, and is counted.
func TestBreakdown(t *testing.T) {
	src := streamOf(t, studytest.Clusters(36))
	tables := studytest.Run(t, Kind, src)
	near(t, tables.Get("summary").Where("method", "fails"), 1e-12, map[string]float64{"failed": 1, "seeds": 2, "log_loss": math.Log(3), "brier": 2. / 3})
	for _, p := range tables.Get("predictions").Where("method", "fails").Nums("p_b") {
		check.Near(t, "p", p, 1./3, 1e-15)
	}
	if notes := studytest.New(t, Kind, src).(study.Noted).Notes(tables); len(notes) != 1 || !strings.HasPrefix(notes[0], "fails ") {
		t.Errorf("notes %q", notes)
	}
	mean := tables.Get("curve_summary").Where("method", "filter").Where("seen", 10)
	losses := tables.Get("curve").Where("method", "filter").Where("seen", 10).Nums("prequential_log_loss")
	near(t, mean, 1e-12, map[string]float64{"seeds": 2, "prequential_log_loss": (losses[0] + losses[1]) / 2})
}

// Without shuffling the order is that of the rows: the seed matters where all else is
// not random. Without snapshots there are some, and a figure.
func TestRowOrder(t *testing.T) {
	src := streamOf(t, studytest.Clusters(36))
	once := []string{"evaluate.shuffle=false", "evaluate.passes=1", "evaluate.snapshots=[]"}
	tables := studytest.Run(t, Kind, src, once...)
	for name, same := range map[string]bool{"linear": true, "filter": true, "hidden": false} {
		x := tables.Get("runs").Where("method", name).Nums("log_loss")
		check.Equal(t, fmt.Sprintf("%s: log losses %v are equal", name, x), x[0] == x[1], same)
	}
	check.Equal(t, "scored after", tables.Get("curve_summary").Where("method", "linear").Texts("k"), []string{"2", "5", "10", "24"})
	check.Equal(t, "figures", len(studytest.New(t, Kind, src, once...).Figures()), 1)
}

// Any generator is data, without methods the model learns, and cells can be counted before there are data.
func TestGenerator(t *testing.T) {
	const src = `
name = "g"; study = "learn"; seed = 1
[data]; generator = "rings"; train = 12; test = 20
[model]; bias = false; rule = "joint"; hidden = "frozen"; prior_var = 1; prior_draw = "independent"; hidden_layers = [3]
`
	near(t, studytest.Run(t, Kind, src).Get("runs").Where("method", "model"), 0, map[string]float64{"inputs": 2, "classes": 3, "test": 20})
	studytest.Differ(t, Kind, src, "seed=2", "data.train=13", "data.noise=0.1", "model.hidden_layers=[4]", "evaluate.passes=2", "evaluate.snapshots=[3]", "evaluate.shuffle=false")
}

func TestStreamRefused(t *testing.T) {
	src := streamOf(t, studytest.Clusters(36))
	studytest.Refused(t, Kind, src, map[string]string{
		"evaluate.snapshots=[25]": "1 to 24", "evaluate.passes=0": "1 to", "method.filter.name=linear": "method.linear.name", "data.file=none.csv": "none.csv",
		"method.near.window=3": "method.near.window", "method.filter.passes=2": "method.filter.passes", "method.hidden.layers=[2, 3]": "hidden_layers", "method.linear.layers=[3, 3]": "2 inputs",
		"method.filter.prior_var=-1": "prior_var", "evaluate.grids=1": "grids", "variant.linear.lambda=1": "[[method]] describes what is compared",
	})
}

// The values with the least log loss on the part for validation are taken, for networks
// and other methods, and are those that learn.
func TestTune(t *testing.T) {
	const tuned = `
[[method]]; name = "large"; %s
[[method]]; name = "few"; kind = "neighbours"; tune = ["neighbours"]; candidates = [[1], [7]]
`
	src := streamOf(t, studytest.Clusters(36))
	chooses := src + fmt.Sprintf(tuned, "tune = [\"lambda\", \"prior_var\"]\ncandidates = [[0.5, 1e-9], [0.5, 2]]")
	tables := studytest.Run(t, Kind, chooses)
	chosen := tables.Get("chosen")
	check.Equal(t, "chosen for", strings.Join(chosen.Texts("method"), " "), "large large few few")
	if got := chosen.Texts("chosen")[:2]; !slices.Equal(got, []string{"lambda=0.5 prior_var=2", "lambda=0.5 prior_var=2"}) || !(chosen.Nums("validation_log_loss")[0] < math.Log(3)) {
		t.Errorf("chosen %q", got)
	}
	// What was chosen learns the whole training part: as a method that has it.
	fixed := studytest.Run(t, Kind, src+fmt.Sprintf(tuned, "lambda = 0.5\nprior_var = 2"))
	a, b := tables.Get("runs").Where("method", "large"), fixed.Get("runs").Where("method", "large")
	check.Equal(t, "the chosen network", []any{string(a.CSV()), a.Len()}, []any{string(b.CSV()), 2})
	studytest.Refused(t, Kind, chooses, map[string]string{
		"evaluate.validation=1": "evaluate.validation", `method.large.tune=["passes", "prior_var"]`: "passes", "method.large.candidates=[[1]]": "method.large.candidates",
		"method.large.candidates=[[1, -1]]": "prior_var", "method.large.candidates=[[-1, 1]]": "lambda", `method.few.tune=["window"]`: "window: not a key",
	})
	text, err := studytest.New(t, Kind, src).(*stream).Manifest.Resolved(studytest.New(t, Kind, src))
	if err != nil || strings.Contains(string(text), "tune") || strings.Contains(string(text), "validation") {
		t.Errorf("a manifest that chooses nothing: %v\n%s", err, text)
	}
}
