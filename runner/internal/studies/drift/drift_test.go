package drift

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/internal/check"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

const manifest = `
name = "small_drift"; study = "drift"; seed = 2
[stream]; examples = 60; block = 15; every = 8; budget = 2
[sweep]; seed = [1, 2]
[[drift]]; name = "stationary"; generator = "xor"
[[drift]]; name = "both"; generator = "xor"; turns = 2; jumps = [20, 41]; jump = -0.125
[[method]]; prior_draw = "independent"; name = "forget"; kind = "closed-form"; members = 1; hidden_layers = [3]; bias = true; rule = "adf"; hidden = "smooth"; prior_var = 10; prior_mean_var = 4; tune = ["process_noise"]; candidates = [[0.25], [0]]
[[method]]; prior_var = 10; name = "diagonal"; kind = "closed-form"; members = 1; bias = true; rule = "adf"; covariance = "diagonal"; process_noise = 0.02
[[method]]; name = "neighbours"; kind = "neighbours"; tune = ["neighbours", "window"]; candidates = [[3, 10], [5, 30]]
[[method]]; bias = false; prior_var = 10; name = "fails"; kind = "closed-form"; members = 1; rule = "joint"; lambda = 3
`

// turned are the examples of a stream of the drift "both".
func turned(name string) data.Set {
	set := data.Generator{Name: "xor"}.Task().Draw(60, study.Stream("small_drift", 2, name))
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

// losses are those of a network that gains process noise before every so many examples.
func losses(t *testing.T, cfg bnn.Config, set data.Set, noise float64, every int) (wrong, logLoss []float64) {
	t.Helper()
	n := check.Must(bnn.New(cfg, study.Stream("small_drift", 2, "prior")))
	var p bnn.Prediction
	for k, x := range set.X {
		check.OK(t, n.Predict(&p, x))
		missed := 0.0
		if p.Class() != set.Class[k] {
			missed = 1
		}
		wrong, logLoss = append(wrong, missed), append(logLoss, -math.Log(p.P[set.Class[k]]))
		if (k+1)%every == 0 {
			check.OK(t, n.AddProcessNoise(noise))
		}
		check.Must(n.Observe(x, set.Class[k]))
	}
	return wrong, logLoss
}

func mean(x []float64) float64 { return stat.Mean(x, nil) }

// The scores are those of learners that are trained by hand, with the better candidate on the stream for validation.
func TestByHand(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest)
	of := func(name, method string) *table.Table {
		return tables.Get(name).Where("drift", "both").Where("method", method).Where("seed", 2)
	}
	hidden, linear := bnn.Default(2, 3, 2), bnn.Default(2, 2)
	hidden.Hidden, hidden.PriorVar, hidden.PriorMeanVar, hidden.PriorDraw = bnn.Smooth, []float64{10, 10}, 4, bnn.Independent
	linear.SetCovariance(bnn.Diagonal)
	linear.PriorVar = []float64{10}
	// A full covariance gains a quarter of the prior's, every example, in whole parts: all of it every fourth.
	_, forgets := losses(t, hidden, turned("validation"), 1, 4)
	_, keeps := losses(t, hidden, turned("validation"), 0, 1)
	noise, chosen := 0.0, "process_noise=0"
	if mean(forgets) <= mean(keeps) {
		noise, chosen = 1, "process_noise=0.25"
	}
	for _, c := range []struct {
		method, chosen string
		least          float64 // log loss of the choice; 0: there was none
		cfg            bnn.Config
		noise          float64
		every          int
	}{{"forget", chosen, min(mean(forgets), mean(keeps)), hidden, noise, 4}, {"diagonal", "", 0, linear, 0.02, 1}} {
		wrong, logLoss := losses(t, c.cfg, turned("examples"), c.noise, c.every)
		var blockError, blockLoss []float64
		for b := 0; b < 60; b += 15 {
			blockError, blockLoss = append(blockError, mean(wrong[b:b+15])), append(blockLoss, mean(logLoss[b:b+15]))
		}
		curve, r := of("curve", c.method), of("runs", c.method)
		check.NearAll(t, "seen", curve.Nums("seen"), []float64{15, 30, 45, 60}, 0)
		check.NearAll(t, "error", curve.Nums("error"), blockError, 1e-12)
		check.NearAll(t, "log loss", curve.Nums("log_loss"), blockLoss, 1e-9)
		check.Near(t, "error", r.Nums("error")[0], mean(wrong), 1e-12)
		check.Near(t, "log loss", r.Nums("log_loss")[0], mean(logLoss), 1e-9)
		if r.Texts("chosen")[0] != c.chosen || r.Nums("failed")[0] != 0 {
			t.Errorf("%s, want %s", r.CSV(), c.chosen)
		}
		if x := r.Nums("validation_log_loss")[0]; c.least != 0 {
			check.Near(t, "log loss of the choice", x, c.least, 1e-9)
		} else if !math.IsNaN(x) {
			t.Errorf("log loss %g of the choice without candidates", x)
		}
	}
}

