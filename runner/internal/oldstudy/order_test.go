package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

const smallOrder = `
name  = "small_order"
study = "order"
seed  = 2

[data]
generator = "wedges"
train     = 12

[model]
layers     = [2, 3]
prior_mean = [[1, 0], [0, 1], [1, 1]]

[order]
permutations = 4
samples      = 3
sizes        = [1, 12]
test         = 30
mapped       = 12
grid         = 5

[sweep]
seed = [1, 2]

[[variant]]
name   = "joint"
lambda = 0.2

[[variant]]
name   = "fails"
lambda = 3

[[variant]]
name = "adf"
rule = "adf"
`

func TestSpread(t *testing.T) {
	s := spreadOf([][][]float64{
		{{1, 0}, {0.3, 0.7}},
		{{0, 1}, {0.3, 0.7}},
		{{0.5, 0.5}, {0.3, 0.7}},
	})
	near(t, "total variation", s.tv[0], (1+0.5+0.5)/3, 1e-15)
	near(t, "standard deviation", s.sd[0], 0.5, 1e-15)
	near(t, "largest", s.largest, 0.5, 1e-15) // 1 and 0 at the two inputs
	near(t, "mean", s.mean[0][0], 0.5, 1e-15)
	near(t, "total variation of equals", s.tv[1], 0, 0)
	near(t, "standard deviation of equals", s.sd[1], 0, 1e-15)

	// Neither the order of the networks nor that of the classes matters.
	rnd := rand.New(rand.NewPCG(1, 2))
	var p, q [][][]float64
	for range 5 {
		x := []float64{rnd.Float64(), rnd.Float64(), rnd.Float64()}
		floats.Scale(1/floats.Sum(x), x)
		p = append(p, [][]float64{x})
		q = append(q, [][]float64{{x[2], x[0], x[1]}})
	}
	slices.Reverse(q)
	a, b := spreadOf(p), spreadOf(q)
	near(t, "total variation", a.tv[0], b.tv[0], 1e-14)
	near(t, "standard deviation", a.sd[0], b.sd[0], 1e-14)
}

// The numbers are those of networks that are trained by hand.
func TestOrderSpread(t *testing.T) {
	o := run(t, parse(t, smallOrder))
	if len(o.cells) != 6 {
		t.Fatalf("%d cells", len(o.cells))
	}
	task := dataset.Task{Name: "wedges"}
	stream := func(purpose ...any) rand.Source { return random.Source(append([]any{"small_order", 2}, purpose...)...) }
	test := task.Generate(30, stream("test"))
	train := task.Generate(12, stream("train"))
	labels := func(set dataset.Set, order []int) [][]float64 {
		n, err := bnn.New(bnn.Config{Layers: []int{2, 3}, Output: bnn.ADF, Softmax: softmax.Probit{Lambda: softmax.SlopeLambda(3, 0.5), Rho: 0.5}}, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		_, cov := n.Weights(0)
		if err := n.SetWeights(0, mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}), cov); err != nil {
			t.Fatal(err)
		}
		for _, i := range order {
			if _, err := n.Observe(set.X[i], set.Class[i]); err != nil {
				t.Fatal(err)
			}
		}
		var out [][]float64
		var p bnn.Prediction
		for _, x := range test.X {
			if err := n.Predict(&p, x); err != nil {
				t.Fatal(err)
			}
			out = append(out, slices.Clone(p.P))
		}
		return out
	}
	straight := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	var permuted, others [][][]float64
	for r := 1; r <= 4; r++ {
		permuted = append(permuted, labels(train, rand.New(stream("permutation", r)).Perm(12)))
	}
	for r := 1; r <= 3; r++ {
		others = append(others, labels(task.Generate(12, stream("sample", r)), straight))
	}
	for by, p := range map[string][][][]float64{"order": permuted, "sample": others} {
		r := records(t, o.report.Tables, "spread", record{"variant": "adf", "seed": "2", "size": "12", "differ_by": by})[0]
		var tv, pairs float64
		var accuracy []float64
		for a := range p {
			accuracy = append(accuracy, metric.Accuracy(p[a], test.Class))
			for b := range a {
				pairs++
				for i := range p[a] {
					for j := range p[a][i] {
						tv += math.Abs(p[a][i][j]-p[b][i][j]) / 2 / 30
					}
				}
			}
		}
		near(t, by+": total variation", r.number(t, "tv"), tv/pairs, 1e-9)
		near(t, by+": accuracy", r.number(t, "accuracy"), stat.Mean(accuracy, nil), 1e-12)
		near(t, by+": sd of the accuracy", r.number(t, "accuracy_sd"), stat.StdDev(accuracy, nil), 1e-12)
		near(t, by+": least accuracy", r.number(t, "accuracy_min"), slices.Min(accuracy), 1e-12)
		if !(r.number(t, "tv") > 0 && r.number(t, "tv_max") >= r.number(t, "tv")) {
			t.Errorf("%s: %v", by, r)
		}
		for k, x := range accuracy {
			run := records(t, o.report.Tables, "runs", record{"variant": "adf", "seed": "2", "size": "12", "differ_by": by, "run": fmt.Sprint(k + 1)})
			near(t, "accuracy of a run", run[0].number(t, "accuracy"), x, 1e-12)
		}
	}
}

