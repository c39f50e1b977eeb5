package study

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
)

const smallHidden = `
name  = "small_hidden"
study = "hidden"
seed  = 2

[hidden]
test      = 40
snapshots = [5, 60]
passes    = [1, 3]
grid      = 7
maps      = ["random", "smooth"]

[model]
bias           = true
rule           = "adf"
hidden         = "smooth"
prior          = "scaled"
prior_var      = 3.0
prior_mean_var = 10.0

[sweep]
seed = [1, 2, 3]

[[task]]
name      = "xor"
generator = "xor"
train     = 60

[[task]]
name      = "three-arms"
generator = "spirals"
noise     = 0.2
train     = 70

[[variant]]
name          = "linear"
hidden_layers = []

[[variant]]
name            = "random"
hidden_layers   = [6]
hidden          = "frozen"
random_features = true

[[variant]]
name          = "smooth"
hidden_layers = [6]

[[variant]]
name          = "joint"
hidden_layers = [6]
rule          = "joint"
lambda        = 3
`

// The rows of a network are those of one that is trained by hand.
func TestHiddenCurve(t *testing.T) {
	o := run(t, parse(t, smallHidden))
	if len(o.cells) != 4*2*3 {
		t.Fatalf("%d cells", len(o.cells))
	}
	network, err := bnn.New(bnn.Config{
		Layers: []int{2, 6, 3}, Bias: true, Output: bnn.ADF, Hidden: bnn.Smooth,
		Prior: bnn.ScaledPrior, PriorVar: 3, PriorMeanVar: 10,
	}, random.Source("small_hidden", 3, "prior"))
	if err != nil {
		t.Fatal(err)
	}
	task := dataset.Task{Name: "spirals", Noise: 0.2}
	train := task.Generate(70, random.Source("small_hidden", 3, "train", "three-arms"))
	test := task.Generate(40, random.Source("small_hidden", 3, "test", "three-arms"))
	seen := 0
	check := func(pass, k string) {
		t.Helper()
		rows := records(t, o.report.Tables, "curve", record{"variant": "smooth", "task": "three-arms", "seed": "3", "pass": pass, "k": k})
		if len(rows) != 1 || rows[0]["seen"] != strconv.Itoa(seen) || rows[0]["failed"] != "0" {
			t.Fatalf("pass %s, example %s: %v", pass, k, rows)
		}
		var p bnn.Prediction
		var labels [][]float64
		for _, x := range test.X {
			if err := network.Predict(&p, x); err != nil {
				t.Fatal(err)
			}
			labels = append(labels, slices.Clone(p.P))
		}
		near(t, "accuracy", rows[0].number(t, "accuracy"), metric.Accuracy(labels, test.Class), 1e-12)
		near(t, "log loss", rows[0].number(t, "log_loss"), metric.LogLoss(labels, test.Class), 1e-9)
		near(t, "ECE", rows[0].number(t, "ece"), metric.ECE(labels, test.Class, 15), 1e-9)
	}
	order := make([]int, 70)
	for i := range order {
		order[i] = i
	}
	for pass := 1; pass <= 3; pass++ {
		if pass > 1 {
			order = rand.New(random.Source("small_hidden", 3, "pass", pass)).Perm(70)
		}
		for k, i := range order {
			if _, err := network.Observe(train.X[i], train.Class[i]); err != nil {
				t.Fatal(err)
			}
			if seen++; pass == 1 && (k+1 == 5 || k+1 == 60) {
				check("1", strconv.Itoa(k+1))
			}
		}
		if pass != 2 {
			check(strconv.Itoa(pass), "70")
		}
	}
	// A snapshot at the end of the first pass is not scored twice.
	if n := len(records(t, o.report.Tables, "curve", record{"variant": "smooth", "task": "xor", "seed": "1"})); n != 3 {
		t.Errorf("%d rows, want those after 5, 60 and 180 examples", n)
	}
}

