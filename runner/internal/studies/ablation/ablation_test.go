package ablation

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/data"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

const small = `
name = "small_ablation"; study = "ablation"; seed = 1
[ablation]; classes = [3, 2]; spread = 2; variance = 1; draws = 20
[data]; generator = "wedges"; train = 8
[model]; bias = false; rule = "joint"; prior_var = 1; layers = [2, 3]; prior_mean = [[1, 0], [0, 1], [1, 1]]; on_indefinite = "project"
[evaluate]; grid = 9
[sweep]; seed = [1, 2, 3]; lambda = [1.5, 0.2, 0.55]; rho = [0.5, 0.2]
[[method]]; name = "joint"
[[method]]; name = "total"; rule = "total"
`

func TestMoments(t *testing.T) {
	tables := studytest.Run(t, Kind, small)
	errors, marks := tables.Get("errors"), tables.Get("marks")
	if errors.Len() != 12 || marks.Len() != 4 || tables.Get("summary").Len() != 12 {
		t.Fatalf("%d, %d and %d rows", errors.Len(), marks.Len(), tables.Get("summary").Len())
	}
	for _, word := range []string{"slope", "lsq", "minimax"} {
		check.Near(t, word, marks.Where("classes", 3).Where("rho", 0.2).Nums(word)[0], probit.Lambda{Word: word}.Value(3, 0.2), 0)
	}
	// Means over the draws, at the logits of this number of classes.
	want := approx.NewErrors(softmax.Probit{Lambda: 0.55, Rho: 0.2}, 20)
	problems := approx.Problems{Classes: 3, Spread: 2, Variance: 1, Unequal: 0.5}
	check.OK(t, problems.Compare(t.Context(), rand.New(study.Stream("small_ablation", 1, "logits", 3)), []*approx.Errors{want}))
	row := errors.Where("classes", 3).Where("rho", 0.2).Where("lambda", 0.55)
	check.Near(t, "asymmetry", row.Nums("asymmetry")[0], want.Asymmetry(), 0)
	for i, c := range approx.Columns() {
		check.Near(t, c.Name, row.Nums(c.Name)[0], want.Row()[i], 0)
	}
}

func network(t *testing.T, rule bnn.OutputRule, policy bnn.Policy, lambda, rho float64, seed int) *bnn.Network {
	t.Helper()
	cfg := bnn.Default(2, 3)
	cfg.Bias, cfg.Output, cfg.PriorVar = false, rule, []float64{1}
	cfg.Softmax, cfg.Paper.OnIndefinite = softmax.Probit{Lambda: lambda, Rho: rho}, policy
	n := check.Must(bnn.New(cfg, study.Stream("small_ablation", seed, "prior")))
	_, cov := n.Weights(0)
	check.OK(t, n.SetWeights(0, mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}), cov))
	return n
}

// The means over the seeds are those of networks that are driven by hand. Infinite
// losses of some seeds do not hide those of the others.
func TestNetworks(t *testing.T) {
	summary := studytest.Run(t, Kind, small).Get("summary")
	some := false
	for _, method := range []string{"joint", "total"} {
		for _, rho := range []float64{0.2, 0.5} {
			for _, lambda := range []float64{0.2, 0.55, 1.5} {
				var accuracy, loss, indefinite []float64
				for seed := 1; seed <= 3; seed++ {
					n := network(t, bnn.OutputRule(method), bnn.Project, lambda, rho, seed)
					a, l, steps := byHand(t, n, seed)
					accuracy, indefinite = append(accuracy, a), append(indefinite, steps)
					if !math.IsInf(l, 0) {
						loss = append(loss, l)
					}
				}
				row := summary.Where("method", method).Where("rho", rho).Where("lambda", lambda)
				what := fmt.Sprintf("%s, ρ = %g, λ = %g: ", method, rho, lambda)
				mean, low, high := table.Student(accuracy)
				check.NearAll(t, what+"accuracy", []float64{row.Nums("accuracy")[0], row.Nums("accuracy_low")[0], row.Nums("accuracy_high")[0]}, []float64{mean, max(0, low), min(1, high)}, 1e-12)
				mean, _, _ = table.Student(indefinite)
				check.Near(t, what+"indefinite steps", row.Nums("indefinite_steps")[0], mean, 1e-12)
				check.Near(t, what+"infinite", row.Nums("log_loss_infinite")[0], 1-float64(len(loss))/3, 1e-15)
				check.Near(t, what+"skipped", row.Nums("skipped_steps")[0], 0, 0)
				if mean, _, _ = table.Student(loss); len(loss) > 0 {
					check.Near(t, what+"log loss", row.Nums("log_loss")[0], mean, 1e-12)
				}
				some = some || len(loss) > 0 && len(loss) < 3
				if x := row.Texts("log_loss")[0]; (x == "") != (len(loss) == 0) {
					t.Errorf("%slog loss %q of %d finite ones", what, x, len(loss))
				}
			}
		}
	}
	if !some {
		t.Error("no infinite loss beside finite ones: nothing is tested")
	}
}