// Different orders are orders of the same examples.
func TestPermute(t *testing.T) {
	set := dataset.Set{X: [][]float64{{0}, {1}, {2}}, Class: []int{0, 1, 2}}
	got := permute(set, []int{2, 0, 1})
	if !reflect.DeepEqual(got, dataset.Set{X: [][]float64{{2}, {0}, {1}}, Class: []int{2, 0, 1}}) {
		t.Errorf("%v", got)
	}
}

// One example has no order, two training sets of one example differ.
func TestOrderOfOneExample(t *testing.T) {
	o := run(t, parse(t, smallOrder))
	for _, r := range records(t, o.report.Tables, "spread", record{"variant": "adf", "size": "1"}) {
		if x := r.number(t, "tv"); (x == 0) != (r["differ_by"] == "order") {
			t.Errorf("%v", r)
		}
	}
}

// Networks that break down are counted, and say that all classes are equally
// probable; so they agree.
func TestOrderFailures(t *testing.T) {
	o := run(t, parse(t, smallOrder))
	for _, r := range records(t, o.report.Tables, "spread", record{"variant": "fails", "size": "12"}) {
		near(t, "failed", r.number(t, "failed"), r.number(t, "runs"), 0)
		near(t, "log loss", r.number(t, "log_loss"), math.Log(3), 1e-12)
		near(t, "total variation", r.number(t, "tv"), 0, 0)
	}
	for _, r := range records(t, o.report.Tables, "spread", record{"variant": "joint"}) {
		near(t, "failed", r.number(t, "failed"), 0, 0)
	}
}

func TestOrderSummary(t *testing.T) {
	o := run(t, parse(t, smallOrder))
	rows := records(t, o.report.Tables, "summary", nil)
	if len(rows) != 3*2*2 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		var tv []float64
		for _, s := range records(t, o.report.Tables, "spread", record{"variant": r["variant"], "size": r["size"], "differ_by": r["differ_by"]}) {
			tv = append(tv, s.number(t, "tv"))
		}
		mean, sd := stat.MeanStdDev(tv, nil)
		near(t, "total variation", r.number(t, "tv"), mean, 1e-12)
		near(t, "high", r.number(t, "tv_high"), mean+12.706204736432095*sd/math.Sqrt2, 1e-9) // Student's t, 1 degree of freedom
		if want := map[string]string{"order": "4", "sample": "3"}[r["differ_by"]]; r["runs"] != want || r["seeds"] != "2" {
			t.Errorf("%s runs of %s seeds", r["runs"], r["seeds"])
		}
	}
	var names []string
	for _, f := range o.report.Figures {
		names = append(names, f.Name)
		if _, err := f.Drawing.Encode("svg"); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if !slices.Equal(names, []string{"spread", "maps"}) {
		t.Errorf("figures %v", names)
	}
	for _, r := range records(t, o.report.Tables, "maps", nil) {
		near(t, "sum of the means", r.number(t, "p1")+r.number(t, "p2")+r.number(t, "p3"), 1, 1e-9)
	}
	if n := len(records(t, o.report.Tables, "maps", record{"variant": "adf", "size": "12"})); n != 25 {
		t.Errorf("%d points of a map", n)
	}
}

func TestOrderCellsArePure(t *testing.T) {
	o := run(t, parse(t, smallOrder))
	checkPure(t, o)
	seen := map[string][]string{}
	for _, overrides := range [][]string{
		nil,
		{"name=other"},
		{"seed=1"},
		{"data.train=13"},
		{"order.permutations=5"},
		{"order.samples=4"},
		{"order.sizes=[12]"},
		{"order.test=31"},
		{"order.grid=6", "seed=1"},
		{"order.mapped=1", "seed=1"},
		{"model.prior_var=2"},
		{"data.generator=spirals"},
	} {
		m := parse(t, smallOrder, overrides...)
		s := spec(t, (&order{m.Order, m}).Cells()[0])
		if other, ok := seen[s]; ok {
			t.Errorf("%v and %v give one spec", overrides, other)
		}
		seen[s] = overrides
	}
	odd := [][]store.Table{{{Name: "a", Header: []string{"x"}}}, {{Name: "a", Header: []string{"y"}}}}
	for _, e := range []Experiment{&order{}, &hidden{}} {
		if _, err := e.Report(odd); err == nil {
			t.Error("a report of columns that do not fit")
		}
	}
}
