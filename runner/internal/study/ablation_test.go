package study

import (
	"context"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"closedform/core/softmax"
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
	for _, row := range find(ablation.Tables, "learning").Rows {
		want := summary.where("variant", row[0]+" lambda="+row[2]+" rho="+row[1])
		if got := row[4]; got != store.Float(want.floats("accuracy")[0]) {
			t.Errorf("%v: accuracy %s, study learn has %g", row[:3], got, want.floats("accuracy")[0])
		}
		if n, _ := strconv.ParseFloat(row[10], 64); n != want.floats("indefinite_steps")[0] {
			t.Errorf("%v: %g indefinite steps, study learn has %g", row[:3], n, want.floats("indefinite_steps")[0])
		}
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
