package hidden

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/check"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// manifest has a method that breaks down: joint, at so steep a λ.
const manifest = `
name = "small_hidden"; study = "hidden"; seed = 2
hidden = {test = 400, snapshots = [5, 60], passes = [1, 3], grid = 7, maps = ["random", "joint"]}
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
	for name, test := range map[string]func(*testing.T, table.Set){"curve": curve, "summary": summary, "broken": broken, "maps": maps} {
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
		p := learner.NewTolerant(&learner.Network{Model: e}, 3).Probabilities(test.X)
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
	arms := studytest.Rows(t, tables.Get("tasks"), "task=arms classes=3")
	check.Near(t, "Bayes error", arms.Nums("bayes_error")[0], data.Generator{Name: "spirals", Noise: 0.2}.Task().BayesError(), 0)
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
	of := tables.Get("maps").Where("method", "joint").Where("task", "arms")
	check.Near(t, "p", of.Nums("p2")[0], 1./3, 1e-6)
	if own, exact := of.Nums("variance")[0], of.Nums("variance_exact")[0]; !math.IsNaN(own) || !math.IsNaN(exact) {
		t.Errorf("variances %g and %g", own, exact)
	}
}

// The maps are of the network after the first pass of the drawn seed. Random features stay as they were drawn.
func maps(t *testing.T, tables table.Set) {
	set := draw(data.Generator{Name: "xor"}, 60, 2, "train", "xor")
	n := network(t, 2, 2, bnn.Frozen)
	mean, cov := n.Weights(0)
	for j := range cov {
		cov[j] = mat.NewDiagDense(3, nil)
	}
	check.OK(t, n.SetWeights(0, mean, cov))
	listed := tables.Get("train").Where("task", "xor")
	for k, x := range set.X {
		check.Must(n.Observe(x, set.Class[k]))
		check.NearAll(t, "example", []float64{listed.Nums("x1")[k], listed.Nums("x2")[k], listed.Nums("class")[k]},
			[]float64{x[0], x[1], float64(set.Class[k] + 1)}, 6e-4)
	}
	of := tables.Get("maps").Where("method", "random").Where("task", "xor")
	if of.Len() != 49 || !slices.Equal(of.Nums("x2")[:7], slices.Repeat(of.Nums("x2")[:1], 7)) {
		t.Fatalf("%d points", of.Len())
	}
	var p bnn.Prediction
	var exact mat.SymDense
	moments := softmax.NewMoments(2)
	for i := range of.Len() {
		check.OK(t, n.Predict(&p, []float64{of.Nums("x1")[i], of.Nums("x2")[i]}))
		softmax.Exact{}.Moments(moments, p.Mean, p.Variance)
		moments.Cov(&exact)
		for column, want := range map[string]float64{"p1": p.P[0], "p2": p.P[1], "entropy": stat.Entropy(p.P), "variance": mat.Trace(p.Cov), "variance_exact": mat.Trace(&exact)} {
			check.Near(t, column, of.Nums(column)[i], want, 2e-5)
		}
		if p3 := of.Nums("p3")[i]; !math.IsNaN(p3) {
			t.Errorf("class 3 of two: %g", p3)
		}
	}
}

func TestSpec(t *testing.T) {
	studytest.Differ(t, Kind, manifest, "name=other", "sweep.seed=[2]", "hidden.test=41", "hidden.snapshots=[5]", "hidden.passes=[2]", "task.xor.noise=0.3",
		"task.xor.train=61", "method.linear.hidden_layers=[2]", "model.prior_var=4")
}

func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, manifest, map[string]string{
		"hidden.snapshots=[5, 61]": "from 1 to 60", "hidden.passes=[1, 1]": "increasing", "hidden.passes=[]": "hidden.passes: [] is",
		`hidden.maps=["d"]`: "not a method", "task.arms.rings=3": "no rings", "model.layers=[2, 3]": "layers", "hidden.test=0": "1 to",
	})
}