// What no classifier can know is the same for all methods, and for all drifts of
// one generator; the predictions have the losses of the runs.
func TestTruth(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest)
	task := data.Generator{Name: "xor"}.Task()
	var wrong, logLoss []float64
	for _, seed := range []int{1, 2} {
		set := task.Draw(60, study.Stream("small_drift", seed, "examples"))
		p := make([]float64, 2)
		for k, x := range set.X {
			task.Probabilities(p, x)
			w, l := learner.Loss(p, set.Class[k])
			wrong, logLoss = append(wrong, w), append(logLoss, l)
		}
	}
	best := tables.Get("distributions")
	check.NearAll(t, "error", best.Nums("error"), []float64{mean(wrong), mean(wrong)}, 1e-9)
	check.NearAll(t, "log loss", best.Nums("log_loss"), []float64{mean(logLoss), mean(logLoss)}, 1e-9)
	s := tables.Get("summary")
	for i := range s.Len() {
		check.Near(t, "error", s.Nums("error")[i]-s.Nums("excess_error")[i], mean(wrong), 1e-9)
		check.Near(t, "log loss", s.Nums("log_loss")[i]-s.Nums("excess_log_loss")[i], mean(logLoss), 1e-9)
	}
	// A network that breaks down is scored for all that follows.
	check.Equal(t, "failed", s.Where("method", "fails").Nums("failed"), []float64{1, 1})
	for _, x := range tables.Get("curve").Where("method", "fails").Where("seen", 60).Nums("log_loss") {
		check.Near(t, "log loss", x, math.Ln2, 1e-12)
	}
	if m := tables.Get("curve_summary"); m.Len() != 2*4*4 || slices.Max(m.Nums("seeds")) != 2 {
		t.Errorf("%s", m.CSV())
	}
	runs := tables.Get("runs")
	for i, want := range runs.Nums("log_loss") {
		p := tables.Get("predictions").Where("drift", runs.Texts("drift")[i]).Where("method", runs.Texts("method")[i]).Where("seed", runs.Texts("seed")[i])
		var sum float64
		for k, class := range p.Nums("class") {
			x, err := strconv.ParseFloat(strings.Fields(p.Texts("p")[k])[int(class)-1], 64)
			if err != nil || p.Nums("example")[k] != float64(k+1) {
				t.Fatal(err, p.Nums("example")[k])
			}
			sum -= math.Log(x)
		}
		check.Near(t, "log loss of the predictions", sum/60, want, 1e-5)
	}
}

func TestSpecs(t *testing.T) {
	studytest.Differ(t, Kind, manifest, "name=other", "sweep.seed=[2, 1]", "stream.examples=75", "stream.block=20", "stream.every=9",
		"drift.stationary.turns=1", "drift.stationary.jumps=[5]", "drift.stationary.jump=0.5", "drift.stationary.noise=0.5", "drift.stationary.generator=moons",
		"method.forget.prior_var=2", "method.forget.process_noise=0.1", "method.forget.candidates=[[0.5]]")
	studytest.Refused(t, Kind, manifest, map[string]string{
		"stream.block=25": "stream.block", "stream.every=0": "stream.every", "stream.budget=1": "method.forget.candidates",
		"drift.both.jumps=[40, 20]": "drift.both.jumps", "drift.both.jumps=[20, 60]": "drift.both.jumps", "drift.both.turns=1001": "drift.both.turns",
		"drift.both.arms=2": "drift.both.arms", "drift.both.train=5": "drift.both.train", "drift.both.name=stationary": "drift.stationary",
		"method.forget.passes=2": "method.forget.passes", "method.neighbours.window=-1": "method.neighbours.window",
		"method.diagonal.covariance=x": "method.diagonal.covariance", "method.fails.layers=[3, 2]": "method.fails", "sweep.seed=[4]": "seed",
	})
}
