package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/kalman"
	"closedform/baselines/neighbours"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// streamOf is a manifest about the file: the first 24 examples to train, the others
// to test.
func streamOf(file string) string {
	return fmt.Sprintf(`
name  = "small_stream"
study = "learn"
seed  = 2
[data]
file       = %q
train_rows = "1-24"
[model]
rule = "adf"
bias = true
prior = "scaled"
prior_var = 4
[evaluate]
snapshots = [1, 10]
passes    = 2
[sweep]
seed = [1, 2]
[[variant]]
name = "linear"
[[variant]]
name = "hidden"
hidden_layers  = [4]
hidden         = "smooth"
covariance     = "diagonal"
prior_mean_var = 2
[[variant]]
name = "fails"
rule = "joint"
lambda = 3
[[rival]]
name = "filter"
kind = "kalman"
prior_var = 3
[[rival]]
name = "near"
kind = "neighbours"
neighbours = 3
`, file)
}

// seen is what a pupil that is driven by hand says: of the test part at each time,
// and of each example of the first pass before it is learned.
type seen struct {
	at     map[int][][]float64 // by the number of examples seen
	before [][]float64
	truth  []int // classes of the examples of the first pass
}

// drive shows a pupil two passes of the examples in the order of the study.
func drive(seed int, train, test dataset.Set, predict func(x []float64) []float64, observe func(x []float64, class int)) seen {
	s := seen{at: map[int][][]float64{}}
	n := 0
	for pass := 1; pass <= 2; pass++ {
		for _, row := range rand.New(random.Source("small_stream", seed, "pass", pass)).Perm(len(train.X)) {
			if pass == 1 {
				s.before, s.truth = append(s.before, predict(train.X[row])), append(s.truth, train.Class[row])
			}
			observe(train.X[row], train.Class[row])
			if n++; n == 1 || n == 10 || n%24 == 0 {
				for _, x := range test.X {
					s.at[n] = append(s.at[n], predict(x))
				}
			}
		}
	}
	return s
}

