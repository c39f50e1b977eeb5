package hidden

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/core/bnn"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// manifest has a method that breaks down: joint, at so steep a λ.
const manifest = `
name = "small_hidden"; study = "hidden"; seed = 2
hidden = {test = 400, snapshots = [5, 60], passes = [1, 3]}
model = {bias = true, rule = "adf", hidden = "smooth", prior_var = 3.0, prior_mean_var = 10.0, prior_draw = "independent", hidden_layers = [6]}
sweep = {seed = [1, 2, 3]}
[[task]]; name = "xor"; generator = "xor"; train = 60
[[task]]; name = "arms"; generator = "spirals"; noise = 0.2; train = 70
[[method]]; name = "linear"; hidden_layers = []
[[method]]; name = "random"; hidden = "frozen"; random_features = true
[[method]]; name = "smooth"
[[method]]; name = "joint"; rule = "joint"; lambda = 3
`

// network returns that of a method with its prior weights.
func network(t *testing.T, seed, classes int, hidden bnn.HiddenRule) *bnn.Network {
	t.Helper()
	cfg := bnn.Default(2, 6, classes)
	cfg.Hidden, cfg.PriorVar, cfg.PriorMeanVar, cfg.PriorDraw = hidden, []float64{3, 3}, 10, bnn.Independent
	n := check.Must(bnn.New(cfg, random.Source("small_hidden", seed, "prior")))
	return n
}

func draw(g data.Generator, n, seed int, purpose ...any) data.Set {
	return g.Task().Draw(n, random.Source(append([]any{"small_hidden", seed}, purpose...)...))
}

// The tables are those of networks that are trained by hand.
func TestTables(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest)
	for name, test := range map[string]func(*testing.T, table.Set){"curve": curve, "summary": summary, "broken": broken} {
		t.Run(name, func(t *testing.T) { test(t, tables) })
	}
}

// The first pass is in the order of the draw, the others are shuffled.
func curve(t *testing.T, tables table.Set) {
	curve := tables.Get("curve")
	arms := data.Generator{Name: "spirals", Noise: 0.2}
	n := network(t, 3, 3, bnn.Smooth)
	train, test := draw(arms, 70, 3, "train", "arms"), draw(arms, 400, 3, "test", "arms")
	for seen := range 210 {
		pass, k := seen/70+1, seen%70
		i := k
		if pass > 1 {
			i = rand.New(random.Source("small_hidden", 3, "pass", pass)).Perm(70)[k]
		}
		check.Must(n.Observe(train.X[i], train.Class[i]))
		if !slices.Contains([]int{5, 60, 70, 210}, seen+1) {
			continue
		}
		e := check.Must(bnn.Combine(n))
		p := learner.NewClassifier(&learner.Network{Model: e}, 3).Probabilities(test.X)
		r := studytest.Rows(t, curve, fmt.Sprintf("method=smooth task=arms seed=3 seen=%d pass=%d k=%d failed=0", seen+1, pass, k+1))
		check.Near(t, "accuracy", r.Nums("accuracy")[0], metric.Accuracy(p, test.Class), 1e-12)
		check.Near(t, "log loss", r.Nums("log_loss")[0], metric.LogLoss(p, test.Class), 1e-9)
		check.Near(t, "ECE", r.Nums("ece")[0], metric.ECE(p, test.Class, 15), 1e-9)
	}
	// A snapshot at the end of a pass, of XOR, is one row.
	check.Equal(t, "rows of XOR and of the arms", []any{curve.Where("task", "xor").Len(), curve.Where("task", "arms").Len()}, []any{4 * 3 * 3, 4 * 3 * 4})
}

// What the study is for, too: no linear model does XOR, a hidden layer does.
func summary(t *testing.T, tables table.Set) {
	mean := studytest.Rows(t, tables.Get("curve_summary"), "method=smooth task=xor pass=3 seeds=3").Nums("accuracy")[0]
	linear := studytest.Rows(t, tables.Get("curve_summary"), "method=linear task=xor pass=3").Nums("accuracy")[0]
	if !(linear < 0.7 && mean > 0.9) {
		t.Errorf("accuracy %g without and %g with a hidden layer", linear, mean)
	}
}

// A network that breaks down is scored as one that knows nothing, and counted.
func broken(t *testing.T, tables table.Set) {
	broken := tables.Get("curve").Where("failed", 1)
	for i, task := range broken.Texts("task") {
		classes := map[string]float64{"xor": 2, "arms": 3}[task]
		check.Near(t, "log loss", broken.Nums("log_loss")[i], math.Log(classes), 1e-12)
	}
	if got := broken.Distinct("method"); !slices.Equal(got, []string{"joint"}) {
		t.Errorf("%q broke down", got)
	}
}

func TestSpec(t *testing.T) {
	studytest.Differ(t, Kind, manifest, "name=other", "sweep.seed=[2]", "hidden.test=41", "hidden.snapshots=[5]", "hidden.passes=[2]", "task.xor.noise=0.3",
		"task.xor.train=61", "method.linear.hidden_layers=[2]", "model.prior_var=4")
}

func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, manifest, map[string]string{
		"hidden.snapshots=[5, 61]": "from 1 to 60", "hidden.passes=[1, 1]": "increasing", "hidden.passes=[]": "hidden.passes: [] is",
		"task.arms.rings=3": "no rings", "model.layers=[2, 3]": "layers", "hidden.test=0": "1 to",
	})
}
