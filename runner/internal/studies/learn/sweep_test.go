package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"closedform/baselines/learners/kalman"
	"closedform/core/bnn"
	"closedform/internal/check"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
)

const sweeping = `
name  = "sweeping"
study = "learn"
seed  = 2
[data]
file       = "FILE"
train_rows = "1-24"
[model]
rule = "total"
bias = false
[sweep]
seed   = [1, 2]
lambda = [1, 0.2]
rho    = [0.5, 0.1, 0.3]
[[method]]
name = "small"
[[method]]
name = "large"
prior_var = 9
[[method]]
name = "near"
kind = "neighbours"
`

func sweepingOf(t *testing.T) string {
	return strings.Replace(sweeping, "FILE", studytest.File(t, studytest.Clusters(36)), 1)
}

// What is swept is in columns of all tables, which other methods leave empty.
func TestSweptColumns(t *testing.T) {
	tables := studytest.Run(t, Kind, sweepingOf(t), `sweep.lambda=["slope", 0.2]`)
	for _, name := range []string{"runs", "curve", "summary", "curve_summary", "predictions"} {
		t0 := tables.Get(name)
		slope := learner.Lambda{Word: "slope"}.Value(3, 0.1)
		if of := t0.Where("method", "large lambda=slope rho=0.1"); of.Len() == 0 || of.Nums("rho")[0] != 0.1 || of.Nums("lambda")[0] != slope {
			t.Errorf("%s: %d rows, or other values than λ = %g, ρ = 0.1", name, of.Len(), slope)
		}
		if of := t0.Where("method", "near"); of.Len() == 0 || of.Texts("rho")[0]+of.Texts("lambda")[0] != "" {
			t.Errorf("%s: %d rows of another method, or with λ and ρ", name, of.Len())
		}
	}
	if runs := studytest.Run(t, Kind, sweepingOf(t), "sweep.lambda=[]", "sweep.rho=[]").Get("runs"); runs.Has("lambda") || runs.Has("rho") {
		t.Error("columns for what is not swept")
	}
}

// A manifest that chooses nothing has no keys for it when it is spelled out.
func TestNothingChosen(t *testing.T) {
	s := studytest.New(t, Kind, sweepingOf(t)).(*stream)
	text, err := s.manifest.Resolved(s)
	if err != nil || strings.Contains(string(text), "tune") || strings.Contains(string(text), "validation") {
		t.Errorf("%v:\n%s", err, text)
	}
}

// A sweep has a figure, and what has too many curves small charts, on as many pages as
// it needs.
func TestSweepFigures(t *testing.T) {
	for want, overrides := range map[string][]string{
		"sweep curve_error curve_log_loss":  nil,
		"sweep curve":                       {"sweep.rho=[]"},
		"sweep curve ":                      {"sweep.lambda=[]"},
		"curve":                             {"sweep.lambda=[0.2]", "sweep.rho=[]"},
		"sweep curve_error curve_log_loss ": {`sweep.lambda=["slope", 0.2]`},
		"sweep curve_error curve_error_2 curve_log_loss curve_log_loss_2": {"sweep.rho=[0.1, 0.2, 0.3, 0.5]", `sweep.lambda=[0.1, 0.2]`},
	} {
		var names []string
		for _, f := range studytest.New(t, Kind, sweepingOf(t), overrides...).Figures() {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, " "); got != strings.TrimSpace(want) {
			t.Errorf("%q: figures %q, want %q", overrides, got, want)
		}
	}
	tables := studytest.Run(t, Kind, sweepingOf(t))
	s := studytest.New(t, Kind, sweepingOf(t)).(*stream)
	rows := sweepRows(s.networks, errorAndLoss, tables.Get("summary"))
	m := rows[1].Maps[1]
	if !slices.Equal(m.X, []float64{0.2, 1}) || !slices.Equal(m.Y, []float64{0.1, 0.3, 0.5}) || m.Title != "large" {
		t.Errorf("map %+v", m)
	}
	at := tables.Get("summary").Where("method", "large lambda=1.0 rho=0.3")
	check.Near(t, "log loss", m.Z[3], at.Nums("log_loss")[0], 0)
	studytest.Run(t, Kind, sweepingOf(t), `sweep.lambda=["slope", 0.2]`) // draws curves
	studytest.Run(t, Kind, sweepingOf(t), `sweep.lambda=["slope", 0.2]`, "sweep.rho=[0.1, 0.2, 0.3, 0.4, 0.5]")
}

