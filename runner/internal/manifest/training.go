package manifest

import (
	"fmt"
	"slices"
	"strings"

	"closedform/core/softmax"
	"closedform/runner/internal/dataset"
)

// Training says which networks learn what: the tables [data], [model], [sweep]
// and [[variant]] of every study that trains networks.
type Training struct {
	Data     Data
	Model    Model     // the [model] table, its Name and Variant empty
	Lambda   []Lambda  // sweep.lambda, in place of every variant's lambda; none: not swept
	Rho      []float64 // sweep.rho, in place of every variant's rho; none: not swept
	Variants []Model   // Model with the keys of each [[variant]]; default: Model itself, named "model"
}

// Data says which examples are drawn.
type Data struct {
	Generator string // one of dataset.Names, of those that the study takes; required
	Train     int    // number of training examples, ≥ 1; required

	// Of the generators that have them; 0: the generator's default.
	Noise float64
	Arms  int
	Rings int
}

func (d *Data) fields(f *fields, generators ...string) {
	field(f, "generator", &d.Generator, word(generators...))
	field(f, "train", &d.Train, integer(1, maxTrain))
	field(f, "noise", &d.Noise, orZero(within(0, 10)))
	field(f, "arms", &d.Arms, orZero(integer(0, 100)))
	field(f, "rings", &d.Rings, orZero(integer(0, 100)))
}

// Task returns the law of the examples.
func (d *Data) Task() dataset.Task {
	return dataset.Task{Name: d.Generator, Noise: d.Noise, Arms: d.Arms, Rings: d.Rings}
}

func (d *Data) check(t *table) {
	if err := d.Task().Validate(); err != nil {
		t.reject("generator", strings.TrimPrefix(err.Error(), "dataset: "))
	}
}

// networks goes over what is trained: [data] and [model]. The study says which
// generators it takes.
func (t *Training) networks(f *fields, generators ...string) {
	f.table("data", func(f *fields) { t.Data.fields(f, generators...) })
	f.table("model", t.Model.fields)
}

// sweep goes over what varies: [sweep] and the variants. The study says whether
// it must sweep λ and ρ.
func (t *Training) sweep(f *fields, m *Manifest, lambda kind[[]Lambda], rho kind[[]float64]) {
	f.table("sweep", func(f *fields) {
		field(f, "seed", &m.Seeds, span("1..20", 0, maxSeed, maxCells).or(nil))
		field(f, "lambda", &t.Lambda, lambda)
		field(f, "rho", &t.Rho, rho)
	})
	blocks(f, "variant", &t.Variants, t.Model, (*Model).variant)
	if len(t.Variants) == 0 {
		model := t.Model
		model.Name = "model"
		t.Variants = []Model{model}
	}
}

// Models returns every variant at every swept λ and ρ, the last changing
// fastest, each with a Name of its own. The models share slices with Variants.
func (t *Training) Models() []Model {
	var all []Model
	for _, v := range t.Variants {
		v.Variant = v.Name
		for i := range max(1, len(t.Lambda)) {
			for j := range max(1, len(t.Rho)) {
				model := v
				if t.Lambda != nil {
					model.Lambda = t.Lambda[i]
					model.Name += " lambda=" + model.Lambda.String()
				}
				if t.Rho != nil {
					model.Rho = t.Rho[j]
					model.Name += " rho=" + shortest(model.Rho)
				}
				all = append(all, model)
			}
		}
	}
	return all
}

func (t *Training) check(root *table, m *Manifest) {
	t.Data.check(root.sub("data"))
	if root.rejected() {
		return
	}
	t.Model.check(root.sub("model"), t.Data)
	if root.rejected() {
		return // A variant would repeat what is wrong with the model.
	}
	for i, v := range root.list("variant") {
		t.Variants[i].check(v, t.Data)
		if slices.ContainsFunc(t.Variants[:i], func(o Model) bool { return o.Name == t.Variants[i].Name }) {
			v.reject("name", "a variant before it has this name; allowed: names that differ")
		}
	}

	if !slices.Contains(m.Seeds, m.Seed) {
		root.reject("seed", "not one of sweep.seed; allowed: "+limited(spanLiteral(m.Seeds), shown))
	}
	models := len(t.Variants) * max(1, len(t.Lambda)) * max(1, len(t.Rho))
	if root.atMost(maxModels, models, "sweep", "models (variants × lambda × rho)") {
		root.atMost(maxCells, models*len(m.Seeds), "sweep", "cells (models × seeds)")
	}
}