// byHand returns accuracy and log loss of a network on the grid, diagonals apart, after the examples of
// a seed, and its indefinite steps.
func byHand(t *testing.T, n *bnn.Network, seed int) (accuracy, loss, indefinite float64) {
	t.Helper()
	task := data.Generator{Name: "wedges"}.Task()
	train := task.Draw(8, study.Stream("small_ablation", seed, "train"))
	for i, x := range train.X {
		update := check.Must(n.Observe(x, train.Class[i]))
		if update.Indefinite {
			indefinite++
		}
	}
	var test data.Set
	for i := range 81 {
		if x := []float64{-2 + 0.5*float64(i%9), -2 + 0.5*float64(i/9)}; math.Abs(x[0]) != math.Abs(x[1]) {
			test.X, test.Class = append(test.X, x), append(test.Class, task.Label(x))
		}
	}
	accuracy, loss = scores(t, n, test)
	return accuracy, loss, indefinite
}

// scores returns accuracy and log loss of a network.
func scores(t *testing.T, n *bnn.Network, test data.Set) (accuracy, loss float64) {
	t.Helper()
	var p bnn.Prediction
	for i, x := range test.X {
		check.OK(t, n.Predict(&p, x))
		right := p.P[test.Class[i]]
		if slices.Max(p.P) == right {
			accuracy += 1 / float64(len(test.X))
		}
		loss -= math.Log(right/(p.P[0]+p.P[1]+p.P[2])) / float64(len(test.X))
	}
	return accuracy, loss
}

// Steps that were skipped are counted, and no others; one seed has no interval.
func TestSkippedSteps(t *testing.T) {
	summary := studytest.Run(t, Kind, small, "model.on_indefinite=skip", "sweep.seed=[1]", "ablation.classes=[2]").Get("summary")
	joint := summary.Where("method", "joint").Where("rho", 0.5)
	if x, y := joint.Nums("skipped_steps"), joint.Nums("indefinite_steps"); !(x[0] == 0 && x[1] >= y[1] && y[1] > 0 && x[2] >= y[2] && x[2] < 8) {
		t.Errorf("skipped steps %v at λ = 0.2, 0.55, 1.5, indefinite ones %v", x, y)
	}
	if low := joint.Texts("accuracy_low"); low[0] != "" || joint.Texts("accuracy")[0] == "" {
		t.Errorf("accuracy of one seed from %q", low)
	}
	for _, c := range studytest.New(t, Kind, small, "model.on_indefinite=fail").Cells() {
		if _, err := c.Run(context.Background()); strings.HasPrefix(c.Key, "learn joint") && (err == nil || !strings.Contains(err.Error(), "on_indefinite")) {
			t.Errorf("%s: error %v does not say what to do", c.Key, err)
		}
	}
}

// A λ or ρ that the sweep replaces cannot be set.
func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, small, map[string]string{
		"model.rho=0.25": "rho of joint", "method.total.lambda=0.3": "total", "sweep.lambda=[0.1]": "sweep.lambda", "sweep.lambda=[0.1, 0.1]": "sweep.lambda", "sweep.lambda=[0.1, \"lsq\"]": "lsq",
		"sweep.rho=[0.5]": "sweep.rho: [0.5] is not", "sweep.rho=[0, 1]": "sweep.rho: 1 is not", "sweep.rho=[0, 0.995]": "sweep.rho: 0.995 is not", "ablation.classes=[1]": "2 to", "ablation.unequal=1": "unequal", "ablation.draws=0": "draws",
		"evaluate.grid=1": "grid", "ablation.spread=-1": "spread",
	})
	studytest.Differ(t, Kind, small, "seed=2", "ablation.spread=1", "ablation.variance=2", "ablation.unequal=0", "ablation.draws=3", "sweep.rho=[0.1, 0.5]", "sweep.lambda=[1, 2]")
}
