package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/perceptron"
	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// manifest is of two classes, where something fails.
const example = `
name = "near2"; study = "posterior"; seed = 2
[data]; generator = "logistic"; train = 12
[model]; rule = "joint"; prior_var = 1; layers = [2, 2]; bias = true; on_indefinite = "skip"
[posterior]; snapshots = [1, 4, 12]; grid = 5; draws = 200
mapped = [4]; maps = ["adf", "perceptron-adf"]
[sweep]; seed = [1, 2, 3]
[[method]]; name = "fail"; lambda = 2; on_indefinite = "fail"
[[method]]; name = "adf"; rule = "adf"
[[method]]; name = "adf-exact"; rule = "adf-exact"
`

// ran has the tables of the manifest, once they are computed.
var ran table.Tables

func tables(t *testing.T) table.Tables {
	if ran == nil {
		ran = studytest.Run(t, Kind, example)
	}
	return ran
}

// The rows of one network and of the exact posteriors, worked out from the packages below.
func TestByHand(t *testing.T) {
	all := studytest.Run(t, Kind, example, "posterior.grid=2", "posterior.probit_seeds=2",
		`posterior.softmax=["adf"]`, "sweep.seed=[2, 3, 4]")
	task := data.Generator{Name: "logistic"}.Task()
	examples := task.Draw(12, random.Source("near2", 3, "train"))
	cfg := bnn.Default(2, 2)
	cfg.PriorVar = []float64{1}
	network := check.Must(bnn.New(cfg, random.Source("unused")))
	for k := range 4 {
		check.Must(network.Observe(examples.X[k], examples.Class[k]))
	}
	prior := laplace.Prior{Layers: []int{2, 2}, Bias: true}
	p := check.Must(laplace.NewProblem(prior, examples.X[:4], examples.Class[:4]))
	sample := check.Must(p.Sample(200, random.Source("near2", 3, "importance", 4)))
	// probabilities returns those of class 0 by the probit and by the softmax for draw i.
	probabilities := func(i int, x []float64) (probit, soft float64) {
		w := mat.Col(nil, i, sample.Draws)
		a := (w[0]-w[3])*x[0] + (w[1]-w[4])*x[1] + w[2] - w[5]
		return gauss.CDF(softmax.SlopeLambda(2, 0.5) * a), 1 / (1 + math.Exp(-a))
	}
	weights := slices.Clone(sample.Weights)
	for i := range weights {
		for k, class := range examples.Class[:4] {
			probit, soft := probabilities(i, examples.X[k])
			if class == 1 {
				probit, soft = 1-probit, 1-soft
			}
			weights[i] *= probit / soft
		}
	}
	floats.Scale(1/floats.Sum(weights), weights)
	want := map[string]float64{
		"exact ess": sample.ESS, "adf ess": sample.ESS, "probit ess": 1 / floats.Dot(weights, weights),
	}
	for _, x := range [][]float64{{-5, -5}, {5, -5}, {-5, 5}, {5, 5}} { // corners, a quarter each
		var rule bnn.Prediction
		truth, moments := make([]float64, 2), softmax.NewMoments(2)
		p, noise, err := sample.Predict([][]float64{x})
		check.OK(t, err)
		exact, stderr := p[0], noise[0]
		check.OK(t, network.Predict(&rule, x))
		task.Probabilities(truth, x)
		softmax.Exact{}.Moments(moments, rule.Mean, rule.Variance)
		var probit float64
		for i, w := range weights {
			p, _ := probabilities(i, x)
			probit += w * p
		}
		for name, p := range map[string]float64{"adf": rule.P[0], "adf-softmax": moments.P[0], "probit": probit} {
			want[name+" tv"] += math.Abs(exact[0]-p) / 4
		}
		want["exact tv_noise"] += stderr[0] * math.Sqrt(2/math.Pi) / 4
		want["adf excess_error"] += (floats.Max(truth) - truth[floats.MaxIdx(rule.P)]) / 4
		want["exact excess_error"] += (floats.Max(truth) - truth[floats.MaxIdx(exact)]) / 4
	}
	curve := studytest.Rows(t, all.Get("curve"), "k=4 seed=3")
	for name, x := range want {
		method, column, _ := strings.Cut(name, " ")
		tol := 1e-9
		if strings.HasPrefix(method, "probit") {
			tol = 1e-4 * x
		}
		check.Near(t, name, studytest.Rows(t, curve, "method="+method).Nums(column)[0], x, tol)
	}
	check.Equal(t, "seeds with the probit", all.Get("curve").Where("method", "probit").Distinct("seed"),
		[]string{"2", "3"})
}

