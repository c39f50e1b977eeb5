package study

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/manifest"
)

// deep is a network with a hidden layer, biases and a random prior.
const deep = `
name  = "deep"
study = "learn"
seed  = 1

[data]
generator = "wedges"
train     = 6

[model]
layers         = [2, 4, 3]
bias           = true
alpha          = 0.1
beta           = 0.9
rule           = "total"
lambda         = 0.4
prior_var      = 0.5
prior_mean_var = 2.0

[evaluate]
snapshots = [2, 3, 6]
grid      = 9

[monte_carlo]
samples = 200

[sweep]
seed = [1, 2]

[[variant]]
name = "leaky"

[[variant]]
name  = "linear"
alpha = 1.0
beta  = 1.0
`

// byHand are the networks of the variants of small and deep, written down a
// second time.
func byHand(variant string) bnn.Config {
	slope := softmax.SlopeLambda(3, 0.5)
	deep := bnn.Config{
		Layers: []int{2, 4, 3}, Bias: true, Alpha: 0.1, Beta: 0.9, Output: bnn.Total,
		Softmax: softmax.Probit{Lambda: 0.4, Rho: 0.5}, PriorVar: 0.5, PriorMeanVar: 2,
	}
	switch variant {
	case "joint":
		return bnn.Config{Layers: []int{2, 3}, Output: bnn.Joint, Softmax: softmax.Probit{Lambda: 0.3, Rho: 0.5}}
	case "project":
		return bnn.Config{
			Layers: []int{2, 3}, Output: bnn.Joint, Softmax: softmax.Probit{Lambda: slope, Rho: 0.5},
			OnIndefinite: bnn.Project, EigenvalueFloor: 0.01, VarianceFloor: 0.02,
		}
	case "skip":
		return bnn.Config{Layers: []int{2, 3}, Output: bnn.Joint, Softmax: softmax.Probit{Lambda: 2, Rho: 0.5}, OnIndefinite: bnn.Skip}
	case "total":
		return bnn.Config{Layers: []int{2, 3}, Output: bnn.Total, Softmax: softmax.Probit{Lambda: softmax.SlopeLambda(3, 0.3), Rho: 0.3}}
	case "leaky":
		return deep
	case "linear":
		deep.Alpha, deep.Beta = 1, 1
		return deep
	}
	panic("no variant " + variant)
}

