package manifest

import (
	"fmt"
	"slices"

	"closedform/core/softmax"
)

// Model says what network learns, and how.
type Model struct {
	Name    string // the variant's name, of Models with the swept values: "joint lambda=0.1 rho=0.5"
	Variant string // the variant's name, of Models only

	Layers []int   // inputs, hidden widths, classes; at least two entries; required
	Bias   bool    // whether each layer has a trailing input 1; default false
	Alpha  float64 // slopes of the unit max(αz, βz): 0 ≤ α ≤ 1; default 0
	Beta   float64 // and α ≤ β; default 1
	Rule   string  // output rule, joint, total, adf or adf-exact; default joint
	Hidden string  // hidden rule, frozen, smooth or smooth-mean; default frozen
	Lambda Lambda  // slope λ of the probit approximation; default "slope"
	Rho    float64 // correlation ρ of the probit approximation, 0 ≤ ρ < 1; default 0.5

	Covariance []string // full, diagonal or shared, one for all layers of weights or one for each; default full

	OutputCovariance string // between the output neurons: per-neuron, or joint; default per-neuron

	Prior        string      // paper, or scaled: PriorVar is divided by the fan-in; default paper
	PriorMean    [][]float64 // neurons × inputs (+1 with a bias), for one layer of weights; default: empty, drawn
	PriorVar     float64     // prior variance of each weight, > 0; default 1
	PriorMeanVar float64     // prior means are drawn from N(0, PriorMeanVar/fan-in) where PriorMean is empty, ≥ 0; default 0

	// Of models for data that are not known beforehand, in place of Layers.
	HiddenLayers []int // widths of the hidden layers, none for a linear model

	// RandomFeatures makes the weights of the hidden layers certain, at their
	// prior means, so that the output layer alone learns; default false.
	RandomFeatures bool

	PriorScale   []float64 // factors of PriorVar, one for each layer of weights; default: none, ones
	Replications []float64 // how often an example counts for the covariances of each layer of weights; default: none, ones

	OnIndefinite    string  // what happens to an indefinite step: fail, skip or project; default fail
	EigenvalueFloor float64 // used by project, > 0; default 1e-3
	VarianceFloor   float64 // used by project, by hidden rules other than frozen and by replications, > 0 and < 1; default 1e-3
}

// factors is the kind of factors for the layers of weights.
var factors = listOf(1, maxLayers, positive)

// widths is the kind of the widths of hidden layers.
var widths = listOf(0, maxLayers-2, integer(1, maxWidth))

// For returns the model with the layers for so many inputs and classes.
func (m Model) For(inputs, classes int) Model {
	m.Layers = slices.Concat([]int{inputs}, m.HiddenLayers, []int{classes})
	m.HiddenLayers = nil
	return m
}

func (m *Model) fields(f *fields) {
	field(f, "layers", &m.Layers, listOf(2, maxLayers, integer(1, maxWidth)))
	m.rules(f)
}

// rules goes over all keys but the layers.
func (m *Model) rules(f *fields) {
	m.learning(f)
	field(f, "prior_mean", &m.PriorMean, listOf(0, maxWidth, listOf(1, maxWidth, anyNumber)).or(nil))
	field(f, "prior_var", &m.PriorVar, positive.or(1))
	field(f, "prior_mean_var", &m.PriorMeanVar, nonNegative.or(0))
	field(f, "prior_scale", &m.PriorScale, orNone(factors))
	m.guards(f)
}

// learning goes over the keys that say what the network is and how it learns.
func (m *Model) learning(f *fields) {
	field(f, "bias", &m.Bias, boolean.or(false))
	field(f, "alpha", &m.Alpha, number("a number from 0 to 1", func(x float64) bool { return 0 <= x && x <= 1 }).or(0))
	field(f, "beta", &m.Beta, number("a finite number ≥ alpha", func(float64) bool { return true }).or(1))
	field(f, "rule", &m.Rule, word("joint", "total", "adf", "adf-exact").or("joint"))
	field(f, "hidden", &m.Hidden, word("frozen", "smooth", "smooth-mean").or("frozen"))
	field(f, "lambda", &m.Lambda, lambda.or(Lambda{Word: "slope"}))
	field(f, "rho", &m.Rho, fraction.or(0.5))
	field(f, "covariance", &m.Covariance, covariances.or([]string{"full"}))
	field(f, "output_covariance", &m.OutputCovariance, word("per-neuron", "joint").or("per-neuron"))
	field(f, "replications", &m.Replications, orNone(factors))
	field(f, "prior", &m.Prior, word("paper", "scaled").or("paper"))
}

// guards goes over the keys that say what becomes of an indefinite step.
func (m *Model) guards(f *fields) {
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
	one := word("full", "diagonal", "shared")
	list := listOf(1, maxLayers, one)
	list.want = one.want + ", or a list of these, one for each layer of weights"
	readList := list.read
	list.read = func(v value) ([]string, bool) {
		if _, ok := v.v.([]any); ok {
			return readList(v)
		}
		s, ok := v.v.(string)
		if !ok || s != "full" && s != "diagonal" && s != "shared" {
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

// variant goes over the keys of a [[variant]], its name and those of [model]; it
// begins as a copy of [model] when it is read.
func (m *Model) variant(f *fields, keys func(*Model, *fields)) {
	field(f, "name", &m.Name, name)
	f.inherit = true
	keys(m, f)
}

// check reports values of m, whose own keys are in t, that do not fit each other
// or the data.
func (m *Model) check(t *table, data shape) {
	layers := "layers"
	if t.has("hidden_layers") {
		layers = "hidden_layers"
	}
	in, out := m.Layers[0], m.Layers[len(m.Layers)-1]
	if in != data.inputs || out != data.classes {
		t.reject("layers", fmt.Sprintf("%s has %d inputs and %d classes; allowed: [%[2]d, …, %[3]d]", data.of, data.inputs, data.classes))
		return
	}
	if k := len(m.Covariance); k > 1 && k != len(m.Layers)-1 {
		t.reject("covariance", fmt.Sprintf("has %d entries; allowed: 1, or %d, one for each layer of weights", k, len(m.Layers)-1))
		return
	}
	for _, list := range []struct {
		key   string
		value []float64
	}{{"replications", m.Replications}, {"prior_scale", m.PriorScale}} {
		if k := len(list.value); k > 0 && k != len(m.Layers)-1 {
			t.reject(list.key, fmt.Sprintf("has %d entries; allowed: %d, one for each layer of weights", k, len(m.Layers)-1))
			return
		}
	}
	for l, x := range m.Replications {
		if x != 1 && m.OutputCovariance == "joint" && l == len(m.Layers)-2 {
			t.reject("replications", fmt.Sprintf("entry %d is not 1, and the neurons of that layer are correlated; allowed: 1 with output_covariance = \"joint\"", l+1))
			return
		}
	}
	if m.RandomFeatures && m.Hidden != "frozen" {
		t.reject("random_features", fmt.Sprintf("hidden = %q would move the features; allowed: only with hidden = \"frozen\"", m.Hidden))
	}
	if most := softmax.MostCorrelated; m.OutputCovariance == "joint" && (m.Rule != "adf-exact" || out > most || m.covariance(len(m.Layers)-2) != "full") {
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
		switch m.covariance(l) {
		case "full":
			numbers += float64(n) * fanIn * fanIn
		case "shared":
			numbers += fanIn * fanIn
		case "diagonal":
			numbers += float64(n) * fanIn
		}
	}
	if numbers > maxCovariance {
		t.reject(layers, fmt.Sprintf("the weights' covariances have %.3g numbers; allowed: at most %d", numbers, maxCovariance))
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
