package study

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/majority"
	"closedform/baselines/neighbours"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/runner/internal/dataset"
	store "closedform/runner/internal/oldstore"
)

const smallDrift = `
name  = "small_drift"
study = "drift"
seed  = 2

[stream]
examples = 60
block    = 15
every    = 8
budget   = 2

[sweep]
seed = [1, 2]

[[drift]]
name      = "stationary"
generator = "xor"

[[drift]]
name      = "both"
generator = "xor"
turns     = 2
jumps     = [20, 41]
jump      = -0.125

[[method]]
name = "forget"
kind = "closed-form"
hidden_layers = [3]
bias = true
rule = "adf"
hidden = "smooth"
prior = "scaled"
prior_mean_var = 4
tune = ["process_noise"]
candidates = [[0.25], [0]]

[[method]]
name = "diagonal"
kind = "closed-form"
bias = true
rule = "adf"
covariance = "diagonal"
prior = "scaled"
process_noise = 0.02

[[method]]
name = "neighbours"
kind = "neighbours"
tune = ["neighbours", "window"]
candidates = [[3, 10], [5, 30]]

[[method]]
name = "fails"
kind = "closed-form"
rule = "joint"
lambda = 3
`

// turnedByHand are the examples of a stream of the drift "both".
func turnedByHand(name string) dataset.Set {
	set := dataset.Task{Name: "xor"}.Generate(60, random.Source("small_drift", 2, name))
	for k, x := range set.X {
		angle := 4 * math.Pi * float64(k) / 1000
		if k >= 20 {
			angle -= math.Pi / 4
		}
		if k >= 41 {
			angle -= math.Pi / 4
		}
		set.X[k] = []float64{x[0]*math.Cos(angle) - x[1]*math.Sin(angle), x[0]*math.Sin(angle) + x[1]*math.Cos(angle)}
	}
	return set
}

// scoresByHand are the losses of a network that forgets, every so many examples.
func scoresByHand(t *testing.T, cfg bnn.Config, set dataset.Set, share float64, every int) (wrong, surprise []float64) {
	t.Helper()
	n, err := bnn.New(cfg, random.Source("small_drift", 2, "prior"))
	if err != nil {
		t.Fatal(err)
	}
	var p bnn.Prediction
	for k, x := range set.X {
		if err := n.Predict(&p, x); err != nil {
			t.Fatal(err)
		}
		missed := 0.0
		if floats.MaxIdx(p.P) != set.Class[k] {
			missed = 1
		}
		wrong, surprise = append(wrong, missed), append(surprise, -math.Log(p.P[set.Class[k]]))
		if (k+1)%every == 0 {
			if err := n.AddProcessNoise(share); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := n.Observe(x, set.Class[k]); err != nil {
			t.Fatal(err)
		}
	}
	return wrong, surprise
}

func mean(x []float64) float64 { return floats.Sum(x) / float64(len(x)) }

// The scores are those of a network that is taught by hand, its noise that of the
// better candidate on the stream for validation.
func TestDriftNetworks(t *testing.T) {
	o := run(t, parse(t, smallDrift))
	if len(o.cells) != 2*4*2 {
		t.Fatalf("%d cells", len(o.cells))
	}
	hidden := bnn.Config{
		Layers: []int{2, 3, 2}, Bias: true, Output: bnn.ADF, Hidden: bnn.Smooth,
		Prior: bnn.ScaledPrior, PriorVar: 10, PriorMeanVar: 4,
	}
	linear := bnn.Config{
		Layers: []int{2, 2}, Bias: true, Output: bnn.ADF, Covariance: []bnn.Covariance{bnn.Diagonal}, Prior: bnn.ScaledPrior, PriorVar: 10,
	}
	// A full covariance gains a quarter of the prior's, every example, in whole
	// parts: all of it every fourth.
	_, forgets := scoresByHand(t, hidden, turnedByHand("validation"), 1, 4)
	_, keeps := scoresByHand(t, hidden, turnedByHand("validation"), 0, 1)
	share, chosen := 0.0, "process_noise=0"
	if mean(forgets) <= mean(keeps) {
		share, chosen = 1, "process_noise=0.25"
	}
	for _, c := range []struct {
		method, chosen, loss string
		cfg                  bnn.Config
		share                float64
		every                int
	}{
		{"forget", chosen, store.Float(min(mean(forgets), mean(keeps))), hidden, share, 4},
		{"diagonal", "", "", linear, 0.02, 1},
	} {
		where := record{"drift": "both", "method": c.method, "seed": "2"}
		wrong, surprise := scoresByHand(t, c.cfg, turnedByHand("examples"), c.share, c.every)
		blocks := records(t, o.report.Tables, "blocks", where)
		if len(blocks) != 4 {
			t.Fatalf("%d blocks", len(blocks))
		}
		for b, r := range blocks {
			if r["seen"] != strconv.Itoa(15*(b+1)) {
				t.Errorf("block %d: %v", b, r)
			}
			near(t, "error", r.number(t, "error"), mean(wrong[15*b:15*b+15]), 1e-12)
			near(t, "log loss", r.number(t, "log_loss"), mean(surprise[15*b:15*b+15]), 1e-9)
		}
		r := records(t, o.report.Tables, "summary", where)[0]
		near(t, "error", r.number(t, "error"), mean(wrong), 1e-12)
		near(t, "log loss", r.number(t, "log_loss"), mean(surprise), 1e-9)
		if r["chosen"] != c.chosen || r["failed"] != "0" {
			t.Errorf("chosen %q, failed %s; want %q", r["chosen"], r["failed"], c.chosen)
		}
		if c.loss == "" {
			if r["validation_log_loss"] != "" {
				t.Errorf("validation_log_loss %s without candidates", r["validation_log_loss"])
			}
			continue
		}
		want, err := strconv.ParseFloat(c.loss, 64)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "log loss of the choice", r.number(t, "validation_log_loss"), want, 1e-9)
	}
}