// newByHand returns the network of a variant before the first example.
func newByHand(t *testing.T, m *manifest.Manifest, variant string, seed int) *bnn.Network {
	t.Helper()
	n, err := bnn.New(byHand(variant), random.Source(m.Name, seed, "prior"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Name == "small" {
		var cov []mat.Symmetric
		for range 3 {
			cov = append(cov, mat.NewDiagDense(2, []float64{0.8, 0.8}))
		}
		if err := n.SetWeights(0, mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1}), cov); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// each calls f for every variant and seed of small and deep.
func each(t *testing.T, f func(t *testing.T, m *manifest.Manifest, o outcome, variant string, seed int)) {
	for _, src := range []string{small, deep} {
		m := parse(t, src)
		o := run(t, m)
		for _, variant := range m.Learn.Variants {
			for _, seed := range m.Seeds {
				t.Run(fmt.Sprintf("%s/%s/%d", m.Name, variant.Name, seed), func(t *testing.T) { f(t, m, o, variant.Name, seed) })
			}
		}
	}
}

// The examples come from the stream of the seed, uniform on [−2, 2]², whatever
// the variant.
func TestTrainStream(t *testing.T) {
	for _, seed := range []int{1, 2, 3} {
		rnd := rand.New(random.Source("small", seed, "train"))
		for i, r := range records(t, runSmall(t).report.Tables, "train", record{"seed": strconv.Itoa(seed)}) {
			if r["k"] != strconv.Itoa(i+1) {
				t.Errorf("seed %d: example %s after %d", seed, r["k"], i)
			}
			near(t, "x1", r.number(t, "x1"), -2+4*rnd.Float64(), 1e-15)
			near(t, "x2", r.number(t, "x2"), -2+4*rnd.Float64(), 1e-15)
		}
	}
}

// steps.csv and weights.csv are what a network gives that is driven by hand
// with the examples of train.csv. All variants of a seed see the same ones.
func TestStepsAndWeightsByHand(t *testing.T) {
	each(t, func(t *testing.T, m *manifest.Manifest, o outcome, variant string, seed int) {
		this := record{"variant": variant, "seed": strconv.Itoa(seed)}
		steps := records(t, o.report.Tables, "steps", this)
		weights := records(t, o.report.Tables, "weights", this)
		train := records(t, o.report.Tables, "train", record{"seed": this["seed"]})
		if len(steps) != len(train) || len(train) != m.Learn.Data.Train {
			t.Fatalf("%d steps, %d examples", len(steps), len(train))
		}
		n := newByHand(t, m, variant, seed)
		for i, example := range train {
			k, class := strconv.Itoa(i+1), int(example.number(t, "class"))-1
			update, err := n.Observe([]float64{example.number(t, "x1"), example.number(t, "x2")}, class)
			if err != nil {
				t.Fatal(err)
			}
			if steps[i]["k"] != k || steps[i]["action"] != update.Action.String() {
				t.Errorf("step %s was %s; want step %s %v", steps[i]["k"], steps[i]["action"], k, update.Action)
			}
			near(t, "smallest eigenvalue in step "+k, steps[i].number(t, "min_eigenvalue"), update.MinEigenvalue, 1e-9)
			near(t, "smallest variance in step "+k, steps[i].number(t, "min_variance"), update.MinVariance, 1e-9)

			next := func() record {
				if len(weights) == 0 || weights[0]["k"] != k {
					t.Fatalf("weights.csv misses weights of k = %s", k)
				}
				defer func() { weights = weights[1:] }()
				return weights[0]
			}
			if k != "3" && k != "6" && k != strconv.Itoa(m.Learn.Evaluate.Snapshots[0]) {
				continue
			}
			for l := range len(byHand(variant).Layers) - 1 {
				mean, cov := n.Weights(l)
				neurons, inputs := mean.Dims()
				for j := range neurons {
					check := func(moment, a, b string, want float64) {
						r := next()
						name := fmt.Sprintf("k=%s layer %d neuron %d %s %s %s", k, l+1, j+1, moment, a, b)
						if got := fmt.Sprintf("k=%s layer %s neuron %s %s %s %s", r["k"], r["layer"], r["neuron"], r["moment"], r["i"], r["j"]); got != name {
							t.Fatalf("row %q, want %q", got, name)
						}
						near(t, name, r.number(t, "value"), want, 1e-9)
					}
					for a := range inputs {
						check("mean", strconv.Itoa(a+1), "", mean.At(j, a))
					}
					for a := range inputs {
						for b := a; b < inputs; b++ {
							check("cov", strconv.Itoa(a+1), strconv.Itoa(b+1), cov[j].At(a, b))
						}
					}
				}
			}
		}
		if len(weights) > 0 {
			t.Errorf("%d more rows of weights", len(weights))
		}
	})
}

// The variants of small do what they are there for: all actions occur.
func TestEveryActionOccurs(t *testing.T) {
	actions := map[string]map[string]int{}
	for _, r := range records(t, runSmall(t).report.Tables, "steps", nil) {
		if actions[r["variant"]] == nil {
			actions[r["variant"]] = map[string]int{}
		}
		actions[r["variant"]][r["action"]]++
	}
	for variant, want := range map[string]string{"joint": "applied", "project": "projected", "skip": "skipped", "total": "applied"} {
		if actions[variant][want] == 0 {
			t.Errorf("no step of %s was %s: %v", variant, want, actions[variant])
		}
	}
}

// restore returns the network of a variant with the weights that weights.csv has
// after k examples.
func restore(t *testing.T, o outcome, m *manifest.Manifest, variant string, seed int, k string) *bnn.Network {
	t.Helper()
	n := newByHand(t, m, variant, seed)
	layers := byHand(variant).Layers
	for l := range len(layers) - 1 {
		mean, cov := n.Weights(l)
		for _, r := range records(t, o.report.Tables, "weights", record{
			"variant": variant, "seed": strconv.Itoa(seed), "k": k, "layer": strconv.Itoa(l + 1),
		}) {
			neuron, a := int(r.number(t, "neuron"))-1, int(r.number(t, "i"))-1
			switch r["moment"] {
			case "mean":
				mean.Set(neuron, a, r.number(t, "value"))
			case "cov":
				cov[neuron].(*mat.SymDense).SetSym(a, int(r.number(t, "j"))-1, r.number(t, "value"))
			}
		}
		if err := n.SetWeights(l, mean, cov); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// grid.csv holds what the network says that has the weights of weights.csv.
func TestGridFromWeights(t *testing.T) {
	each(t, func(t *testing.T, m *manifest.Manifest, o outcome, variant string, seed int) {
		if seed != m.Seed {
			return
		}
		for _, k := range m.Learn.Evaluate.Snapshots {
			n := restore(t, o, m, variant, seed, strconv.Itoa(k))
			rows := records(t, o.report.Tables, "grid", record{"variant": variant, "k": strconv.Itoa(k)})
			if len(rows) != 81 {
				t.Fatalf("%d points at k = %d", len(rows), k)
			}
			var want bnn.Prediction
			for _, r := range rows {
				at := fmt.Sprintf("k = %d, (%s, %s)", k, r["x1"], r["x2"])
				if err := n.Predict(&want, []float64{r.number(t, "x1"), r.number(t, "x2")}); err != nil {
					t.Fatal(err)
				}
				p, variance := r.numbers(t, "p#"), r.numbers(t, "var#")
				for j := range 3 {
					near(t, fmt.Sprintf("%s: p_%d", at, j+1), p[j], want.P[j], 1e-9)
					near(t, fmt.Sprintf("%s: Var y_%d", at, j+1), variance[j], want.Cov.At(j, j), 1e-9)
				}
			}
		}
	})
}