func TestHiddenSummary(t *testing.T) {
	o := run(t, parse(t, smallHidden))
	rows := records(t, o.report.Tables, "summary", nil)
	if len(rows) != 4*(3+4) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		var accuracy, loss, failed []float64
		for _, c := range records(t, o.report.Tables, "curve", record{"variant": r["variant"], "task": r["task"], "seen": r["seen"]}) {
			accuracy = append(accuracy, c.number(t, "accuracy"))
			failed = append(failed, c.number(t, "failed"))
			if x := c.number(t, "log_loss"); !math.IsInf(x, 0) {
				loss = append(loss, x)
			}
		}
		mean, sd := stat.MeanStdDev(accuracy, nil)
		near(t, "accuracy", r.number(t, "accuracy"), mean, 1e-12)
		half := 4.302652729696142 * sd / math.Sqrt(3) // Student's t, 2 degrees of freedom
		near(t, "low", r.number(t, "accuracy_low"), mean-half, 1e-9)
		near(t, "high", r.number(t, "accuracy_high"), mean+half, 1e-9)
		near(t, "failed", r.number(t, "failed"), stat.Mean(failed, nil), 1e-12)
		near(t, "infinite", r.number(t, "log_loss_infinite"), 1-float64(len(loss))/3, 1e-12)
		if len(loss) > 0 {
			near(t, "log loss", r.number(t, "log_loss"), stat.Mean(loss, nil), 1e-12)
		}
		want := map[string]dataset.Task{"xor": {Name: "xor"}, "three-arms": {Name: "spirals", Noise: 0.2}}[r["task"]]
		near(t, "Bayes error", r.number(t, "bayes_error"), want.BayesError(), 0)
	}
}

// A network that breaks down is scored as one that knows nothing, and counted.
func TestHiddenFailure(t *testing.T) {
	o := run(t, parse(t, smallHidden))
	failures := 0
	for _, r := range records(t, o.report.Tables, "curve", record{"variant": "joint"}) {
		if r["failed"] != "1" {
			continue
		}
		failures++
		classes := map[string]float64{"xor": 2, "three-arms": 3}[r["task"]]
		near(t, "log loss", r.number(t, "log_loss"), math.Log(classes), 1e-12)
	}
	if failures == 0 {
		t.Error("no network failed")
	}
	l := &learner{classes: 4, steps: steps{failed: true}}
	l.observe([]float64{1}, 0)
	if got := l.labels([][]float64{{1}, {2}}); !reflect.DeepEqual(got, [][]float64{{.25, .25, .25, .25}, {.25, .25, .25, .25}}) {
		t.Errorf("labels %v", got)
	}
	if own, exact := l.variances([][]float64{{1}}); !math.IsNaN(own[0]) || !math.IsNaN(exact[0]) {
		t.Errorf("variances %v and %v", own, exact)
	}
}