// The curve, the predictions and the summary are those of networks and of a rival
// that are driven by hand.
func TestStreamByHand(t *testing.T) {
	all := clusters(36)
	o := run(t, parse(t, streamOf(csvFile(t, all))))
	train, test := scaled(t, all[:24], all[24:])
	for _, seed := range []int{1, 2} {
		src := func(purpose ...any) rand.Source {
			return random.Source(append([]any{"small_stream", seed}, purpose...)...)
		}
		network := func(cfg bnn.Config) seen {
			cfg.Bias, cfg.Output, cfg.Prior, cfg.PriorVar = true, bnn.ADF, bnn.ScaledPrior, 4
			cfg.Softmax = softmax.Probit{Lambda: softmax.SlopeLambda(3, 0.5), Rho: 0.5}
			n, err := bnn.New(cfg, src("prior"))
			if err != nil {
				t.Fatal(err)
			}
			var p bnn.Prediction
			return drive(seed, train, test, func(x []float64) []float64 {
				if err := n.Predict(&p, x); err != nil {
					t.Fatal(err)
				}
				q := slices.Clone(p.P)
				floats.Scale(1/floats.Sum(q), q)
				return q
			}, func(x []float64, class int) {
				if _, err := n.Observe(x, class); err != nil {
					t.Fatal(err)
				}
			})
		}
		filter, err := kalman.New(kalman.Config{Layers: []int{2, 3}, Covariance: kalman.Full, PriorVar: 3}, src("rival", "filter"))
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]seen{
			"linear": network(bnn.Config{Layers: []int{2, 3}, Covariance: []bnn.Covariance{bnn.Full}}),
			"hidden": network(bnn.Config{Layers: []int{2, 4, 3}, Covariance: []bnn.Covariance{bnn.Diagonal}, Hidden: bnn.Smooth, PriorMeanVar: 2}),
			"filter": drive(seed, train, test, func(x []float64) []float64 {
				p := make([]float64, 3)
				if err := filter.Predict(p, x); err != nil {
					t.Fatal(err)
				}
				return p
			}, func(x []float64, class int) {
				if err := filter.Observe(x, class); err != nil {
					t.Fatal(err)
				}
			}),
		} {
			of := record{"variant": name, "seed": strconv.Itoa(seed)}
			curve := records(t, o.report.Tables, "curve", of)
			if len(curve) != 4 {
				t.Fatalf("%s: %d rows of the curve", name, len(curve))
			}
			for i, n := range []int{1, 10, 24, 48} {
				r, what := curve[i], fmt.Sprintf("%s, seed %d, after %d: ", name, seed, n)
				if r["seen"] != strconv.Itoa(n) || r["pass"] != strconv.Itoa(1+(n-1)/24) || r["k"] != strconv.Itoa(1+(n-1)%24) {
					t.Errorf("%s%v", what, r)
				}
				near(t, what+"error", r.number(t, "error"), metric.Error(s.at[n], test.Class), 1e-12)
				near(t, what+"log loss", r.number(t, "log_loss"), metric.LogLoss(s.at[n], test.Class), 1e-12)
				near(t, what+"Brier", r.number(t, "brier"), metric.Brier(s.at[n], test.Class), 1e-12)
				near(t, what+"ECE", r.number(t, "ece"), metric.ECE(s.at[n], test.Class, 15), 1e-12)
				if n > 24 {
					if r["prequential_error"] != "" || r["prequential_log_loss"] != "" {
						t.Errorf("%s%v", what, r)
					}
					continue
				}
				near(t, what+"prequential error", r.number(t, "prequential_error"), metric.Error(s.before[:n], s.truth[:n]), 1e-12)
				near(t, what+"prequential log loss", r.number(t, "prequential_log_loss"), metric.LogLoss(s.before[:n], s.truth[:n]), 1e-12)
			}
			summary := records(t, o.report.Tables, "summary", of)
			if len(summary) != 1 {
				t.Fatalf("%s: %d rows of the summary", name, len(summary))
			}
			near(t, name+": log loss", summary[0].number(t, "log_loss"), metric.LogLoss(s.at[48], test.Class), 1e-12)
			near(t, name+": prequential log loss", summary[0].number(t, "prequential_log_loss"), metric.LogLoss(s.before, s.truth), 1e-12)
			for i, r := range records(t, o.report.Tables, "predictions", of) {
				if r["example"] != strconv.Itoa(i+1) || r["class"] != string(rune('a'+test.Class[i])) {
					t.Errorf("%s: prediction %d is %v", name, i, r)
				}
				for j, p := range probabilities(t, r, "p_a", "p_b", "p_c") {
					near(t, name+": p", p, s.at[48][i][j], 1e-12)
				}
			}
		}
	}
}

