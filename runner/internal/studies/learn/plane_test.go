package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/moments/montecarlo"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// small has the paper's rule where every step is definite and where some are not.
const small = `
name = "small"; study = "learn"; seed = 3
[data]; generator = "wedges"; train = 6; grid = 9
[model]; bias = false; rule = "joint"; layers = [2, 3]; lambda = 0.3; prior_mean = [[1, 0], [0, 1], [1, 1]]
prior_var = 0.8
[evaluate]; snapshots = [1, 3, 6]; samples = 500; stride = 2
[sweep]; seed = [1, 2, 3]
[[method]]; name = "joint"
[[method]]; name = "project"; lambda = "slope"; on_indefinite = "project"; eigenvalue_floor = 0.01
variance_floor = 0.02
[[method]]; name = "skip"; lambda = 2; on_indefinite = "skip"
[[method]]; name = "total"; lambda = "slope"; rule = "total"; rho = 0.3
[[method]]; name = "fails"; lambda = 2
`

// byHand is the network of a method, written down a second time.
func byHand(t *testing.T, method string, seed int) *bnn.Network {
	t.Helper()
	cfg := bnn.Default(2, 3)
	cfg.Bias, cfg.Output = false, bnn.Joint
	switch method {
	case "joint":
		cfg.Softmax = softmax.Probit{Lambda: 0.3, Rho: 0.5}
	case "project":
		cfg.Paper = bnn.PaperRule{OnIndefinite: bnn.Project, EigenvalueFloor: 0.01, VarianceFloor: 0.02}
	case "skip":
		cfg.Softmax, cfg.Paper.OnIndefinite = softmax.Probit{Lambda: 2, Rho: 0.5}, bnn.Skip
	case "total":
		cfg.Output, cfg.Softmax = bnn.Total, softmax.Probit{Lambda: softmax.SlopeLambda(3, 0.3), Rho: 0.3}
	}
	n := check.Must(bnn.New(cfg, random.Source("small", seed, "prior")))
	variances := mat.NewDiagDense(2, []float64{0.8, 0.8})
	weights := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1})
	check.OK(t, n.SetWeights(0, weights, []mat.Symmetric{variances, variances, variances}))
	return n
}

// label returns the class of a point of small, from 0, or data.NoClass on a diagonal.
var label = data.Generator{Name: "wedges"}.Task().Label

// near compares a row of a table with numbers, by column.
func near(t *testing.T, row *table.Table, tol float64, want map[string]float64) {
	t.Helper()
	for column, x := range want {
		if got := row.Nums(column); len(got) != 1 {
			t.Fatalf("%d rows of %s", len(got), row.Name)
		} else if !(math.IsNaN(got[0]) && math.IsNaN(x)) {
			check.Near(t, row.Texts("method")[0]+": "+column, got[0], x, tol)
		}
	}
}

// numbers returns those of a row in some columns.
func numbers(rows *table.Table, row int, columns string) (x []float64) {
	for column := range strings.FieldsSeq(columns) {
		x = append(x, rows.Nums(column)[row])
	}
	return x
}

// The tables are what networks give that are driven by hand, with the same examples for all methods of a
// seed: maps, scores on the grid and, by the exact moments, the distances from Monte Carlo. The table examples
// has what the drawn seed learns, in this order.
func TestPlaneByHand(t *testing.T) {
	tables := studytest.Run(t, Kind, small)
	examples := tables.Get("examples")
	check.Equal(t, "points of maps, and examples", []int{tables.Get("maps").Len(), examples.Len()}, []int{4 * 3 * 81, 6})
	actions := map[string]bool{}
	for seed := 1; seed <= 3; seed++ {
		for _, method := range []string{"joint", "project", "skip", "total"} {
			rnd := rand.New(random.Source("small", seed, "train"))
			n, noise := byHand(t, method, seed), random.Source("small", seed, "montecarlo", method)
			counts := map[string]float64{"indefinite_steps": 0, "skipped_steps": 0, "projected_steps": 0}
			for k := 1; k <= 6; k++ {
				x := []float64{-2 + 4*rnd.Float64(), -2 + 4*rnd.Float64()}
				if seed == 3 {
					want := append(x[:2:2], 3, float64(k), float64(label(x)+1))
					check.NearAll(t, "example", numbers(examples, k-1, "x1 x2 seed k class"), want, 0)
				}
				update := check.Must(n.Observe(x, label(x)))
				actions[method+" "+update.Action.String()] = true
				for column, yes := range map[string]bool{
					"indefinite_steps": update.Indefinite, "skipped_steps": update.Action == bnn.Skipped,
					"projected_steps": update.Action == bnn.Projected,
				} {
					if yes {
						counts[column]++
					}
				}
				if k == 1 || k == 3 || k == 6 {
					var maps *table.Table
					if seed == 3 {
						maps = studytest.Rows(t, tables.Get("maps"), fmt.Sprintf("method=%s k=%d", method, k))
					}
					row := studytest.Rows(t, tables.Get("curve"), fmt.Sprintf("method=%s seed=%d k=%d", method, seed, k))
					comparePlane(t, n, noise, row, maps)
					near(t, row, 0, counts)
				}
			}
		}
	}
	for _, want := range []string{"joint applied", "project projected", "skip skipped", "total applied"} {
		check.Equal(t, fmt.Sprintf("%s among the steps %v", want, actions), actions[want], true)
	}
	// A step that is not possible ends the learning, and is counted.
	failed := studytest.Rows(t, tables.Get("curve"), "method=fails seed=1 k=6").Texts("p_error")[0]
	check.Equal(t, "distance of a network that has failed", failed, "")
}