// variantNames returns the names of the variants, for a message.
func (t *Training) variantNames() string {
	names := make([]string, len(t.Variants))
	for i, v := range t.Variants {
		names[i] = v.Name
	}
	return limited(strings.Join(names, ", "), shown)
}

// hasVariant reports whether a variant has the name.
func (t *Training) hasVariant(name string) bool {
	return slices.ContainsFunc(t.Variants, func(v Model) bool { return v.Name == name })
}

// Model says what network learns, and how.
type Model struct {
	Name    string // the variant's name, of Models with the swept values: "joint lambda=0.1 rho=0.5"
	Variant string // the variant's name, of Models only

	Layers []int   // inputs, hidden widths, classes; at least two entries; required
	Bias   bool    // whether each layer has a trailing input 1; default false
	Alpha  float64 // slopes of the unit max(αz, βz): 0 ≤ α ≤ 1; default 0
	Beta   float64 // and α ≤ β; default 1
	Rule   string  // output rule, joint, total, adf or adf-exact; default joint
	Hidden string  // hidden rule, frozen or smooth; default frozen
	Lambda Lambda  // slope λ of the probit approximation; default "slope"
	Rho    float64 // correlation ρ of the probit approximation, 0 ≤ ρ < 1; default 0.5

	Covariance []string // full or diagonal, one for all layers of weights or one for each; default full

	OutputCovariance string // between the output neurons: per-neuron, or joint; default per-neuron

	Prior        string      // paper, or scaled: PriorVar is divided by the fan-in; default paper
	PriorMean    [][]float64 // neurons × inputs (+1 with a bias), for one layer of weights; default: empty, drawn
	PriorVar     float64     // prior variance of each weight, > 0; default 1
	PriorMeanVar float64     // prior means are drawn from N(0, PriorMeanVar/fan-in) where PriorMean is empty, ≥ 0; default 0

	OnIndefinite    string  // what happens to an indefinite step: fail, skip or project; default fail
	EigenvalueFloor float64 // used by project, > 0; default 1e-3
	VarianceFloor   float64 // used by project, > 0 and < 1; default 1e-3
}

func (m *Model) fields(f *fields) {
	field(f, "layers", &m.Layers, listOf(2, maxLayers, integer(1, maxWidth)))
	m.rules(f)
}

// rules goes over all keys but the layers.
func (m *Model) rules(f *fields) {
	field(f, "bias", &m.Bias, boolean.or(false))
	field(f, "alpha", &m.Alpha, number("a number from 0 to 1", func(x float64) bool { return 0 <= x && x <= 1 }).or(0))
	field(f, "beta", &m.Beta, number("a finite number ≥ alpha", func(float64) bool { return true }).or(1))
	field(f, "rule", &m.Rule, word("joint", "total", "adf", "adf-exact").or("joint"))
	field(f, "hidden", &m.Hidden, word("frozen", "smooth").or("frozen"))
	field(f, "lambda", &m.Lambda, lambda.or(Lambda{Word: "slope"}))
	field(f, "rho", &m.Rho, fraction.or(0.5))
	field(f, "covariance", &m.Covariance, covariances.or([]string{"full"}))
	field(f, "output_covariance", &m.OutputCovariance, word("per-neuron", "joint").or("per-neuron"))
	field(f, "prior", &m.Prior, word("paper", "scaled").or("paper"))
	field(f, "prior_mean", &m.PriorMean, listOf(0, maxWidth, listOf(1, maxWidth, anyNumber)).or(nil))
	field(f, "prior_var", &m.PriorVar, positive.or(1))
	field(f, "prior_mean_var", &m.PriorMeanVar, nonNegative.or(0))
	field(f, "on_indefinite", &m.OnIndefinite, word("fail", "skip", "project").or("fail"))
	field(f, "eigenvalue_floor", &m.EigenvalueFloor, positive.or(1e-3))
	field(f, "variance_floor", &m.VarianceFloor, number("a number > 0 and < 1", func(x float64) bool { return 0 < x && x < 1 }).or(1e-3))
}