// What learns all examples at once is scored once, and nothing is said of examples
// that it has not seen.
func TestStreamOfBatchRival(t *testing.T) {
	all := clusters(36)
	o := run(t, parse(t, streamOf(csvFile(t, all)), "sweep.seed=[2]"))
	train, test := scaled(t, all[:24], all[24:])
	model, err := neighbours.Fit(neighbours.Config{Classes: 3, Neighbours: 3}, train.X, train.Class, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := make([][]float64, len(test.X))
	for i, x := range test.X {
		p[i] = make([]float64, 3)
		if err := model.Predict(p[i], x); err != nil {
			t.Fatal(err)
		}
	}
	curve := records(t, o.report.Tables, "curve", record{"variant": "near"})
	if len(curve) != 1 || curve[0]["seen"] != "24" || curve[0]["prequential_log_loss"] != "" {
		t.Fatalf("%v", curve)
	}
	summary := records(t, o.report.Tables, "summary", record{"variant": "near"})[0]
	near(t, "log loss", summary.number(t, "log_loss"), metric.LogLoss(p, test.Class), 1e-12)
	if summary["passes"] != "1" || summary["prequential_error"] != "" || summary["train"] != "24" || summary["test"] != "12" {
		t.Errorf("%v", summary)
	}
}

// A network that breaks down says from then on that all classes are equally probable,
// and is counted.
func TestStreamFailure(t *testing.T) {
	o := run(t, parse(t, streamOf(csvFile(t, clusters(36)))))
	for _, r := range records(t, o.report.Tables, "summary", record{"variant": "fails"}) {
		near(t, "log loss", r.number(t, "log_loss"), math.Log(3), 1e-12)
		near(t, "Brier", r.number(t, "brier"), 2./3, 1e-12)
		if r["failed"] != "1" {
			t.Errorf("%v", r)
		}
	}
	means := records(t, o.report.Tables, "variants", record{"variant": "fails"})
	if len(means) != 1 || means[0]["failed"] != "1" || means[0]["seeds"] != "2" {
		t.Errorf("%v", means)
	}
	for _, r := range records(t, o.report.Tables, "predictions", record{"variant": "fails"}) {
		for _, p := range probabilities(t, r, "p_a", "p_b", "p_c") {
			near(t, "p", p, 1./3, 1e-15)
		}
	}
	for _, r := range records(t, o.report.Tables, "summary", record{"variant": "linear"}) {
		if r["failed"] != "0" {
			t.Errorf("%v", r)
		}
	}
}

func TestStreamTables(t *testing.T) {
	o := run(t, parse(t, streamOf(csvFile(t, clusters(36)))))
	checkPure(t, o)
	checkOrder(t, o)
	summary := records(t, o.report.Tables, "summary", nil)
	if len(summary) != 10 {
		t.Errorf("%d rows of 5 × 2", len(summary))
	}
	at := map[string]bool{}
	for _, r := range summary {
		at[r["variant"]+r["seed"]] = true
		for _, column := range []string{"error", "log_loss", "brier", "ece"} {
			r.number(t, column)
		}
	}
	if len(at) != len(summary) {
		t.Errorf("%d pairs of variant and seed", len(at))
	}
	if len(o.report.Figures) != 1 || o.report.Figures[0].Name != "curve" {
		t.Errorf("figures %v", o.report.Figures)
	}
	// The file order is that of the rows; without predictions there is no table of them.
	o = run(t, parse(t, streamOf(csvFile(t, clusters(36))), "evaluate.order=file", "evaluate.predictions=false", "evaluate.passes=1", "evaluate.snapshots=[]"))
	if slices.ContainsFunc(o.report.Tables, func(table store.Table) bool { return table.Name == "predictions" }) || len(o.report.Figures) != 0 {
		t.Errorf("%d tables, %d figures", len(o.report.Tables), len(o.report.Figures))
	}
	for _, name := range []string{"linear", "filter"} {
		r := records(t, o.report.Tables, "summary", record{"variant": name})
		if r[0]["log_loss"] != r[1]["log_loss"] {
			t.Errorf("%s: the seed matters where nothing is random: %v", name, r)
		}
	}
}

// A sweep of λ is a sweep here, too, and any generator is data.
func TestStreamOfGenerator(t *testing.T) {
	o := run(t, parse(t, `
name = "g"
study = "learn"
seed = 1
[data]
generator = "rings"
train = 12
test = 20
[model]
hidden_layers = [3]
[sweep]
lambda = [0.1, "slope"]
`))
	if len(o.cells) != 2 || o.cells[0].Key != "model lambda=0.1 seed=1" {
		t.Errorf("%d cells", len(o.cells))
	}
	r := records(t, o.report.Tables, "summary", nil)
	if len(r) != 2 || r[0]["log_loss"] == r[1]["log_loss"] || r[0]["inputs"] != "2" || r[0]["classes"] != "3" || r[0]["test"] != "20" {
		t.Errorf("%v", r)
	}
}
