package order

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// manifest has a method that breaks down, at so steep a λ.
const manifest = `
name = "small_order"; study = "order"; seed = 2
model = {layers = [2, 3], bias = false, rule = "joint", prior_var = 1, prior_mean = [[1, 0], [0, 1], [1, 1]]}
order = {permutations = 4, samples = 3, test = 30}
sweep = {seed = [1, 2]}
[[task]]; name = "wedges"; generator = "wedges"; train = 12; sizes = [1, 12]; methods = ["fails", "adf", "drawn"]
[[task]]; name = "curved"; generator = "spirals"; train = 4; sizes = [4]; methods = ["deep"]
[[method]]; name = "fails"; lambda = 3
[[method]]; name = "adf"; rule = "adf"
[[method]]; name = "drawn"; prior_mean = []; prior_mean_var = 1.0; prior_draw = "independent"
[[method]]; name = "deep"; layers = [2, 4, 3]; hidden = "smooth"; prior_mean = []; rule = "adf"
`

func TestSpread(t *testing.T) {
	p := [][][]float64{{{1, 0}, {0.3, 0.7}}, {{0, 1}, {0.3, 0.7}}, {{0.5, 0.5}, {0.3, 0.7}}}
	for range 2 { // in whatever order
		mean, largest := totalVariation(p)
		check.NearAll(t, "mean and largest", []float64{mean, largest}, []float64{(1 + 0.5 + 0.5) / 3 / 2, 0.5}, 1e-15) // 0 at the other input
		slices.Reverse(p)
	}
}

// adf returns the predictions of the test inputs by a network that has learned the examples one after another.
func adf(t *testing.T, train data.Set, order []int, test data.Set) [][]float64 {
	t.Helper()
	cfg := bnn.Default(2, 3)
	cfg.Bias, cfg.PriorVar = false, []float64{1}
	n := check.Must(bnn.New(cfg, rand.NewPCG(1, 2)))
	_, cov := n.Weights(0)
	check.OK(t, n.SetWeights(0, mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}), cov))
	for _, i := range order {
		check.Must(n.Observe(train.X[i], train.Class[i]))
	}
	e := check.Must(bnn.Combine(n))
	return learner.NewClassifier(&learner.Network{Model: e}, 3).Probabilities(test.X)
}

// The numbers are those of networks that are trained by hand.
func TestTables(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest)
	task := data.Generator{Name: "wedges"}.Task()
	stream := func(purpose ...any) rand.Source { return random.Source(append([]any{"small_order", 2}, purpose...)...) }
	test, train := task.Draw(30, stream("test")), task.Draw(12, stream("train"))
	upTo12 := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	var permuted, others [][][]float64
	for r := 1; r <= 4; r++ {
		permuted = append(permuted, adf(t, train, rand.New(stream("permutation", r)).Perm(12), test))
	}
	for r := 1; r <= 3; r++ {
		others = append(others, adf(t, task.Draw(12, stream("sample", r)), upTo12, test))
	}
	for by, p := range map[string][][][]float64{"order": permuted, "sample": others} {
		of := func(name string) *table.Table {
			return tables.Get(name).Where("method", "adf").Where("size", 12).Where("differ_by", by)
		}
		spread, summary := of("spread").Where("seed", 2), of("summary")
		var tv, accuracy, loss []float64
		for a := range p {
			accuracy = append(accuracy, metric.Accuracy(p[a], test.Class))
			loss = append(loss, metric.LogLoss(p[a], test.Class))
			for b := range a {
				sum := 0.0
				for i := range p[a] {
					for j := range p[a][i] {
						sum += math.Abs(p[a][i][j]-p[b][i][j]) / 2 / 30
					}
				}
				tv = append(tv, sum)
			}
		}
		for column, want := range map[string]float64{
			"runs": float64(len(p)), "tv": stat.Mean(tv, nil), "tv_max": slices.Max(tv), "accuracy": stat.Mean(accuracy, nil),
			"accuracy_sd": stat.StdDev(accuracy, nil), "accuracy_min": slices.Min(accuracy), "accuracy_max": slices.Max(accuracy),
			"log_loss": stat.Mean(loss, nil), "failed": 0,
		} {
			check.Near(t, by+": "+column, spread.Nums(column)[0], want, 1e-9)
		}
		mean, sd := stat.MeanStdDev(of("spread").Nums("tv"), nil)
		check.NearAll(t, by+": summary", []float64{summary.Nums("seeds")[0], summary.Nums("tv")[0], summary.Nums("tv_high")[0]},
			[]float64{2, mean, min(1, mean+12.706204736432095*sd/math.Sqrt2)}, 1e-9) // Student's t, 1 degree of freedom
		// One example has no order, two training sets of one example differ; and the prior is the same.
		for i, tv := range tables.Get("spread").Where("size", 1).Where("failed", 0).Where("differ_by", by).Nums("tv") {
			if (tv == 0) != (by == "order") {
				t.Errorf("%s: total variation %g of networks that have seen one example, row %d", by, tv, i)
			}
		}
	}
}

// Networks that break down are counted, and say that all classes are equally
// probable; so they agree. A mean leaves out what is infinite.
func TestBroken(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest)
	broken := tables.Get("spread").Where("method", "fails").Where("size", 12)
	for i, failed := range broken.Nums("failed") {
		got := []float64{failed, broken.Nums("log_loss")[i], broken.Nums("tv")[i]}
		check.NearAll(t, "failed, log loss and total variation", got, []float64{broken.Nums("runs")[i], math.Log(3), 0}, 1e-12)
	}
	spread := tables.Get("spread").Where("method", "adf")
	spread.Columns[slices.IndexFunc(spread.Columns, func(c table.Column) bool { return c.Name == "log_loss" })].Nums[0] = math.Inf(1)
	again := check.Must(studytest.New(t, Kind, manifest).Tables([]table.Set{{spread}}))
	seeds := spread.Where("size", 1).Where("differ_by", "order").Nums("log_loss")
	check.NearAll(t, "log losses", []float64{seeds[0], again.Get("summary").Nums("log_loss")[0]}, []float64{math.Inf(1), seeds[1]}, 0)
}

func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, manifest, map[string]string{
		"order.permutations=1": "2 to 1,000", "task.wedges.sizes=[12, 13]": "from 1 to 12", "task.wedges.sizes=[12, 1]": "increasing",
		"task.curved.methods=[\"other\"]": "adf",
		"order.test=0":                    "1 to", "sweep.seed=[1]": "seed",
	})
}
