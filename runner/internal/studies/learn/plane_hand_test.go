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

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/internal/kernel"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// small has cells that take milliseconds, with the paper's rule where every step is
// definite and where some are not, and a network with a hidden layer.
const small = `
name = "small"; study = "learn"; seed = 3
[data]; generator = "wedges"; train = 6
[model]; bias = false; rule = "joint"; layers = [2, 3]; lambda = 0.3; prior_mean = [[1, 0], [0, 1], [1, 1]]; prior_var = 0.8
[evaluate]; snapshots = [1, 3, 6]; grid = 9
[monte_carlo]; samples = 500; stride = 2
[sweep]; seed = [1, 2, 3]
[[method]]; name = "joint"
[[method]]; name = "project"; lambda = "slope"; on_indefinite = "project"; eigenvalue_floor = 0.01; variance_floor = 0.02
[[method]]; name = "skip"; lambda = 2; on_indefinite = "skip"
[[method]]; name = "total"; lambda = "slope"; rule = "total"; rho = 0.3
[[method]]; name = "deep"; layers = [2, 4, 3]; prior_mean = []; bias = true; alpha = 0.1; beta = 0.9; rule = "total"; hidden = "frozen"; prior_draw = "independent"; prior_mean_var = 2
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
	case "deep":
		cfg = bnn.Default(2, 4, 3)
		cfg.Unit.Alpha, cfg.Unit.Beta = 0.1, 0.9
		cfg.Output, cfg.Hidden, cfg.Softmax = bnn.Total, bnn.Frozen, softmax.Probit{Lambda: 0.3, Rho: 0.5}
		cfg.PriorVar, cfg.PriorMeanVar, cfg.PriorDraw = []float64{0.8, 0.8}, 2, bnn.Independent
	default:
		t.Fatalf("no method %s", method)
	}
	n := check.Must(bnn.New(cfg, random.Source("small", seed, "prior")))
	if method != "deep" {
		variances := mat.NewDiagDense(2, []float64{0.8, 0.8})
		check.OK(t, n.SetWeights(0, mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}), []mat.Symmetric{variances, variances, variances}))
	}
	return n
}

// truth is the class, from 1, in the paper's Eq. (f): 1 above both diagonals, 2 below
// both, 3 to the left and right, 0 on a diagonal.
func truth(x []float64) int {
	switch a, b := x[0], x[1]; {
	case b > a && b > -a:
		return 1
	case b < a && b < -a:
		return 2
	case b == a || b == -a:
		return 0
	}
	return 3
}

// said is what a network says at a point of the grid.
type said struct {
	x     []float64
	class int // from 1, 0: none
	p, v  []float64
	label []float64
}

func ask(t *testing.T, n *bnn.Network) (all []said) {
	t.Helper()
	for x2 := -2.0; x2 <= 2; x2 += 0.5 {
		for x1 := -2.0; x1 <= 2; x1 += 0.5 {
			var p bnn.Prediction
			x := []float64{x1, x2}
			check.OK(t, n.Predict(&p, x))
			s := said{x: x, class: truth(x), p: p.P, label: slices.Clone(p.P)}
			floats.Scale(1/floats.Sum(p.P), s.label)
			for j := range p.P {
				s.v = append(s.v, p.Cov.At(j, j))
			}
			all = append(all, s)
		}
	}
	return all
}

// near compares a row of a table with numbers, by column.
func near(t *testing.T, row *table.Table, tol float64, want map[string]float64) {
	t.Helper()
	for column, x := range want {
		if got := row.Nums(column); len(got) != 1 {
			t.Fatalf("%d rows of %s", len(got), row.Name)
		} else if !(math.IsNaN(got[0]) && math.IsNaN(x)) {
			check.Near(t, strings.Join(row.Texts("method"), "")+": "+column, got[0], x, tol)
		}
	}
}

// The tables are what networks give that are driven by hand, with the same examples
// for all methods of a seed, drawn from its stream.
func TestPlaneByHand(t *testing.T) {
	tables := studytest.Run(t, Kind, small)
	train, actions := tables.Get("train"), map[string]bool{}
	check.Equal(t, "points of maps and examples", []any{tables.Get("maps").Len(), train.Len()}, []any{5 * 3 * 81, 18})
	for seed := 1; seed <= 3; seed++ {
		rnd, examples := rand.New(random.Source("small", seed, "train")), train.Where("seed", seed)
		for _, method := range []string{"joint", "project", "skip", "total", "deep"} {
			of := func(name string) *table.Table { return tables.Get(name).Where("method", method).Where("seed", seed) }
			n, want := byHand(t, method, seed), map[string]float64{}
			var snapshots [][]said
			for k := 1; k <= 6; k++ {
				x := []float64{examples.Nums("x1")[k-1], examples.Nums("x2")[k-1]}
				if method == "joint" {
					check.NearAll(t, "example", x, []float64{-2 + 4*rnd.Float64(), -2 + 4*rnd.Float64()}, 1e-15)
				}
				update := check.Must(n.Observe(x, truth(x)-1))
				check.Equal(t, "class and k", []float64{examples.Nums("class")[k-1], examples.Nums("k")[k-1]}, []float64{float64(truth(x)), float64(k)})
				all, step := ask(t, n), of("steps").Where("k", k)
				near(t, step, 1e-9, map[string]float64{"min_eigenvalue": update.MinEigenvalue, "min_variance": update.MinVariance})
				check.Equal(t, fmt.Sprintf("%s: step %d was", method, k), step.Texts("action")[0], update.Action.String())
				actions[method+" "+update.Action.String()] = true
				for column, yes := range map[string]bool{
					"indefinite_steps": update.MinEigenvalue <= 0, "applied_steps": update.Action == bnn.Applied,
					"skipped_steps": update.Action == bnn.Skipped, "projected_steps": update.Action == bnn.Projected,
				} {
					if want[column] += 0; yes {
						want[column]++
					}
				}
				if k != 1 && k != 3 && k != 6 {
					continue
				}
				snapshots = append(snapshots, all)
				if seed == 3 {
					compareMaps(t, all, tables.Get("maps").Where("method", method).Where("k", k))
				}
			}
			statisticsByHand(want, snapshots)
			near(t, of("runs"), 1e-9, want)
		}
	}
	for _, want := range []string{"joint applied", "project projected", "skip skipped", "total applied", "deep applied"} {
		check.Equal(t, fmt.Sprintf("%s among the steps %v", want, actions), actions[want], true)
	}
}

// compareMaps checks a map, and that it is in the order of the points.
func compareMaps(t *testing.T, all []said, got *table.Table) {
	t.Helper()
	for i, s := range all {
		check.NearAll(t, "point", []float64{got.Nums("x1")[i], got.Nums("x2")[i]}, s.x, 0)
		for j := range 3 {
			check.Near(t, fmt.Sprintf("p_%d at %v", j+1, s.x), got.Nums(fmt.Sprint("p", j+1))[i], s.p[j], 1e-5)
			check.Near(t, fmt.Sprintf("Var y_%d at %v", j+1, s.x), got.Nums(fmt.Sprint("var", j+1))[i], s.v[j], 1e-5)
		}
	}
}

// statisticsByHand computes columns of runs a second time.
func statisticsByHand(want map[string]float64, snapshots [][]said) {
	add := func(column string, x float64, yes bool) {
		if want[column] += 0; yes {
			want[column] += x
		}
	}
	for i, k := range []int{1, 3, 6} {
		void := false
		for _, s := range snapshots[i] {
			sum, negative := floats.Sum(s.v), floats.Min(s.v) < -1e-11
			want[fmt.Sprintf("entropy_%d", k)] += kernel.Entropy(s.label, 1) / 81
			void = void || sum < -1e-11
			want[fmt.Sprintf("variance_%d", k)] += sum / 81
			add("variances_positive", 1.0/(3*81), !negative)
		}
		if void && k == 6 {
			want["variance_auroc"] = math.NaN()
		}
	}
	var labels [][]float64
	var class []int
	var right, wrong []float64 // total variances
	for _, s := range snapshots[2] {
		if s.class == 0 {
			continue
		}
		labels, class = append(labels, s.label), append(class, s.class-1)
		if floats.MaxIdx(s.p) == s.class-1 {
			right = append(right, floats.Sum(s.v))
		} else {
			wrong = append(wrong, floats.Sum(s.v))
		}
		if s.class < 3 {
			add("separation_12", 1.0/32, s.p[s.class-1] > s.p[2-s.class])
		}
	}
	want["accuracy"] = float64(len(right)) / 64
	want["log_loss"], want["brier"], want["ece"] = metric.LogLoss(labels, class), metric.Brier(labels, class), metric.ECE(labels, class, 15)
	if !math.IsNaN(want["variance_auroc"]) {
		want["variance_auroc"] = metric.AUROC(slices.Concat(wrong, right), slices.Concat(slices.Repeat([]bool{true}, len(wrong)), make([]bool, len(right))))
	}
}

// The distances from Monte Carlo are those from the exact moments, on every second line and in all snapshots.
func TestGaps(t *testing.T) {
	tables := studytest.Run(t, Kind, small)
	for _, method := range []string{"joint", "deep"} {
		row, train := tables.Get("runs").Where("method", method).Where("seed", 1), tables.Get("train").Where("seed", 1)
		n := byHand(t, method, 1)
		var sum, largest [2]float64
		for k := range 6 {
			x := []float64{train.Nums("x1")[k], train.Nums("x2")[k]}
			check.Must(n.Observe(x, truth(x)-1))
			if !slices.Contains([]int{1, 3, 6}, k+1) {
				continue
			}
			for i := range 25 {
				var p bnn.Prediction
				check.OK(t, n.Predict(&p, []float64{float64(i%5) - 2, float64(i/5) - 2}))
				exact, cov := softmax.NewMoments(3), mat.NewSymDense(3, nil)
				softmax.Exact{}.Moments(exact, p.Mean, p.Variance)
				exact.Cov(cov)
				for j := range p.P {
					for q, d := range []float64{math.Abs(p.P[j] - exact.P[j]), math.Abs(p.Cov.At(j, j) - cov.At(j, j))} {
						sum[q], largest[q] = sum[q]+d/(3*25*3), max(largest[q], d)
					}
				}
			}
		}
		for q, name := range []string{"p", "var"} {
			se := row.Nums("mean_" + name + "_se")[0]
			check.Near(t, method+": mean distance", row.Nums("mean_" + name + "_error")[0], sum[q], se)
			check.Near(t, method+": largest distance", row.Nums("max_" + name + "_error")[0], largest[q], 6*se)
		}
	}
}