// The maps are of the right columns and points.
func TestMaps(t *testing.T) {
	maps := tables(t).Get("maps")
	check.Equal(t, "methods", maps.Distinct("method"), []string{"exact", "adf", "perceptron-adf"})
	for _, name := range maps.Distinct("method") {
		r := maps.Where("method", name)
		for k, p2 := range r.Nums("p2") {
			check.Near(t, "Σp", r.Nums("p1")[k]+p2, 1, 2e-6)
			check.Near(t, "x₁", r.Nums("x1")[k], 0.25*float64(k%mapGrid-20), 0)
			check.Near(t, "x₂", r.Nums("x2")[k], 0.25*float64(k/mapGrid-20), 0)
		}
	}
	exact, adf := maps.Where("method", "exact").Nums("p1"), maps.Where("method", "adf").Nums("p1")
	check.True(t, !slices.Equal(exact, adf), "adf is mapped as exact")
}

// Other tasks have their own classes, snapshots and grid; one Gaussian over all weights is the nearest filter.
func TestTasks(t *testing.T) {
	text := strings.ReplaceAll(example, "[model]", `
[[task]]; name = "four"; generator = "sectors"; arms = 4; snapshots = [12]; grid = 3
[[task]]; name = "five"; generator = "sectors"; snapshots = [1, 4, 12]; grid = 5
[model]`)
	set := []string{
		"data.generator=wedges", "model.layers=[2, 3]", "model.bias=false", "posterior.maps=[]", "sweep.seed=[2]",
		"model.prior_mean=[[1, 0], [0, 1], [1, 1]]",
	}
	all := studytest.Run(t, Kind, text, set...)
	for task, want := range map[string]int{"wedges": 3 * 7, "four": 7, "five": 3 * 7} {
		check.Equal(t, task, studytest.Rows(t, all.Get("curve"), "task="+task).Len(), want)
		number := func(method, column string) float64 {
			return studytest.Rows(t, all.Get("curve"), "k=12 method="+method+" task="+task).Nums(column)[0]
		}
		joint, other := number("adf-exact-joint", "tv"), number("adf-exact", "tv")
		noise := number("exact", "tv_noise")
		check.True(t, joint < other+noise && joint < 0.05, "%s: joint %g ± %g, else %g", task, joint, noise, other)
	}
	base := strings.Join(set, "; ") + "; "
	studytest.Refused(t, Kind, text, map[string]string{
		base + "task.five.grid=1": "task.five.grid", base + "task.five.generator=moons": "task.five.generator",
		base + "task.four.snapshots=[13]": "task.four.snapshots", base + "task.five.snapshots=[]": "task.five.snapshots",
	})
}

// A difference is that of the means of two methods after the same examples, of the seeds that have both.
func TestFactorial(t *testing.T) {
	text := example + `
[[contrast]]; effect = "the probit"; method = "adf-joint"; against = "adf-exact-joint"
[[contrast]]; effect = "the projection"; method = "adf-joint"; against = "probit"
[[contrast]]; effect = "all"; method = "adf"; against = "exact"`
	made := studytest.Run(t, Kind, text, "posterior.probit_seeds=2", "posterior.grid=2")
	rows := studytest.Rows(t, made.Get("factorial"), "k=12")
	check.Equal(t, "seeds", rows.Texts("seeds"), []string{"3", "2", "3"})
	curve := studytest.Rows(t, made.Get("curve"), "k=12")
	tv := func(method string) []float64 { return studytest.Rows(t, curve, "method="+method).Nums("tv") }
	check.Near(t, "effect of the probit", rows.Nums("difference")[0],
		table.Mean(tv("adf-joint"))-table.Mean(tv("adf-exact-joint")), 1e-15)
	check.Near(t, "effect of the projection", rows.Nums("difference")[1],
		table.Mean(tv("adf-joint")[:2])-table.Mean(tv("probit")), 1e-15)
	check.Near(t, "distance", rows.Nums("difference")[2], table.Mean(tv("adf")), 1e-15)
	var gaps []float64
	for i, x := range tv("adf-joint") {
		gaps = append(gaps, x-tv("adf-exact-joint")[i])
	}
	check.Near(t, "lower end", rows.Nums("difference_low")[0], table.NewEstimate(gaps, 0).Interval()[1], 1e-15)
	studytest.Refused(t, Kind, text, map[string]string{
		`contrast.1.method="adff"`: "contrast.1.method", `contrast.3.against="total"`: "contrast.3.against",
	})
}