// Random features stay as they were drawn. Under the hidden rule Frozen the means
// stay, but the covariances shrink, and the mean outputs of the units with them:
// it is near the control, not the same.
func TestRandomFeaturesAndFrozen(t *testing.T) {
	cfg := bnn.Config{Layers: []int{2, 6, 2}, Bias: true, Output: bnn.ADF, Prior: bnn.ScaledPrior, PriorVar: 3, PriorMeanVar: 10}
	network := func() *bnn.Network {
		n, err := bnn.New(cfg, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	prior, features, frozen := network(), network(), network()
	if err := makeCertain(features, 1); err != nil {
		t.Fatal(err)
	}
	train := dataset.Task{Name: "xor"}.Generate(200, rand.NewPCG(3, 4))
	for k, x := range train.X {
		for _, n := range []*bnn.Network{features, frozen} {
			if _, err := n.Observe(x, train.Class[k]); err != nil {
				t.Fatal(err)
			}
		}
	}
	mean, cov := prior.Weights(0)
	for _, n := range []*bnn.Network{features, frozen} {
		if got, _ := n.Weights(0); !mat.Equal(got, mean) {
			t.Error("hidden means have moved")
		}
	}
	_, certain := features.Weights(0)
	_, shrunk := frozen.Weights(0)
	for j := range cov {
		if mat.Norm(certain[j], 1) != 0 || !(mat.Trace(shrunk[j]) < mat.Trace(cov[j])) {
			t.Errorf("neuron %d: covariances with trace %g and %g, prior %g", j, mat.Trace(certain[j]), mat.Trace(shrunk[j]), mat.Trace(cov[j]))
		}
	}
	var p, q bnn.Prediction
	apart := 0.0
	for _, x := range train.X {
		if err := errors.Join(features.Predict(&p, x), frozen.Predict(&q, x)); err != nil {
			t.Fatal(err)
		}
		apart = max(apart, math.Abs(p.P[0]-q.P[0]))
	}
	if !(apart > 1e-3 && apart < 0.3) {
		t.Errorf("predictions are %g apart", apart)
	}
}

// What the study is for: no linear model does XOR, a hidden layer does.
func TestHiddenLayersAreNeeded(t *testing.T) {
	o := run(t, parse(t, smallHidden, "hidden.test=400", "hidden.maps=[]"))
	accuracy := map[string]float64{}
	for _, r := range records(t, o.report.Tables, "summary", record{"task": "xor", "pass": "3"}) {
		accuracy[r["variant"]] = r.number(t, "accuracy")
	}
	if !(accuracy["linear"] < 0.7 && accuracy["smooth"] > 0.9) {
		t.Errorf("accuracies %v", accuracy)
	}
	if len(o.report.Figures) != 3 {
		t.Errorf("%d figures without maps", len(o.report.Figures))
	}
}

// The maps are of the network after the first pass of the drawn seed.
func TestHiddenMaps(t *testing.T) {
	o := run(t, parse(t, smallHidden))
	rows := records(t, o.report.Tables, "maps", record{"variant": "random", "task": "xor"})
	if len(rows) != 49 {
		t.Fatalf("%d points", len(rows))
	}
	l := randomFeatures(t, 2, 60)
	var p bnn.Prediction
	moments := softmax.NewMoments(2)
	for _, r := range rows {
		if err := l.Predict(&p, []float64{r.number(t, "x1"), r.number(t, "x2")}); err != nil {
			t.Fatal(err)
		}
		near(t, "p1", r.number(t, "p1"), p.P[0], 1e-12)
		near(t, "p2", r.number(t, "p2"), p.P[1], 1e-12)
		near(t, "entropy", r.number(t, "entropy"), -p.P[0]*math.Log(p.P[0])-p.P[1]*math.Log(p.P[1]), 1e-9)
		near(t, "variance", r.number(t, "variance"), p.Cov.At(0, 0)+p.Cov.At(1, 1), 1e-12)
		softmax.Exact{}.Moments(moments, p.Mean, p.Variance)
		var cov mat.SymDense
		moments.Cov(&cov)
		near(t, "variance of the softmax", r.number(t, "variance_exact"), mat.Trace(&cov), 1e-7)
		if r["p3"] != "" {
			t.Errorf("class 3 of two: %s", r["p3"])
		}
	}
	var names []string
	for _, f := range o.report.Figures {
		names = append(names, f.Name)
		if _, err := f.Drawing.Encode("svg"); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if want := []string{"accuracy", "log_loss", "ece", "maps_xor", "maps_three-arms"}; !slices.Equal(names, want) {
		t.Errorf("figures %v, want %v", names, want)
	}
	if n := len(records(t, o.report.Tables, "train", record{"task": "three-arms", "seed": "2"})); n != 70 {
		t.Errorf("%d training examples", n)
	}
}

// randomFeatures returns the network of the variant random after one pass over
// the examples of XOR.
func randomFeatures(t *testing.T, seed, examples int) *bnn.Network {
	t.Helper()
	n, err := bnn.New(bnn.Config{
		Layers: []int{2, 6, 2}, Bias: true, Output: bnn.ADF, Prior: bnn.ScaledPrior, PriorVar: 3, PriorMeanVar: 10,
	}, random.Source("small_hidden", seed, "prior"))
	if err != nil {
		t.Fatal(err)
	}
	if err := makeCertain(n, 1); err != nil {
		t.Fatal(err)
	}
	train := dataset.Task{Name: "xor"}.Generate(examples, random.Source("small_hidden", seed, "train", "xor"))
	for k, x := range train.X {
		if _, err := n.Observe(x, train.Class[k]); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// A cell knows neither the others nor how often it is run, and stops when told.
func TestHiddenCellsArePure(t *testing.T) {
	o := run(t, parse(t, smallHidden))
	checkPure(t, o)
	seen := map[string][]string{}
	for _, overrides := range [][]string{
		nil,
		{"name=other"},
		{"seed=1"},
		{"hidden.test=41"},
		{"hidden.snapshots=[5]"},
		{"hidden.passes=[2]"},
		{"task.xor.noise=0.3"},
		{"task.xor.train=61"},
		{"variant.linear.hidden_layers=[2]"},
		{"model.prior_var=4"},
		{`hidden.maps=["linear"]`, "seed=1"},
	} {
		s := spec(t, (&hidden{parse(t, smallHidden, overrides...).Hidden, parse(t, smallHidden, overrides...)}).Cells()[0])
		if other, ok := seen[s]; ok {
			t.Errorf("%v and %v give one spec", overrides, other)
		}
		seen[s] = overrides
	}
}