// A batch method knows nothing before its first fit, and then the latest examples
// up to the last fit.
func TestDriftWindow(t *testing.T) {
	o := run(t, parse(t, smallDrift))
	follow := func(set dataset.Set, k, window int) []float64 {
		var all []float64
		for i, x := range set.X {
			p := []float64{0.5, 0.5}
			if last := i - i%8; last > 0 {
				first := max(0, last-window)
				model, err := neighbours.Fit(neighbours.Config{Classes: 2, Neighbours: min(k, last-first)}, set.X[first:last], set.Class[first:last], nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := model.Predict(p, x); err != nil {
					t.Fatal(err)
				}
			}
			all = append(all, -math.Log(p[set.Class[i]]))
		}
		return all
	}
	a, b := mean(follow(turnedByHand("validation"), 3, 10)), mean(follow(turnedByHand("validation"), 5, 30))
	k, window, chosen := 3, 10, "neighbours=3 window=10"
	if b < a {
		k, window, chosen = 5, 30, "neighbours=5 window=30"
	}
	r := records(t, o.report.Tables, "summary", record{"drift": "both", "method": "neighbours", "seed": "2"})[0]
	near(t, "log loss", r.number(t, "log_loss"), mean(follow(turnedByHand("examples"), k, window)), 1e-9)
	near(t, "log loss of the choice", r.number(t, "validation_log_loss"), min(a, b), 1e-9)
	if r["chosen"] != chosen {
		t.Errorf("chosen %s, want %s", r["chosen"], chosen)
	}
}

// What no classifier can know is the same for all methods, and for all drifts of
// one law.
func TestDriftTruth(t *testing.T) {
	o := run(t, parse(t, smallDrift))
	task := dataset.Task{Name: "xor"}
	var surprise []float64
	for _, seed := range []int{1, 2} {
		set := task.Generate(60, random.Source("small_drift", seed, "examples"))
		p := make([]float64, 2)
		for k, x := range set.X {
			task.ClassProbabilities(p, x)
			surprise = append(surprise, -math.Log(p[set.Class[k]]))
		}
	}
	for _, r := range records(t, o.report.Tables, "laws", nil) {
		near(t, "Bayes error", r.number(t, "bayes_error"), task.BayesError(), 1e-12)
		near(t, "log loss", r.number(t, "log_loss"), mean(surprise), 1e-9)
	}
	for _, r := range records(t, o.report.Tables, "means", nil) {
		near(t, r["method"], r.number(t, "log_loss")-r.number(t, "excess_log_loss"), mean(surprise), 1e-9)
	}
	// A network that breaks down is scored for all that follows.
	for _, r := range records(t, o.report.Tables, "blocks", record{"method": "fails", "seen": "60"}) {
		near(t, "log loss", r.number(t, "log_loss"), math.Ln2, 1e-12)
	}
	for _, r := range records(t, o.report.Tables, "means", record{"method": "fails"}) {
		near(t, "failed", r.number(t, "failed"), 1, 0)
	}
}

func TestDriftReport(t *testing.T) {
	o := run(t, parse(t, smallDrift))
	if n := len(records(t, o.report.Tables, "block_means", nil)); n != 2*4*4 {
		t.Errorf("%d means of blocks", n)
	}
	r := records(t, o.report.Tables, "block_means", record{"drift": "both", "method": "diagonal", "seen": "30"})[0]
	var x []float64
	for _, s := range records(t, o.report.Tables, "blocks", record{"drift": "both", "method": "diagonal", "seen": "30"}) {
		x = append(x, s.number(t, "log_loss"))
	}
	near(t, "mean", r.number(t, "log_loss"), mean(x), 1e-12)
	near(t, "high", r.number(t, "log_loss_high"), mean(x)+12.706204736432095*math.Abs(x[1]-x[0])/2, 1e-9) // Student's t, 1 degree of freedom
	if len(o.report.Figures) != 1 || o.report.Figures[0].Name != "drift" {
		t.Fatalf("figures %v", o.report.Figures)
	}
	if _, err := o.report.Figures[0].Drawing.Encode("svg"); err != nil {
		t.Error(err)
	}
	odd := [][]store.Table{{{Name: "a", Header: []string{"x"}}}, {{Name: "a", Header: []string{"y"}}}}
	if _, err := (&drift{}).Report(odd); err == nil {
		t.Error("a report of columns that do not fit")
	}
}

// A window that is fitted anew leaves the model before alone.
func TestWindowedKeepsItsModel(t *testing.T) {
	var fits [][]int
	w := &windowed{window: 3, every: 2, rival: &rival{classes: 2, fit: func(_ [][]float64, class []int) (classifier, error) {
		fits = append(fits, slices.Clone(class))
		return majority.New(majority.Config{Classes: 2}, nil)
	}}}
	for class := range 6 {
		w.labels([][]float64{{0}})
		w.observe([]float64{0}, class)
	}
	w.labels([][]float64{{0}})
	if want := [][]int{{0, 1}, {1, 2, 3}, {3, 4, 5}}; !reflect.DeepEqual(fits, want) {
		t.Errorf("fitted to %v, want %v", fits, want)
	}
}

// What the weights gain in a while does not depend on how often they do.
func TestForget(t *testing.T) {
	for _, c := range []struct {
		share float64
		full  bool
		want  float64
		every int
	}{
		{0, true, 0, 1}, {0.001, false, 0.001, 1}, {0.001, true, 0.01, 10}, {0.1, true, 1, 10}, {0.25, true, 1, 4}, {0.4, true, 0.8, 2}, {1, true, 1, 1}, {1, false, 1, 1},
	} {
		var l learner
		l.forget(c.share, c.full)
		near(t, "share", l.share, c.want, 1e-15)
		if l.every != c.every {
			t.Errorf("share %g: every %d, want %d", c.share, l.every, c.every)
		}
	}
}

func TestDriftCellsArePure(t *testing.T) {
	o := run(t, parse(t, smallDrift))
	checkPure(t, o)
	seen := map[string][]string{}
	for _, overrides := range [][]string{
		nil,
		{"name=other"},
		{"sweep.seed=[2, 1]"},
		{"stream.examples=75"},
		{"stream.block=20"},
		{"stream.every=9"},
		{"drift.stationary.turns=1"},
		{"drift.stationary.jumps=[5]"},
		{"drift.stationary.jump=0.5"},
		{"drift.stationary.noise=0.5"},
		{"drift.stationary.generator=moons"},
		{"method.forget.prior_var=2"},
		{"method.forget.process_noise=0.1"},
		{"method.forget.candidates=[[0.5]]"},
	} {
		m := parse(t, smallDrift, overrides...)
		s := spec(t, (&drift{m.Drift, m}).Cells()[0])
		if other, ok := seen[s]; ok {
			t.Errorf("%v and %v give one spec", overrides, other)
		}
		seen[s] = overrides
	}
}

// The predictions have the losses of the summary.
func TestDriftPredictions(t *testing.T) {
	o := run(t, parse(t, smallDrift))
	summary := records(t, o.report.Tables, "summary", nil)
	if len(summary) == 0 {
		t.Fatal("no rows")
	}
	for _, s := range summary {
		var sum float64
		rows := records(t, o.report.Tables, "predictions", record{"drift": s["drift"], "method": s["method"], "seed": s["seed"]})
		for k, r := range rows {
			p := strings.Fields(r["p"])
			class, err := strconv.Atoi(r["class"])
			if err != nil || r["example"] != strconv.Itoa(k+1) {
				t.Fatalf("row %d: %v", k, r)
			}
			x, err := strconv.ParseFloat(p[class-1], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum -= math.Log(x)
		}
		if want := s.number(t, "log_loss"); !(math.Abs(sum/float64(len(rows))-want) <= 1e-5*(1+want)) {
			t.Errorf("%s, %s: log loss %g of %d predictions, %g in the summary", s["drift"], s["method"], sum/float64(len(rows)), len(rows), want)
		}
	}
}