// The examples of the drawn seed are those that it learns.
func TestExamples(t *testing.T) {
	set := data.Generator{Name: "logistic"}.Task().Draw(12, random.Source("near2", 2, "train"))
	want := "seed,k,x1,x2,class\n"
	for i, x := range set.X {
		want += fmt.Sprintf("2,%d,%v,%v,%d\n", i+1, x[0], x[1], set.Class[i])
	}
	check.Equal(t, "examples", string(tables(t).Get("examples").CSV()), want)
}

func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, example, map[string]string{
		"posterior.snapshots=[]; posterior.mapped=[]":      "posterior.snapshots: [] is",
		"posterior.snapshots=[1, 13]; posterior.mapped=[]": "posterior.snapshots: ",
		"posterior.draws=11":                               "an even number",
		"posterior.mapped=[2]":                             "those of snapshots",
		`posterior.maps=["adff"]`:                          `"adff" is not allowed; allowed: "fail"`,
		`posterior.softmax=["adff"]`:                       "posterior.softmax",
		`data.generator="moons"`:                           `allowed: "logistic", "sectors", "wedges"`,
		"model.layers=[2, 4, 2]":                           "no hidden layers",
		"method.adf.bias=false":                            "method.adf",
		"method.adf.prior_var=2":                           "method.adf",
		"data.generator=wedges; model.layers=[2,3]":        "posterior.maps",
		"method.adf.lambda=0.3; method.adf.rule=total":     "",
	})
}

// The prior of a perceptron is that of the difference of the logits; the first class is the positive one.
func TestPerceptron(t *testing.T) {
	m := studytest.New(t, Kind, example).(*experiment).Model
	prior := laplace.Prior{Mean: []float64{1, 2, 3, 0.5, -1, 4}, Var: slices.Repeat([]float64{0.7}, 6)}
	p := newPerceptron(perceptron.ADF, m, prior)
	mean, cov := p.Weights()
	check.NearAll(t, "mean", mean, []float64{0.5, 3, -1}, 1e-15)
	for i := range mean {
		check.Near(t, "variance", cov.At(i, i), 1.4, 1e-15)
	}
	l, x := learner.NewClassifier(p, 2), [][]float64{{1, -1}}
	before := l.Probabilities(x)[0]
	l.Observe(x[0], 0)
	if after := l.Probabilities(x)[0]; !(after[0] > before[0]) || math.Abs(floats.Sum(after)-1) > 1e-15 {
		t.Errorf("probabilities %v, after an example of the first class %v", before, after)
	}
	l.Observe([]float64{1e200, 0}, 0)
	check.Equal(t, "after an overflow", []any{l.Probabilities(x)[0][0], l.Steps().Failed}, []any{0.5, true})

	m.Lambda.Word, m.Lambda.Number = "", 0.1
	huber := newPerceptron(perceptron.Huber, m, prior)
	for i := range 6 {
		check.OK(t, huber.Observe([]float64{0.5, 0.5}, i%2))
	}
	if s := huber.Steps(); s.Indefinite == 0 || s.Skipped != s.Indefinite || s.Projected != 0 {
		t.Errorf("a perceptron without ground to stand on: %+v", s)
	}
}

// The moments of Huber's perceptron are those of its own step: the mean moves by Cov(a, y)/Var y · (y − p)
// and the variance falls by Cov(a, y)²/Var y.
func TestHuberMoments(t *testing.T) {
	for _, c := range []struct{ lambda, m, v float64 }{{0.6, 0.3, 9}, {0.2, -2, 200}, {1.5, 0, 4}} {
		p, cross, variance := huberMoments(c.lambda, c.m, c.v)
		for y, positive := range []bool{false, true} {
			cfg, v := perceptron.Config{Rule: perceptron.Huber, Lambda: c.lambda}, mat.NewDiagDense(1, []float64{c.v})
			neuron := perceptron.New(cfg, []float64{c.m}, v)
			check.Near(t, "p", p, check.Must(neuron.Predict([]float64{1})).Positive, 1e-15)
			check.Must(neuron.Observe([]float64{1}, positive))
			mean, cov := neuron.Weights()
			name := fmt.Sprintf("%+v after %d", c, y)
			check.Near(t, name+": step", cross/variance*(float64(y)-p), mean[0]-c.m, 1e-12)
			check.Near(t, name+": fall", cross*cross/variance, c.v-cov.At(0, 0), 1e-11)
		}
	}
}

