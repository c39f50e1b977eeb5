package study

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/posterior"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// near2 is a posterior study of two classes in which something fails.
const near2 = `
name  = "near2"
study = "posterior"
seed  = 2

[data]
generator = "logistic"
train     = 12

[model]
layers = [2, 2]
bias   = true
on_indefinite = "skip"

[posterior]
snapshots   = [1, 4, 12]
grid        = 5
draws       = 200
perceptrons = ["huber", "adf"]
mapped      = [4]
maps        = ["adf", "perceptron-adf"]
map_grid    = 3

[sweep]
seed = [1, 2, 3]

[[variant]]
name = "fail"
lambda = 2
on_indefinite = "fail"

[[variant]]
name = "adf"
rule = "adf"

[[variant]]
name = "adf_exact"
rule = "adf-exact"
`

func TestPosteriorStudy(t *testing.T) {
	o := run(t, parse(t, near2))
	if len(o.cells) != 3 || o.cells[1].Key != "seed=2" {
		t.Fatalf("%d cells, the second %s", len(o.cells), o.cells[1].Key)
	}
	names := []string{"exact", "fail", "adf", "adf_exact", "perceptron-huber", "perceptron-adf", "uniform"}
	tables := o.report.Tables
	for name, rows := range map[string]int{
		"distance": 3 * 3 * len(names), "exact": 9, "summary": 3 * len(names), "truth": 1, "train": 12, "maps": 3 * 9,
	} {
		if n := len(find(tables, name).Rows); n != rows {
			t.Errorf("%s has %d rows, want %d", name, n, rows)
		}
	}
	for i, r := range records(t, tables, "distance", record{"seed": "3"}) {
		if r["variant"] != names[i%len(names)] || r["k"] != []string{"1", "4", "12"}[i/len(names)] {
			t.Errorf("row %d is of %s after %s", i, r["variant"], r["k"])
		}
		if (r["tv"] == "") != (r["variant"] == "exact") {
			t.Errorf("total variation of %s is %q", r["variant"], r["tv"])
		}
	}
	for _, f := range o.report.Figures {
		if _, err := f.Drawing.Encode("png"); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if again := run(t, parse(t, near2)); !reflect.DeepEqual(o.tables, again.tables) {
		t.Error("the cells are not the same the second time")
	}
}

// The rows of one network, worked out from the packages below.
func TestPosteriorByHand(t *testing.T) {
	o := run(t, parse(t, near2, "posterior.grid=2"))
	task := dataset.Task{Name: "logistic"}
	examples := task.Generate(12, random.Source("near2", 3, "train"))
	network, err := bnn.New(bnn.Config{
		Layers: []int{2, 2}, Bias: true, Output: bnn.ADF, Softmax: softmax.Probit{Lambda: softmax.SlopeLambda(2, 0.5), Rho: 0.5},
	}, random.Source("unused"))
	if err != nil {
		t.Fatal(err)
	}
	for k := range 4 {
		if _, err := network.Observe(examples.X[k], examples.Class[k]); err != nil {
			t.Fatal(err)
		}
	}
	p, err := posterior.NewProblem(posterior.Model{Layers: []int{2, 2}, Bias: true}, examples.X[:4], examples.Class[:4])
	if err != nil {
		t.Fatal(err)
	}
	sample, err := posterior.Importance{Draws: 200}.Sample(p, random.Source("near2", 3, "importance", 4))
	if err != nil {
		t.Fatal(err)
	}
	var tv, kl, tvNoise, klNoise, error, loss, exactError, exactLoss float64
	for _, x := range [][]float64{{-5, -5}, {5, -5}, {-5, 5}, {5, 5}} { // corners of the square, a quarter each
		var exact posterior.Prediction
		var rule bnn.Prediction
		truth := make([]float64, 2)
		if err := sample.Predict(&exact, x); err != nil {
			t.Fatal(err)
		}
		if err := network.Predict(&rule, x); err != nil {
			t.Fatal(err)
		}
		task.ClassProbabilities(truth, x)
		tv += math.Abs(exact.P[0]-rule.P[0]) / 4
		tvNoise += exact.Err[0] * math.Sqrt(2/math.Pi) / 4
		for j := range 2 {
			kl += exact.P[j] * math.Log(exact.P[j]/rule.P[j]) / 4
			klNoise += exact.Err[j] * exact.Err[j] / exact.P[j] / 8
			loss -= truth[j] * math.Log(rule.P[j]/truth[j]) / 4
			exactLoss -= truth[j] * math.Log(exact.P[j]/truth[j]) / 4
		}
		error += (floats.Max(truth) - truth[floats.MaxIdx(rule.P)]) / 4
		exactError += (floats.Max(truth) - truth[floats.MaxIdx(exact.P)]) / 4
	}
	at := func(variant string) record {
		return records(t, o.report.Tables, "distance", record{"variant": variant, "seed": "3", "k": "4"})[0]
	}
	adf, exact := at("adf"), at("exact")
	near(t, "tv", adf.number(t, "tv"), tv, 1e-9)
	near(t, "kl", adf.number(t, "kl"), kl, 1e-9)
	near(t, "tv_noise", adf.number(t, "tv_noise"), tvNoise, 1e-9)
	near(t, "kl_noise", adf.number(t, "kl_noise"), klNoise, 1e-9)
	near(t, "excess_error", adf.number(t, "excess_error"), error, 1e-9)
	near(t, "excess_log_loss", adf.number(t, "excess_log_loss"), loss, 1e-9)
	near(t, "excess_error of exact", exact.number(t, "excess_error"), exactError, 1e-9)
	near(t, "excess_log_loss of exact", exact.number(t, "excess_log_loss"), exactLoss, 1e-9)
	diagnostics := records(t, o.report.Tables, "exact", record{"seed": "3", "k": "4"})[0]
	if diagnostics["sampler"] != "importance" || diagnostics.number(t, "ess") != sample.ESS {
		t.Errorf("%v; the effective sample size is %g", diagnostics, sample.ESS)
	}
}

// A network that fails says "equal probabilities" from then on, is scored for it,
// and is counted.
func TestPosteriorScoresFailures(t *testing.T) {
	tables := run(t, parse(t, near2)).report.Tables
	total := 0.0
	for _, k := range []string{"1", "4", "12"} {
		count := 0.0
		for _, r := range records(t, tables, "distance", record{"variant": "fail", "k": k}) {
			failed := r.number(t, "failed")
			count += failed
			equal := records(t, tables, "distance", record{"variant": "uniform", "k": k, "seed": r["seed"]})[0]
			for _, c := range []string{"tv", "kl", "excess_error", "excess_log_loss", "ece"} {
				if (r[c] == equal[c]) != (failed == 1) {
					t.Errorf("seed %s after %s: %s is %s, of equal probabilities %s, failed %g", r["seed"], k, c, r[c], equal[c], failed)
				}
			}
		}
		near(t, "failures after "+k, records(t, tables, "summary", record{"variant": "fail", "k": k})[0].number(t, "failed"), count, 0)
		total += count
	}
	if total == 0 || total == 9 {
		t.Errorf("%g of 9 snapshots failed", total)
	}
	if x := find(tables, "summary").where("variant", "adf").floats("failed"); floats.Sum(x) != 0 {
		t.Errorf("adf failed: %v", x)
	}
}

// What is said after k examples does not depend on those that follow.
func TestPosteriorOfAPrefix(t *testing.T) {
	long := run(t, parse(t, near2)).report.Tables
	short := run(t, parse(t, near2, "data.train=4", "posterior.snapshots=[4]", "posterior.mapped=[]")).report.Tables
	if got, want := find(short, "distance").Rows, find(long, "distance").where("k", "4").Rows; !reflect.DeepEqual(got, want) {
		t.Errorf("after 4 of 4 examples %v\nafter 4 of 12 %v", got, want)
	}
}

func TestPosteriorSummary(t *testing.T) {
	tables := run(t, parse(t, near2)).report.Tables
	for _, r := range records(t, tables, "summary", record{"k": "12"}) {
		rows := find(tables, "distance").where("variant", r["variant"]).where("k", "12")
		if r["seeds"] != "3" {
			t.Errorf("%s seeds", r["seeds"])
		}
		if r["variant"] != "exact" {
			mean, low, high := metric.Interval(rows.floats("tv"))
			near(t, "tv", r.number(t, "tv"), mean, 1e-12)
			near(t, "tv_low", r.number(t, "tv_low"), low, 1e-12)
			near(t, "tv_high", r.number(t, "tv_high"), high, 1e-12)
		}
		near(t, "skipped", r.number(t, "skipped"), floats.Sum(rows.floats("skipped"))/3, 1e-12)
	}
	s := &posteriorStudy{&manifest.Posterior{Training: manifest.Training{Networks: manifest.Networks{Variants: []manifest.Model{{Name: "a"}}}}, Snapshots: []int{1}}, nil}
	header := find(tables, "distance").Header
	rows := [][]string{}
	for _, kl := range []string{"1", "+Inf", "3"} {
		rows = append(rows, []string{"a", "1", "1", "0.1", kl, "0", "0", "0", "2", "0", "1", "0", "0", "0"})
	}
	r := records(t, []store.Table{s.summary(frame{&store.Table{Header: header, Rows: rows}})}, "summary", record{"variant": "a"})[0]
	near(t, "mean of the finite", r.number(t, "kl"), 2, 1e-15)
	near(t, "share of the infinite", r.number(t, "kl_infinite"), 1./3, 1e-15)
	near(t, "share of infinite losses", r.number(t, "log_loss_infinite"), 0, 0)
}

// Where importance sampling refuses, Markov chains take over; other errors stand.
func TestPosteriorFallsBack(t *testing.T) {
	m := parse(t, near2)
	spec := (&posteriorStudy{m.Posterior, m}).Cells()[0].Spec.(posteriorSpec)
	c := &posteriorCell{posteriorSpec: spec}
	if err := c.start(); err != nil {
		t.Fatal(err)
	}
	x, class := [][]float64{{1, 2}, {-3, 1}}, []int{0, 1}
	for _, test := range []struct {
		importance posterior.Importance
		want, err  string
	}{
		{posterior.Importance{}, "importance", ""},
		{posterior.Importance{Draws: 100, MinESS: 100}, "hamiltonian", ""},
		{posterior.Importance{Draws: 3}, "", "Draws"},
	} {
		s, sampler, err := c.sample(test.importance, 2, x, class)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%+v: error %v", test.importance, err)
			}
			continue
		}
		if err != nil || sampler != test.want || s == nil {
			t.Errorf("%+v: %s, want %s; %v", test.importance, sampler, test.want, err)
		}
	}
	if _, _, err := c.sample(posterior.Importance{}, 2, [][]float64{{1, math.NaN()}}, []int{0}); err == nil {
		t.Error("an input that is not a number was taken")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := runPosterior(ctx, spec); err == nil {
		t.Error("a cancelled cell went on")
	}
}