// comparePlane compares a row of the curve, and maps if there are some, with predictions of the network.
func comparePlane(t *testing.T, n *bnn.Network, noise rand.Source, row, maps *table.Table) {
	t.Helper()
	estimate := montecarlo.NewEstimate(3)
	var labels [][]float64
	var classes []int
	var sum [2]float64 // of the distances from the exact moments
	want := map[string]float64{}
	for i := range 81 {
		var p bnn.Prediction
		x := []float64{-2 + 0.5*float64(i%9), -2 + 0.5*float64(i/9)}
		check.OK(t, n.Predict(&p, x))
		shares := slices.Clone(p.P)
		floats.Scale(1/floats.Sum(p.P), shares)
		variance := []float64{p.Cov.At(0, 0), p.Cov.At(1, 1), p.Cov.At(2, 2)}
		if class := label(x); class != data.NoClass {
			labels, classes = append(labels, shares), append(classes, class)
		}
		if maps != nil {
			check.NearAll(t, "point", []float64{maps.Nums("x1")[i], maps.Nums("x2")[i]}, x, 0)
			check.NearAll(t, "p", []float64{maps.Nums("p1")[i], maps.Nums("p3")[i]}, []float64{p.P[0], p.P[2]}, 1e-5)
			check.NearAll(t, "var", []float64{maps.Nums("var1")[i], maps.Nums("var2")[i]}, variance[:2], 1e-5)
		}
		if i%9%2 == 0 && i/9%2 == 0 {
			exact, cov := softmax.NewMoments(3), mat.NewSymDense(3, nil)
			softmax.Exact{}.Moments(exact, p.Mean, p.Variance)
			exact.Cov(cov)
			estimate.Sample(p.Mean, p.Variance, 500, noise)
			for j := range p.P {
				sum[0] += math.Abs(p.P[j]-exact.P[j]) / 75
				sum[1] += math.Abs(variance[j]-cov.At(j, j)) / 75
				want["p_se"] += estimate.PErr[j] / 75
				want["var_se"] += estimate.VarErr[j] / 75
			}
		}
	}
	for i, score := range learner.Scores(labels, classes)[:4] { // AURC depends on the last digits
		want[learner.ScoreNames[i]] = score
	}
	near(t, row, 1e-9, want)
	for q, name := range []string{"p", "var"} {
		check.Near(t, "mean distance", row.Nums(name + "_error")[0], sum[q], 2*row.Nums(name + "_se")[0])
	}
}

// The maps have the examples before each, and one scale in a row. A tiny negative variance is 0.
func TestMaps(t *testing.T) {
	tables, e := studytest.Run(t, Kind, small), studytest.New(t, Kind, small).(*experiment)
	maps := tables.Get("maps").Where("method", "project")
	for i, c := range maps.Columns {
		if c.Name == "var1" {
			maps.Columns[i].Nums[0], maps.Columns[i].Nums[1] = -1e-12, -1e-9
		}
	}
	rows := e.mapRows(maps, tables.Get("examples"))
	check.Equal(t, "rows", len(rows), 4)
	for i, column := range []string{"p1", "p2", "var1", "var2"} {
		top := 1.0
		if i > 1 {
			top = floats.Max(maps.Nums(column))
		}
		check.Equal(t, column+": scale", []float64{rows[i].Scale.Min, rows[i].Scale.Max}, []float64{0, top})
		for s, k := range []int{1, 3, 6} {
			m := rows[i].Maps[s]
			check.NearAll(t, column, m.Z, maps.Where("k", k).Nums(column), 1e-11)
			got := []any{m.Title, len(m.Points), len(m.X), len(m.Curves)}
			check.Equal(t, column, got, []any{fmt.Sprint("examples seen: ", k), k, 9, 1})
		}
	}
	check.Equal(t, "variances drawn", rows[2].Maps[0].Z[:2], []float64{0, -1e-9})
	first := rows[0].Maps[0]
	check.Equal(t, "class of a point", first.Class[0], label(first.Points[0]))
}

