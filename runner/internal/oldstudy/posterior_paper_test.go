package study

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/perceptron"
	"closedform/core/bnn"
	"closedform/core/random"
)

// The moments that Huber's perceptron takes a step by are those of its own step:
// with both labels, whose probabilities are p and 1 − p, the mean moves by
// Cov(a, y)/Var y · (y − p) and the variance falls by Cov(a, y)²/Var y.
func TestHuberMoments(t *testing.T) {
	for _, c := range []struct{ lambda, m, v float64 }{{0.6, 0.3, 9}, {0.2, -2, 200}, {1.5, 0, 4}} {
		h := huberMoments(c.lambda, c.m, c.v)
		for y, positive := range []bool{false, true} {
			p, err := perceptron.New(perceptron.Config{Lambda: c.lambda}, []float64{c.m}, mat.NewDiagDense(1, []float64{c.v}))
			if err != nil {
				t.Fatal(err)
			}
			before, err := p.Predict([]float64{1})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "p", h.p, before.Positive, 1e-15)
			if _, err := p.Observe([]float64{1}, positive); err != nil {
				t.Fatal(err)
			}
			mean, cov := p.Weights()
			near(t, fmt.Sprintf("%+v: step after %d", c, y), h.cross/h.variance*(float64(y)-h.p), mean[0]-c.m, 1e-12)
			near(t, fmt.Sprintf("%+v: fall after %d", c, y), h.cross*h.cross/h.variance, c.v-cov.At(0, 0), 1e-11)
		}
	}
}

// The paper's rule is looked at, and no other; one that has broken down has no
// beliefs to compare.
func TestPaperNetworks(t *testing.T) {
	tables := run(t, parse(t, near2)).report.Tables
	failed := map[string]float64{}
	for _, r := range records(t, tables, "distance", record{"variant": "fail"}) {
		failed[r["seed"]+" "+r["k"]] = r.number(t, "failed")
	}
	rows := records(t, tables, "agreement", nil)
	if len(rows) != 9 || len(records(t, tables, "state", nil)) != 9 {
		t.Fatalf("%d rows of agreement", len(rows))
	}
	for _, r := range rows {
		if r["variant"] != "fail" {
			t.Errorf("a row of %s", r["variant"])
		}
		if gone := failed[r["seed"]+" "+r["k"]] == 1; gone {
			if r["p_gap"] != "" || r["cross_gap"] != "" || r["variance_gap"] != "" {
				t.Errorf("broken down: %v", r)
			}
			continue
		}
		if p, cross, variance := r.number(t, "p_gap"), r.number(t, "cross_gap"), r.number(t, "variance_gap"); !(p < 1e-13 && cross < 1e-12 && variance > 0.01) {
			t.Errorf("gaps %v", r)
		}
	}
	for _, r := range records(t, tables, "state", nil) {
		first := records(t, tables, "state", record{"seed": r["seed"], "k": "1"})[0]
		if r.number(t, "twin_gap") != 0 || r["bytes"] != first["bytes"] || !(r.number(t, "bytes") > 500) {
			t.Errorf("state %v, and at first %v", r, first)
		}
	}
	three := run(t, parse(t, near2, "data.generator=wedges", "model.layers=[2, 3]", "posterior.perceptrons=[]", "posterior.maps=[]"))
	for _, table := range three.report.Tables {
		if table.Name == "agreement" {
			t.Error("three classes agree with a perceptron")
		}
	}
}

// A twin that is not what it was shows.
func TestTwinGap(t *testing.T) {
	one := func() *learner {
		n, err := bnn.New(bnn.Config{Layers: []int{2, 2}}, random.Source("twin"))
		if err != nil {
			t.Fatal(err)
		}
		return &learner{network: n, classes: 2}
	}
	p := &paperNetwork{name: "a", learner: one(), twin: one()}
	points := &plane{x: [][]float64{{1, 0}, {0, 1}}, weight: []float64{0.5, 0.5}}
	if err := p.twin.network.SetWeights(0, mat.NewDense(2, 2, []float64{3, 0, 0, 0}), []mat.Symmetric{mat.NewDiagDense(2, []float64{1, 1}), mat.NewDiagDense(2, []float64{1, 1})}); err != nil {
		t.Fatal(err)
	}
	row, err := p.state(1, 2, points)
	if err != nil {
		t.Fatal(err)
	}
	var mine, other bnn.Prediction
	if err := p.network.Predict(&mine, points.x[0]); err != nil {
		t.Fatal(err)
	}
	if err := p.twin.network.Predict(&other, points.x[0]); err != nil {
		t.Fatal(err)
	}
	var gap float64
	if _, err := fmt.Sscan(row[4], &gap); err != nil {
		t.Fatal(err)
	}
	near(t, "gap", gap, other.P[0]-mine.P[0], 1e-12)
}