// The tables have the paper's rule, and no other; one that has broken down has no beliefs to compare.
func TestPaper(t *testing.T) {
	agreement, state := tables(t).Get("agreement"), tables(t).Get("state")
	check.Equal(t, "methods of agreement", agreement.Distinct("method"), []string{"fail"})
	check.Equal(t, "methods of state", state.Distinct("method"), []string{"fail"})
	size := state.Nums("bytes")[0]
	for i, seed := range agreement.Texts("seed") {
		where := "method=fail seed=" + seed + " k=" + agreement.Texts("k")[i]
		failed := studytest.Rows(t, tables(t).Get("curve"), where).Nums("failed")[0] == 1
		p, cross := agreement.Nums("p_gap")[i], agreement.Nums("cross_gap")[i]
		variance := agreement.Nums("variance_gap")[i]
		none := math.IsNaN(p) && math.IsNaN(cross) && math.IsNaN(variance)
		if none != failed || !failed && !(p < 1e-13 && cross < 1e-12 && variance > 0.01) {
			t.Errorf("row %d: gaps %g, %g, %g; broken down: %v", i, p, cross, variance, failed)
		}
		if state.Nums("twin_gap")[i] != 0 || state.Nums("bytes")[i] != size || size < 100 {
			t.Errorf("row %d: twin gap %g, %g bytes", i, state.Nums("twin_gap")[i], state.Nums("bytes")[i])
		}
	}
}

// Averages over a square are integrals: exact for what is linear in each input.
func TestSquare(t *testing.T) {
	s := newGrid(data.Generator{Name: "logistic"}.Task(), 7)
	var one, moment, second float64
	for i, x := range s.Points {
		one += s.weight[i]
		moment += s.weight[i] * (3 + x[0] - 2*x[1] + x[0]*x[1])
		second += s.weight[i] * x[0] * x[0]
	}
	check.Near(t, "1", one, 1, 1e-14)
	check.Near(t, "3 + x₁ − 2x₂ + x₁x₂", moment, 3, 1e-13)
	h := 10. / 6
	check.Near(t, "x₁²", second, 25./3+h*h/6, 1e-13) // with the error of the trapezoidal rule
	wedge := newGrid(data.Generator{Name: "wedges"}.Task(), 5)
	if wedge.truth[0] != nil || wedge.truth[12] != nil || !slices.Equal(wedge.truth[2], []float64{0, 1, 0}) {
		t.Errorf("truths of the wedges %v", wedge.truth)
	}
}

// The truth has the error rate of Bayes; equal probabilities are decided by lot.
func TestError(t *testing.T) {
	s := newGrid(data.Generator{Name: "logistic"}.Task(), 201)
	check.Near(t, "error", s.errorRate(s.truth), 0.15921444838015841, 1e-4)
	s = &grid{
		&data.Grid{Points: [][]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}}},
		[]float64{0.4, 0.1, 0.2, 0.3},
		[][]float64{{1, 0}, {0.3, 0.7}, nil, {0.5, 0.5}},
	}
	q := [][]float64{{0.9, 0.1}, {0.92, 0.08}, {1, 0}, {0.5, 0.5}}
	check.Near(t, "error", s.errorRate(q), (0.1*0.7+0.3*0.5)/0.8, 1e-14)
}

// The probabilities are those of softmax.Probit without variances.
func TestProbit(t *testing.T) {
	rnd := rand.New(random.Source("probit"))
	for _, n := range []int{2, 3, 4, 10} {
		q, want := newProbit(n), softmax.NewMoments(n)
		z, none := make([]float64, n), make([]float64, n)
		for scale := 0.0; scale < 6; scale++ {
			for j := range z {
				z[j] = scale * rnd.NormFloat64()
			}
			p := slices.Clone(z)
			q.normalise(slices.Collect(slices.Chunk(p, 1)))
			softmax.Probit{Lambda: softmax.SlopeLambda(n, 0.5), Rho: 0.5}.Moments(want, z, none)
			for j, w := range want.P {
				if w > 1e-7 {
					check.Near(t, "p", p[j]/w, 1, 1e-4)
				}
			}
		}
	}
}