// The values with the least log loss on the part for validation are taken, for networks
// and other methods, and are those that learn.
func TestTune(t *testing.T) {
	src := sweepingOf(t) + `tune = ["neighbours"]
candidates = [[1], [7]]
[[method]]
name = "filter"
kind = "kalman"
tune = ["prior_var"]
candidates = [[1e-9], [4]]
`
	src = strings.Replace(src, "prior_var = 9\n", "tune = [\"lambda\", \"prior_var\"]\ncandidates = [[0.5, 1e-9], [0.5, 2]]\n", 1)
	once := []string{"sweep.lambda=[]", "sweep.rho=[]", "evaluate.validation=0.25"}
	tables := studytest.Run(t, Kind, src, once...)
	chosen := tables.Get("chosen")
	if got := strings.Join(chosen.Texts("method"), " "); got != "large large near near filter filter" {
		t.Errorf("chosen for %s", got)
	}
	for method, want := range map[string]string{"large": "lambda=0.5 prior_var=2", "filter": "prior_var=4"} {
		if got := chosen.Where("method", method).Texts("chosen"); got[0] != want || got[1] != want {
			t.Errorf("%s: chosen %q, want %s", method, got, want)
		}
	}
	// By hand: the filter, on a quarter of each class of the training part.
	train, _ := parts(t, studytest.Clusters(36))
	e := studytest.New(t, Kind, src, once...).(*stream)
	raw, _, err := e.Data.Unscaled(rand.NewPCG(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	learn, judge, err := raw.Split(0.25, study.Stream("sweeping", 2, "validation"))
	if err != nil || len(judge) != 6 {
		t.Fatal(len(judge), err)
	}
	part := raw.Subset(learn)
	scaler, err := part.Scaler("standard")
	if err != nil {
		t.Fatal(err)
	}
	fitted, judged := scaler.Apply(part).Set(0, 18), scaler.Apply(raw.Subset(judge)).Set(0, 6)
	filter, err := kalman.New(kalman.Config{Layers: []int{2, 3}, PriorVar: 4}, study.Stream("sweeping", 2, "rival", "filter"))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range rand.New(study.Stream("sweeping", 2, "pass", 1)).Perm(18) {
		if err := filter.Observe(fitted.X[i], fitted.Class[i]); err != nil {
			t.Fatal(err)
		}
	}
	p := make([][]float64, 6)
	for i := range p {
		p[i] = make([]float64, 3)
		if err := filter.Predict(p[i], judged.X[i]); err != nil {
			t.Fatal(err)
		}
	}
	loss := chosen.Where("method", "filter").Where("seed", 2).Nums("validation_log_loss")[0]
	check.Near(t, "validation log loss", loss, metric.LogLoss(p, judged.Class), 1e-12)
	// What was chosen learns the whole training part: as a method that has it.
	fixed := studytest.Run(t, Kind, sweepingOf(t), append(once[:2:2], "method.large.lambda=0.5", "method.large.prior_var=2")...)
	a, b := tables.Get("runs").Where("method", "large"), fixed.Get("runs").Where("method", "large")
	if string(a.CSV()) != string(b.CSV()) || math.IsNaN(a.Nums("log_loss")[0]) || len(train.X) != 24 {
		t.Errorf("the chosen network\n%sis not\n%s", a.CSV(), b.CSV())
	}
	bank := studytest.Run(t, Kind, src, append(once, "method.large.weights=universal")...).Get("chosen").Where("method", "large")
	if got := bank.Texts("chosen")[0]; !strings.HasPrefix(got, "lambda=") || !math.IsNaN(bank.Nums("validation_log_loss")[0]) {
		t.Errorf("a bank: %s", bank.CSV())
	}
	for override, want := range map[string]string{
		"sweep.lambda=[0.1, 0.2]": "lambda is not allowed", "evaluate.validation=1": "evaluate.validation", `method.large.tune=["passes", "prior_var"]`: "passes",
		"method.large.candidates=[[1]]": "method.large.candidates", "method.large.candidates=[[1, -1]]": "prior_var", "method.large.candidates=[[-1, 1]]": "lambda",
		`method.near.tune=["window"]`: "window",
		"model.rule=other":            `-set model.rule=other: model.rule: "other" is not allowed; allowed: adf, adf-exact, adf-marginal, adf-exact-marginal, joint, total`,
	} {
		if err := studytest.Err(Kind, src, append(once, override)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %s", override, err, want)
		}
	}
}

// Maps of data from files show what the network says at places that are those of the
// inputs, not scaled, with the examples in the order in which they were learned.
func TestMapsOfFiles(t *testing.T) {
	src := sweepingOf(t) + "[[figure]]\nmethod = \"large\"\n[evaluate]\ngrid = 5\nsnapshots = [3]\n"
	once := []string{"sweep.lambda=[]", "sweep.rho=[]"}
	tables := studytest.Run(t, Kind, src, once...)
	if names := studytest.New(t, Kind, src, once...).Figures(); names[0].Name != "maps_large" {
		t.Errorf("first figure %s", names[0].Name)
	}
	maps, train := tables.Get("maps"), tables.Get("train")
	if maps.Len() != 2*25 || train.Len() != 24 || strings.Join(maps.Distinct("k"), " ") != "3 24" {
		t.Fatalf("%d points of maps, %d examples", maps.Len(), train.Len())
	}
	all := studytest.Clusters(36)
	cfg := bnn.Default(2, 3)
	cfg.Bias, cfg.Output, cfg.PriorVar = false, bnn.Total, []float64{9}
	n, err := bnn.New(cfg, study.Stream("sweeping", 2, "prior"))
	if err != nil {
		t.Fatal(err)
	}
	scaled, _ := parts(t, all)
	for k, i := range rand.New(study.Stream("sweeping", 2, "pass", 1)).Perm(24) {
		if x := []float64{train.Nums("x1")[k], train.Nums("x2")[k]}; !slices.Equal(x, all.X[i]) || train.Texts("label")[k] != string(rune('a'+all.Class[i])) {
			t.Errorf("example %d at %v is of class %s", k+1, x, train.Texts("label")[k])
		}
		if _, err := n.Observe(scaled.X[i], scaled.Class[i]); err != nil {
			t.Fatal(err)
		}
	}
	// The affine map of the scaling, by two examples.
	var got bnn.Prediction
	last := maps.Where("k", 24)
	for row := range last.Len() {
		x := []float64{last.Nums("x1")[row], last.Nums("x2")[row]}
		for j := range x {
			a, b := all.X[0][j], all.X[1][j]
			x[j] = scaled.X[0][j] + (x[j]-a)/(b-a)*(scaled.X[1][j]-scaled.X[0][j])
		}
		if err := n.Predict(&got, x); err != nil {
			t.Fatal(err)
		}
		check.Near(t, "mean", last.Nums("p2")[row], got.P[1], 1e-5)
		check.Near(t, "variance", last.Nums("var3")[row], got.Cov.At(2, 2), 1e-5)
	}
	for override, want := range map[string]string{
		"figure.1.method=near": "figure.1.method", "figure.1.single=true": "figure.1.single", "evaluate.grid=1": "evaluate.grid", "evaluate.grid=3000": "evaluate.grid",
	} {
		if err := studytest.Err(Kind, src, append(once, override)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %s", override, err, want)
		}
	}
	if err := studytest.Err(Kind, sweepingOf(t), "evaluate.grid=9"); err == nil || !strings.Contains(err.Error(), "evaluate.grid") {
		t.Errorf("error %v of a grid for no maps", err)
	}
}
