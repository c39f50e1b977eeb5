package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"

	"closedform/baselines/montecarlo"
	"closedform/core/activation"
	"closedform/core/random"
	"closedform/core/softmax"
)

// smallCheck is an experiment whose cells take milliseconds.
const smallCheck = `
name  = "small_check"
study = "mc_check"
seed  = 5

[mc_check]
classes  = [2, 3]
rho      = [0, 0.4]
samples  = 20000
cases    = 2
spread   = 1
variance = 1
`

var smallCheckOnce struct {
	sync.Once
	outcome
}

// runSmallCheck returns the outcome of smallCheck, which is to be read only.
func runSmallCheck(t *testing.T) outcome {
	t.Helper()
	smallCheckOnce.Do(func() { smallCheckOnce.outcome = run(t, parse(t, smallCheck)) })
	if smallCheckOnce.report.Tables == nil {
		t.Skip("the experiment failed in another test")
	}
	return smallCheckOnce.outcome
}

func TestMCCheckCells(t *testing.T) {
	var got []string
	for _, c := range runSmallCheck(t).cells {
		got = append(got, c.Key)
	}
	var want []string
	for k := range 2 * 2 * 2 { // as many as of the probit
		want = append(want, "activation case="+strconv.Itoa(k+1))
	}
	for _, formula := range []string{
		"probit n=2 rho=0", "probit n=2 rho=0.4", "probit n=3 rho=0", "probit n=3 rho=0.4",
		"probit_corr n=3", "softmax n=2", "softmax n=3", "covariance n=2", "covariance n=3",
	} {
		want = append(want, formula+" case=1", formula+" case=2")
	}
	if !slices.Equal(got, want) {
		t.Errorf("cells %q, want %q", got, want)
	}
}

// The same tables and figures come out again.
func TestMCCheckIsPure(t *testing.T) {
	a, b := runSmallCheck(t), run(t, parse(t, smallCheck))
	if !reflect.DeepEqual(a.tables, b.tables) {
		t.Error("other tables the second time")
	}
	for i := range a.report.Tables {
		if string(a.report.Tables[i].CSV()) != string(b.report.Tables[i].CSV()) {
			t.Errorf("table %s differs the second time", a.report.Tables[i].Name)
		}
	}
	if !slices.Equal(names(a.report), []string{"qq", "gaps"}) {
		t.Errorf("figures %v", names(a.report))
	}
	for i, f := range a.report.Figures {
		x, err := f.Drawing.Encode("svg")
		y, err2 := b.report.Figures[i].Drawing.Encode("svg")
		if err := errors.Join(err, err2); err != nil || string(x) != string(y) {
			t.Errorf("figure %s differs the second time: %v", f.Name, err)
		}
	}
}

// A cell does not change when the experiment grows, and whatever changes its
// tables is in its spec.
func TestMCCheckSpecs(t *testing.T) {
	a, b := runSmallCheck(t), run(t, parse(t, smallCheck, "mc_check.classes=[3, 2]", "mc_check.rho=[0.2, 0.4, 0]", "mc_check.cases=3"))
	for i, c := range a.cells {
		j := slices.IndexFunc(b.cells, func(other Cell) bool { return other.Key == c.Key })
		if j < 0 || spec(t, c) != spec(t, b.cells[j]) || !reflect.DeepEqual(a.tables[i], b.tables[j]) {
			t.Errorf("%s changed in the larger experiment", c.Key)
		}
	}
	seen := map[string]string{}
	for _, override := range []string{
		"name=other", "seed=6", "mc_check.samples=20001", "mc_check.spread=2", "mc_check.variance=2",
		"mc_check.lambda=[0.1, 1.5]", "mc_check.lambda=[0.2, 1.4]", "seed=5",
	} {
		experiment, err := New(parse(t, smallCheck, override))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range experiment.Cells() {
			s := spec(t, c)
			if other, ok := seen[s]; ok {
				t.Errorf("%s of %s and %s have one spec", c.Key, override, other)
			}
			seen[s] = override
		}
	}
}

// A stream is named by the manifest, its seed, the cell and the purpose.
func TestMCCheckStreams(t *testing.T) {
	s := mcCheckSpec{Manifest: "m", Seed: 7, Name: [4]string{"probit", "3", "0.4", "2"}}
	want := rand.New(random.Source("m", 7, "mc_check", "probit n=3 rho=0.4 case=2", "samples"))
	if got := s.rand("samples").Uint64(); got != want.Uint64() {
		t.Error("another stream than the documented one")
	}
}