// The prior of a perceptron is that of the difference of the logits, and it
// learns with the first class as the positive one.
func TestNewPerceptron(t *testing.T) {
	m := parse(t, near2, "model.prior_var=0.7", "model.prior_mean=[[1, 2, 3], [0.5, -1, 4]]").Posterior.Model
	network, err := newNetwork(m, 0.5, random.Source("unused"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPerceptron("adf", m, 0.5, network)
	if err != nil {
		t.Fatal(err)
	}
	mean, cov := p.Weights()
	for i, want := range []float64{0.5, 3, -1} {
		near(t, fmt.Sprintf("mean %d", i), mean[i], want, 1e-15)
		near(t, fmt.Sprintf("variance %d", i), cov.At(i, i), 1.4, 1e-15)
	}
	x := [][]float64{{1, -1}}
	before := p.labels(x)[0]
	p.observe(x[0], 0)
	if after := p.labels(x)[0]; !(after[0] > before[0]) || math.Abs(floats.Sum(after)-1) > 1e-15 {
		t.Errorf("probabilities %v, after an example of the first class %v", before, after)
	}
	if cap(x[0]) != 2 || len(x[0]) != 2 {
		t.Error("the input was modified")
	}
	p.observe([]float64{1e200, 0}, 0)
	if got := p.labels(x)[0]; !p.done().failed || got[0] != 0.5 {
		t.Errorf("after an overflow %v, %+v", got, p.done())
	}
	p.observe(x[0], 0) // does not wake it up
	if !p.done().failed {
		t.Error("the perceptron came back")
	}

	huber, err := newPerceptron("huber", m, 0.1, network)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		huber.observe([]float64{0.5, 0.5}, 0)
		huber.observe([]float64{0.5, 0.5}, 1)
	}
	if s := huber.done(); s.indefinite == 0 || s.skipped != s.indefinite || s.projected != 0 || s.failed {
		t.Errorf("a perceptron without ground to stand on: %+v", s)
	}
}