// covariance returns that of layer l of the weights.
func (m *Model) covariance(l int) string {
	if len(m.Covariance) == 1 {
		return m.Covariance[0]
	}
	return m.Covariance[l]
}

// covariances is the kind of a word, or of a list of them.
var covariances = func() kind[[]string] {
	one := word("full", "diagonal")
	list := listOf(1, maxLayers, one)
	list.want = one.want + ", or a list of these, one for each layer of weights"
	readList := list.read
	list.read = func(v value) ([]string, bool) {
		if _, ok := v.v.([]any); ok {
			return readList(v)
		}
		s, ok := v.v.(string)
		if !ok || s != "full" && s != "diagonal" {
			return nil, v.reject("must be " + list.want)
		}
		return []string{s}, true
	}
	list.write = func(x []string) string {
		if len(x) == 1 {
			return one.write(x[0])
		}
		return literalOf(x)
	}
	return list
}()

// variant goes over the keys of a [[variant]]; it begins as a copy of [model]
// when it is read.
func (m *Model) variant(f *fields) {
	field(f, "name", &m.Name, name)
	f.inherit = true
	m.fields(f)
}

// check reports values of m, whose own keys are in t, that do not fit each other
// or the data.
func (m *Model) check(t *table, data Data) {
	task := data.Task()
	inputs, classes := task.Inputs(), task.Classes()
	in, out := m.Layers[0], m.Layers[len(m.Layers)-1]
	if in != inputs || out != classes {
		t.reject("layers", fmt.Sprintf("data.generator = %q has %d inputs and %d classes; allowed: [%d, …, %d]",
			data.Generator, inputs, classes, inputs, classes))
		return
	}
	if k := len(m.Covariance); k > 1 && k != len(m.Layers)-1 {
		t.reject("covariance", fmt.Sprintf("has %d entries; allowed: 1, or %d, one for each layer of weights", k, len(m.Layers)-1))
		return
	}
	if most := softmax.MostCorrelated; m.OutputCovariance == "joint" && (m.Rule != "adf-exact" || classes > most || m.covariance(len(m.Layers)-2) != "full") {
		t.reject("output_covariance", fmt.Sprintf("allowed with rule = \"adf-exact\", a full output layer and at most %d classes", most))
		return
	}
	if m.Rule == "adf" && m.Rho != 0.5 {
		t.reject("rho", `rule = "adf" is for the probit with rho = 0.5; allowed: 0.5`)
		return
	}
	bias := 0
	if m.Bias {
		bias = 1
	}
	numbers := 0.0
	for l, n := range m.Layers[1:] {
		fanIn := float64(m.Layers[l] + bias)
		if m.covariance(l) == "full" {
			fanIn *= fanIn
		}
		numbers += float64(n) * fanIn
	}
	if numbers > maxCovariance {
		t.reject("layers", fmt.Sprintf("the weights' covariances have %.3g numbers; allowed: at most %d", numbers, maxCovariance))
		return
	}

	if m.Beta < m.Alpha {
		if t.has("beta") {
			t.reject("beta", "must be ≥ alpha = "+shortest(m.Alpha))
		} else {
			t.reject("alpha", "must be ≤ beta = "+shortest(m.Beta))
		}
	}

	if len(m.PriorMean) == 0 {
		return
	}
	switch {
	case len(m.Layers) != 2:
		t.reject("prior_mean", fmt.Sprintf("layers = %s has %d layers of weights; allowed: only with one", literal(m.Layers), len(m.Layers)-1))
	case len(m.PriorMean) != out:
		t.reject("prior_mean", fmt.Sprintf("has %d rows; allowed: %d, one per neuron", len(m.PriorMean), out))
	default:
		for i, row := range m.PriorMean {
			if len(row) != in+bias {
				t.reject("prior_mean", fmt.Sprintf("row %d has %d columns; allowed: %d, %s", i+1, len(row), in+bias,
					map[int]string{0: "one per input", 1: "one per input and one for the bias"}[bias]))
				return
			}
		}
	}
}