// Every row is there once, with the indices of its quantity.
func TestMCCheckRows(t *testing.T) {
	o := runSmallCheck(t)
	count := func(table, formula, quantity, n string) int {
		where := record{"formula": formula, "classes": n, "case": "2"}
		column := map[string]string{"zscores": "quantity", "gaps": "matrix", "inputs": "input"}[table]
		where[column] = quantity
		seen := map[string]bool{}
		for _, r := range records(t, o.report.Tables, table, where) {
			id := fmt.Sprint(r["rho"], r["of"], r["i"], r["j"])
			if seen[id] {
				t.Errorf("%s of %s %s: i, j = %s, %s is there twice", table, formula, quantity, r["i"], r["j"])
			}
			seen[id] = true
		}
		return len(seen)
	}
	for _, c := range []struct {
		table, formula, quantity string
		none, two, three         int // rows without classes, with 2 and with 3
	}{
		{"zscores", "activation", "mean", 1, 0, 0},
		{"zscores", "activation", "variance", 1, 0, 0},
		{"zscores", "activation", "cross", 1, 0, 0},
		{"zscores", "probit", "p", 0, 4, 6},
		{"zscores", "probit", "E", 0, 4, 12},
		{"zscores", "probit_corr", "p", 0, 0, 3},
		{"zscores", "probit_corr", "cross", 0, 0, 9},
		{"zscores", "softmax", "p", 0, 2, 3},
		{"zscores", "softmax", "E", 0, 1, 3},
		{"zscores", "softmax", "variance", 0, 2, 3},
		{"gaps", "covariance", "sigma_y", 0, 6, 12},
		{"gaps", "covariance", "sigma_zy", 0, 8, 18},
		{"inputs", "activation", "mean", 1, 0, 0},
		{"inputs", "activation", "alpha", 1, 0, 0},
		{"inputs", "activation", "beta", 1, 0, 0},
		{"inputs", "probit", "lambda", 0, 2, 2},
		{"inputs", "probit_corr", "corr", 0, 0, 1},
		{"inputs", "softmax", "variance", 0, 2, 3},
	} {
		for n, want := range map[string]int{"": c.none, "2": c.two, "3": c.three} {
			if got := count(c.table, c.formula, c.quantity, n); got != want {
				t.Errorf("%s: %d rows of %s %s for n = %q, want %d", c.table, got, c.formula, c.quantity, n, want)
			}
		}
	}
	for _, r := range records(t, o.report.Tables, "zscores", nil) {
		if r["trusted"] == "true" {
			near(t, "z", r.number(t, "z"), (r.number(t, "mc")-r.number(t, "value"))/r.number(t, "se"), 1e-6)
		} else if r["z"] != "" {
			t.Errorf("%s: a z-score %s that is not trusted", r["formula"], r["z"])
		}
	}
}

// The values of the tables are those of the formulas at the inputs of the
// tables: rows and columns are not mixed up.
func TestMCCheckValues(t *testing.T) {
	o := runSmallCheck(t)
	input := func(formula, n, rho, name string) (x []float64) {
		for _, r := range records(t, o.report.Tables, "inputs", record{"formula": formula, "classes": n, "rho": rho, "case": "1", "input": name}) {
			x = append(x, r.number(t, "value"))
		}
		return x
	}
	value := func(where record) float64 {
		where["case"] = "1"
		rows := records(t, o.report.Tables, "zscores", where)
		if len(rows) != 1 {
			t.Fatalf("%d rows of %v", len(rows), where)
		}
		return rows[0].number(t, "value")
	}
	m := softmax.NewMoments(3)
	softmax.Probit{Lambda: input("probit", "3", "0.4", "lambda")[0], Rho: 0.4}.Moments(m, input("probit", "3", "0.4", "mean"), input("probit", "3", "0.4", "variance"))
	for j := range 3 {
		class := strconv.Itoa(j + 1)
		near(t, "p", value(record{"formula": "probit", "classes": "3", "rho": "0.4", "quantity": "p", "j": class}), m.P[j], 0)
		for i := range 3 {
			if i != j {
				got := value(record{"formula": "probit", "classes": "3", "rho": "0.4", "quantity": "E", "i": strconv.Itoa(i + 1), "j": class})
				near(t, "E", got, m.E.At(j, i), 0)
			}
		}
	}
	unit := activation.PiecewiseLinear{Alpha: input("activation", "", "", "alpha")[0], Beta: input("activation", "", "", "beta")[0]}
	mean, variance, cross := unit.Moments(input("activation", "", "", "mean")[0], input("activation", "", "", "variance")[0])
	for quantity, want := range map[string]float64{"mean": mean, "variance": variance, "cross": cross} {
		near(t, quantity, value(record{"formula": "activation", "quantity": quantity}), want, 0)
	}
}

// Right formulas pass, where there are samples enough to tell.
func TestMCCheckAgrees(t *testing.T) {
	for _, r := range records(t, runSmallCheck(t).report.Tables, "summary", nil) {
		if r["verdict"] == "disagrees" || r["verdict"] == "untested" && r["formula"] != "activation" {
			t.Errorf("%s %s %s: max |z| %s of %s, p = %s", r["formula"], r["quantity"], r["verdict"], r["max_abs_z"], r["scores"], r["ks_p"])
		}
	}
}