// A sweep over λ and ρ trains every network at every point, on the same examples, and publishes means over
// the seeds alone. One infinite loss makes the mean infinite, and the median says what the other seeds have.
func TestSweep(t *testing.T) {
	sweep := []string{
		"sweep.lambda=[0.3, 0.9, 2]", "sweep.rho=[0.2, 0.5]", "evaluate.snapshots=[]",
		"method.*.on_indefinite=project",
	}
	e, tables := studytest.New(t, Kind, small, sweep...), studytest.Run(t, Kind, small, sweep...)
	check.Equal(t, "cells and tables", []int{len(e.Cells()), len(tables)}, []int{5 * 6, 1})
	row := studytest.Rows(t, tables.Get("summary"), "method=total lambda=0.9 rho=0.2 seeds=3")
	fixed := []string{"evaluate.snapshots=[]", "method.total.lambda=0.9", "method.total.rho=0.2"}
	one := studytest.Rows(t, studytest.Run(t, Kind, small, fixed...).Get("summary"), "method=total")
	const columns = "error log_loss log_loss_high indefinite_steps"
	check.NearAll(t, columns, numbers(row, 0, columns), numbers(one, 0, columns), 0)
	const rows = "method,seed,log_loss\njoint,1,2\njoint,2,+Inf\njoint,3,4\n"
	runs := check.Must(table.Read("runs", strings.NewReader(rows)))
	means := e.(*experiment).means(runs, "summary", nil)
	near(t, means, 0, map[string]float64{
		"log_loss": math.Inf(1), "log_loss_median": 4, "log_loss_infinite": 1. / 3,
	})
	means = e.(*experiment).means(runs.Where("seed", 1), "summary", nil)
	check.Equal(t, "a column without infinite losses", means.Has("log_loss_infinite"), false)
	// It works for any data, and without a list of methods.
	text := `name = "file"; study = "learn"; seed = 1; model = {rule = "joint"}
data = {file = %q, test_fraction = 0.3}; sweep = {lambda = [0.1, 0.5], rho = [0, 0.5]}`
	file := fmt.Sprintf(text, studytest.File(t, studytest.Clusters(36)))
	check.Equal(t, "points", studytest.Run(t, Kind, file).Get("summary").Len(), 4)
	// λ can be swept alone, by rules without ρ, too.
	alone := studytest.Run(t, Kind, small, "sweep.lambda=[0.3, 0.9]", "method.joint.rule=adf",
		"evaluate.snapshots=[]").Get("summary")
	check.Equal(t, "points", alone.Len(), 2*len(alone.Distinct("method")))
}

func TestPlaneRefused(t *testing.T) {
	studytest.Differ(t, Kind, small, "name=large", "data.train=7", "data.grid=10", "model.lambda=0.31",
		"model.on_indefinite=skip", "evaluate.snapshots=[1, 6]", "evaluate.samples=400")
	studytest.Refused(t, Kind, small, map[string]string{
		"evaluate.snapshots=[1, 7]": "1 to 6", "method.total.layers=[2, 4]": "4 rows",
		"data.test=3": "data.grid", "data.generator=moons": "data.grid: 9 is not",
		"sweep.rho=[0.3, 0.5]": "sweep.rho: [0.3, 0.5] is not allowed; allowed: together",
	})
	swept := strings.Replace(small, "[sweep]", "[sweep]; lambda = [0.3, 1]; rho = [0, 0.5]", 1)
	studytest.Refused(t, Kind, swept, map[string]string{"method.joint.rule=adf": "method.joint.rule: "})
}

const repeated = `
name = "small_order"; study = "learn"; seed = 2
model = {members = 1, layers = [2, 3], bias = false, prior_var = 1, prior_mean = [[1, 0], [0, 1], [1, 1]]}
evaluate = {order = "repeated", snapshots = [1, 12], orders = 4, resamples = 3}
sweep = {seed = [1, 2]}
[[set]]; name = "wedges"; generator = "wedges"; train = 12; test = 30; methods = ["fails", "adf", "drawn"]
[[set]]; name = "curved"; generator = "spirals"; train = 4; test = 20; methods = ["deep"]
[[method]]; name = "fails"; rule = "joint"; lambda = 3
[[method]]; name = "adf"
[[method]]; name = "drawn"; prior_mean = []; prior_mean_var = 1.0; prior_draw = "independent"
[[method]]; name = "deep"; layers = [2, 4, 3]; hidden = "smooth"; prior_mean = []
`
