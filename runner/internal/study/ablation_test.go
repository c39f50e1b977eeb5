package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"closedform/core/random"
	"closedform/core/softmax"
	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

const smallAblation = `
name  = "small_ablation"
study = "ablation"
seed  = 1

[ablation]
classes  = [3]
spread   = 2
variance = 1
draws    = 20

[data]
generator = "wedges"
train     = 8

[model]
layers     = [2, 3]
prior_mean = [[1, 0], [0, 1], [1, 1]]
on_indefinite = "project"

[evaluate]
grid = 9

[sweep]
seed   = [1, 2, 3]
lambda = [1.5, 0.2, 0.55]
rho    = [0.5, 0.2]

[[variant]]
name = "joint"

[[variant]]
name = "total"
rule = "total"
`

func TestAblation(t *testing.T) {
	o := run(t, parse(t, smallAblation))
	report := o.report
	errors, learning, marks := find(report.Tables, "errors"), find(report.Tables, "learning"), find(report.Tables, "marks")
	if len(errors.Rows) != 6 || len(learning.Rows) != 12 || len(marks.Rows) != 2 {
		t.Fatalf("%d, %d and %d rows", len(errors.Rows), len(learning.Rows), len(marks.Rows))
	}
	half := errors.where("rho", "0.5")
	if tv := half.floats("tv"); !(tv[1] < tv[0] && tv[1] < tv[2]) {
		t.Errorf("total variation %v at λ = 0.2, 0.55, 1.5: not least near the fitted λ", tv)
	}
	if x := half.floats("indefinite"); !(x[0] == 0 && x[2] > 0.5) {
		t.Errorf("share of indefinite Σ_y %v at λ = 0.2, 0.55, 1.5", x)
	}
	for i, rho := range errors.floats("rho") {
		asymmetry, excess := errors.floats("asymmetry")[i], errors.floats("excess")[i]
		if rho == 0.5 && !(asymmetry < 1e-10 && excess < 1e-10) || rho != 0.5 && !(asymmetry > 1e-4 && excess > 1e-4) {
			t.Errorf("ρ = %g: asymmetry %g, |Σp − 1| %g", rho, asymmetry, excess)
		}
	}
	joint, total := learning.where("variant", "joint").where("rho", "0.5"), learning.where("variant", "total").where("rho", "0.5")
	if x := joint.floats("indefinite_steps"); !(x[0] == 0 && x[2] > 1) {
		t.Errorf("indefinite steps %v of rule joint at λ = 0.2, 0.55, 1.5", x)
	}
	if x := total.floats("indefinite_steps"); !(x[0] == 0 && x[2] == 0) {
		t.Errorf("indefinite steps %v of rule total", x)
	}
	low, mean, high := joint.floats("accuracy_low"), joint.floats("accuracy"), joint.floats("accuracy_high")
	if !(low[0] < mean[0] && mean[0] < high[0] && mean[0] > 0.2) {
		t.Errorf("accuracy %g from %g to %g", mean[0], low[0], high[0])
	}
	if got, want := marks.where("rho", "0.2").floats("slope")[0], softmax.SlopeLambda(3, 0.2); got != want {
		t.Errorf("slope-matched λ = %g, want %g", got, want)
	}
	for _, f := range report.Figures {
		if _, err := f.Drawing.Encode("png"); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if again := run(t, parse(t, smallAblation)); !reflect.DeepEqual(o.tables, again.tables) {
		t.Error("the cells are not the same the second time")
	}
}

// The networks are those of the study learn.
func TestAblationLearnsAsLearn(t *testing.T) {
	src := strings.NewReplacer("small_ablation", "same", `seed   = [1, 2, 3]`, "seed = [1]").Replace(smallAblation)
	ablation := run(t, parse(t, src)).report
	learn := strings.NewReplacer(`study = "ablation"`, `study = "learn"`, "grid = 9", "grid = 9\nsnapshots = [8]\n[monte_carlo]\nsamples = 2").Replace(src)
	a, z := strings.Index(learn, "[ablation]"), strings.Index(learn, "[data]")
	report := run(t, parse(t, learn[:a]+learn[z:])).report
	summary := find(report.Tables, "summary")
	learning := find(ablation.Tables, "learning")
	indefinite := learning.floats("indefinite_steps")
	for k, row := range learning.Rows {
		want := summary.where("variant", row[0]+" lambda="+row[2]+" rho="+row[1])
		if got := row[4]; got != store.Float(want.floats("accuracy")[0]) {
			t.Errorf("%v: accuracy %s, study learn has %g", row[:3], got, want.floats("accuracy")[0])
		}
		if n := indefinite[k]; n != want.floats("indefinite_steps")[0] {
			t.Errorf("%v: %g indefinite steps, study learn has %g", row[:3], n, want.floats("indefinite_steps")[0])
		}
	}
}

// The asymmetry is a mean over the draws.
func TestAblationAsymmetry(t *testing.T) {
	o := run(t, parse(t, smallAblation))
	rnd := rand.New(random.Source("small_ablation", 1, "logits", 3))
	m, want := softmax.NewMoments(3), 0.0
	for range 20 {
		z := drawLogits(3, 2, 1, 0.5, rnd)
		softmax.Probit{Lambda: 0.55, Rho: 0.2}.Moments(m, z.mean, z.variance)
		want += m.Asymmetry() / 20
	}
	r := records(t, o.report.Tables, "errors", record{"rho": "0.2", "lambda": "0.55"})[0]
	near(t, "asymmetry", r.number(t, "asymmetry"), want, 1e-12)
}

// Every map is of its own number of classes or variant.
func TestAblationMaps(t *testing.T) {
	o := run(t, parse(t, smallAblation, "ablation.classes=[3, 2]", "ablation.draws=4"))
	moments, networks := o.experiment.(*ablation).maps(o.report.Tables)
	errors, learning := find(o.report.Tables, "errors"), find(o.report.Tables, "learning")
	for k, h := range momentsHeat {
		for i, n := range []string{"3", "2"} {
			m, want := moments[k].Maps[i], errors.where("classes", n).floats(h.column)
			if !slices.Equal(m.Z, want) || m.Title != "$n$ = "+n || len(m.X) != 3 || len(m.Y) != 2 {
				t.Errorf("%s: %v, want %v of %s classes", h.column, m, want, n)
			}
		}
	}
	for k, h := range learningHeat {
		for i, variant := range []string{"joint", "total"} {
			m, want := networks[k].Maps[i], learning.where("variant", variant).floats(h.column)
			if fmt.Sprint(m.Z) != fmt.Sprint(want) || m.Title != variant {
				t.Errorf("%s: %v, want %v of %s", h.column, m, want, variant)
			}
		}
	}
	// The maps of both could have been one.
	if slices.Equal(moments[0].Maps[0].Z, moments[0].Maps[1].Z) || slices.Equal(networks[0].Maps[0].Z, networks[0].Maps[1].Z) {
		t.Error("all columns are the same")
	}
}

// A scale has two ends also where there is one value, or none.
func TestHeatScale(t *testing.T) {
	for _, c := range []struct {
		log       bool
		z         []float64
		low, high float64
	}{
		{false, []float64{2, 1, math.NaN(), math.Inf(1)}, 1, 2},
		{true, []float64{2, 1, 0, -1, math.Inf(1)}, 1, 2},
		{true, []float64{0.01, 0.01}, 0.005, 0.02},
		{false, []float64{0, 0}, -0.5, 0.5},
		{false, []float64{1e20}, 0.5e20, 1.5e20},
		{true, []float64{math.NaN(), math.Inf(1), 0}, 0.1, 1},
		{false, []float64{math.NaN(), math.Inf(1)}, 0.1, 1},
	} {
		s := heat{log: c.log}.row([]figures.Map{{Z: c.z}}).Scale
		if s.Min != c.low || s.Max != c.high {
			t.Errorf("%v: scale from %g to %g, want %g to %g", c.z, s.Min, s.Max, c.low, c.high)
		}
	}
}

// Steps that were skipped are counted, and no others; one seed has no interval.
func TestAblationSkippedSteps(t *testing.T) {
	o := run(t, parse(t, smallAblation, "model.on_indefinite=skip", "sweep.seed=[1]"))
	for _, r := range records(t, o.report.Tables, "learning", record{"variant": "joint", "rho": "0.5"}) {
		skipped, indefinite := r.number(t, "skipped_steps"), r.number(t, "indefinite_steps")
		if skipped < indefinite || skipped == 8 || (skipped > 0) != (r["lambda"] != "0.2") {
			t.Errorf("λ = %s: %g steps of 8 skipped, %g indefinite", r["lambda"], skipped, indefinite)
		}
		if r["accuracy_low"] != "" || r["accuracy_high"] != "" || r["accuracy"] == "" {
			t.Errorf("accuracy %s from %s to %s with one seed", r["accuracy"], r["accuracy_low"], r["accuracy_high"])
		}
	}
	for _, r := range records(t, run(t, parse(t, smallAblation)).report.Tables, "learning", nil) {
		near(t, "skipped steps with repairs", r.number(t, "skipped_steps"), 0, 0)
	}
}

// Infinite losses of some seeds do not hide those of the others.
func TestAblationInfiniteLoss(t *testing.T) {
	some := false
	for _, r := range records(t, run(t, parse(t, smallAblation)).report.Tables, "learning", nil) {
		share := r.number(t, "log_loss_infinite")
		some = some || share > 0
		if (share == 1) != (r["log_loss"] == "") || strings.Contains(fmt.Sprint(r), "Inf") {
			t.Errorf("%v", r)
		}
	}
	if !some {
		t.Error("no loss was infinite")
	}
	if got := finite([]float64{1, math.Inf(1), 3, math.NaN()}); !slices.Equal(got, []float64{1, 3}) {
		t.Errorf("finite numbers %v", got)
	}
}

func TestAblationOfAnIndefiniteStep(t *testing.T) {
	experiment, err := New(parse(t, strings.Replace(smallAblation, `on_indefinite = "project"`, "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range experiment.Cells() {
		if !strings.HasPrefix(c.Key, "learn joint") {
			continue
		}
		if _, err := c.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "on_indefinite") {
			t.Errorf("%s: error %v does not say what to do", c.Key, err)
		}
	}
}