// The check can fail: each formula with a small mistake in its inputs has a
// z-score beyond 5.
func TestMCCheckFindsMistakes(t *testing.T) {
	z := logits{mean: []float64{0.3, -0.2, 0.5}, variance: []float64{1, 0.5, 2}}
	rnd := func() *rand.Rand { return rand.New(random.Source("mc_check_test", 1)) }
	factor := mcFactor{{1}, {0.6, 0.8}}
	probit := func(p softmax.Probit) mcProblem { return mcProbitProblem(p, z, rnd()) }
	corr := func(f mcFactor, lambda float64) mcProblem {
		return mcProbitCorrProblem(softmax.ProbitCorr{Lambda: lambda, Corr: f.correlation()}, f, z, rnd())
	}
	unit := func(beta float64) mcProblem {
		return mcActivationProblem(activation.PiecewiseLinear{Alpha: 0.2, Beta: beta}, -0.3, 2, rnd())
	}
	for _, c := range []struct {
		name         string
		right, wrong mcProblem
	}{
		{"slope of the unit", unit(1), unit(1.02)},
		{"λ", probit(softmax.Probit{Lambda: 0.6, Rho: 0.3}), probit(softmax.Probit{Lambda: 0.65, Rho: 0.3})},
		{"ρ", probit(softmax.Probit{Lambda: 0.6, Rho: 0.3}), probit(softmax.Probit{Lambda: 0.6, Rho: 0.33})},
		{"Σ_0", corr(factor, 0.6), corr(mcFactor{{1}, {0.8, 0.6}}, 0.6)},
		{"λ with Σ_0", corr(factor, 0.6), corr(factor, 0.7)},
	} {
		largest := func() (z float64) {
			scores, err := c.right.estimate(context.Background(), 200000)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range scores {
				if !s.trusted() {
					t.Errorf("%s: %s is not trusted", c.name, s.quantity)
				}
				z = max(z, math.Abs(s.z()))
			}
			return z
		}
		if z := largest(); !(z < 4) {
			t.Errorf("%s: max |z| = %g where all is right", c.name, z)
		}
		for k := range c.right.scores {
			c.right.scores[k].value = c.wrong.scores[k].value
		}
		if z := largest(); !(z > 5) {
			t.Errorf("%s: max |z| = %g where it is wrong", c.name, z)
		}
	}
}

// So has the softmax, which is estimated by package montecarlo, and in several
// blocks.
func TestMCSoftmaxFindsMistakes(t *testing.T) {
	s := mcCheckSpec{Manifest: "mc_check_test", Classes: 3, Samples: 2*mcBlock + 1}
	scores := func(scale float64) []mcScore {
		in := mcInputs{logits: logits{mean: []float64{0.3, -0.2, 0.5}, variance: []float64{scale, 0.5 * scale, 2 * scale}}}
		out, err := mcSoftmax(context.Background(), s, in)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	var right, wrong float64
	other := scores(1.2)
	for k, s := range scores(1) {
		if !s.trusted() || !(s.effective < 2*mcBlock+1) {
			t.Errorf("%s: %g effective samples", s.quantity, s.effective)
		}
		right = max(right, math.Abs(s.z()))
		s.value = other[k].value
		wrong = max(wrong, math.Abs(s.z()))
	}
	if !(right < 4 && wrong > 5) {
		t.Errorf("max |z| = %g where all is right, %g where it is wrong", right, wrong)
	}
	// The standard errors are those of so many samples in one block.
	e := montecarlo.NewEstimate(3)
	e.Sample([]float64{0.3, -0.2, 0.5}, []float64{1, 0.5, 2}, s.Samples, random.Source("other"))
	for k, score := range scores(1) {
		want := append(append(slices.Clone(e.PErr), e.EErr.At(0, 1), e.EErr.At(0, 2), e.EErr.At(1, 2)), e.VarErr...)[k]
		near(t, score.quantity+" se, in that of one block", score.se/want, 1, 0.03)
	}
}

func TestMCCheckCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range runSmallCheck(t).cells {
		if tables, err := c.Run(ctx); !errors.Is(err, context.Canceled) || tables != nil {
			t.Errorf("%s: %v, %d tables", c.Key, err, len(tables))
		}
	}
	// Also on the way, at the next block.
	ctx, cancel = context.WithCancel(context.Background())
	drawn := 0
	p := mcProblem{scores: make([]mcScore, 1), sample: func([]float64) { drawn++; cancel() }}
	if _, err := p.estimate(ctx, 10*mcBlock); !errors.Is(err, context.Canceled) || drawn != mcBlock {
		t.Errorf("%v after %d samples, want %v after %d", err, drawn, context.Canceled, mcBlock)
	}
}
