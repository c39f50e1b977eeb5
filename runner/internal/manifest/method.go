package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Method is a way to learn a classifier: the closed-form network or a rival. Its
// kind says which of its keys it has.
type Method struct {
	Name string // required
	Kind string // closed-form, or the name of a package in baselines/; required

	Model        Model  // of closed-form: its rules; Layers empty
	HiddenLayers []int  // widths of the hidden layers; default: none, a linear model
	Passes       int    // over the examples, of methods that see one after another; default 1
	Covariance   string // of kalman and laplace
	Predictive   string // of laplace
	Bound        string // of variational

	// Hyper holds the hyper-parameters of the kind by their keys. Those of Tune
	// are chosen for each training part: the Candidates are tried, a value each
	// in the order of Tune, and that with the least log loss on a validation
	// part is taken.
	Hyper      map[string]float64
	Tune       []string
	Candidates [][]float64
}

// The choices that some kinds of method have beside their hyper-parameters.
const (
	hasModel = 1 << iota
	hasLayers
	hasPasses
)

// methodKind says what keys a kind of method has.
type methodKind struct {
	has        int
	covariance []string // allowed values, the default first; none: no such key
	predictive []string
	bound      []string
	hyper      map[string]float64 // defaults
}

var methodKinds = map[string]methodKind{
	"closed-form": {
		has:   hasModel | hasLayers | hasPasses,
		hyper: map[string]float64{"prior_var": 10, "prior_mean_var": 0},
	},
	"kalman": {
		has: hasLayers | hasPasses, covariance: []string{"full", "diagonal"},
		hyper: map[string]float64{"prior_var": 1, "prior_mean_var": 2, "process_noise": 0},
	},
	"tagi": {
		has:   hasLayers | hasPasses,
		hyper: map[string]float64{"prior_var": 1, "prior_mean_var": 1, "sigma_v": 1},
	},
	"laplace": {
		has: hasLayers, covariance: []string{"full", "last-layer", "diagonal"}, predictive: []string{"probit", "pairwise", "monte-carlo", "plug-in"},
		hyper: map[string]float64{"prior_var": 1, "laplace_var": 0},
	},
	"variational": {
		bound: []string{"bohning", "bohning-joint", "probit"},
		hyper: map[string]float64{"prior_var": 1},
	},
	"backprop": {
		has:   hasLayers,
		hyper: map[string]float64{"prior_var": 20, "step": 0.01, "epochs": 100},
	},
	"dropout": {
		has:   hasLayers,
		hyper: map[string]float64{"rate": 0.2, "decay": 1e-3, "step": 0.01, "epochs": 100},
	},
	"neighbours": {hyper: map[string]float64{"neighbours": 5}},
	"majority":   {},
}

// hypers are the kinds of all hyper-parameters.
var hypers = map[string]kind[float64]{
	"prior_var":      positive,     // prior variance of the weights, divided by the inputs of the layer
	"prior_mean_var": nonNegative,  // variance of the random prior means, divided likewise
	"process_noise":  within(0, 1), // of kalman: added to the variances of the weights at each step, a share of their prior's
	"sigma_v":        positive,     // of tagi: standard deviation of a target
	"laplace_var":    nonNegative,  // of laplace: prior variance in the information at the mode; 0: prior_var
	"step":           positive,     // of Adam
	"epochs":         integral(1, 100_000),
	"rate":           fraction, // of dropout
	"decay":          nonNegative,
	"neighbours":     integral(1, maxTrain),
}

// integral is the kind of the integers from lo to hi, as floating-point numbers.
func integral(lo, hi float64) kind[float64] {
	return number(fmt.Sprintf("an integer from %g to %g", lo, hi), func(x float64) bool {
		return lo <= x && x <= hi && x == float64(int64(x))
	})
}

// Online reports whether the method sees one example after another.
func (m *Method) Online() bool { return methodKinds[m.Kind].has&hasPasses != 0 || m.Kind == "majority" }

// With returns the hyper-parameters with the values of a candidate.
func (m *Method) With(candidate []float64) map[string]float64 {
	h := maps.Clone(m.Hyper)
	for i, key := range m.Tune {
		h[key] = candidate[i]
	}
	return h
}

func (m *Method) fields(f *fields) {
	field(f, "name", &m.Name, name)
	field(f, "kind", &m.Kind, word(slices.Sorted(maps.Keys(methodKinds))...))
	k, ok := methodKinds[m.Kind]
	if !ok {
		return // That is reported; what other keys there may be follows from it.
	}
	if k.has&hasLayers != 0 {
		field(f, "hidden_layers", &m.HiddenLayers, widths.or(nil))
	}
	if k.has&hasPasses != 0 {
		field(f, "passes", &m.Passes, integer(1, maxPasses).or(1))
	}
	for _, choice := range []struct {
		key     string
		value   *string
		allowed []string
	}{{"covariance", &m.Covariance, k.covariance}, {"predictive", &m.Predictive, k.predictive}, {"bound", &m.Bound, k.bound}} {
		if len(choice.allowed) > 0 {
			field(f, choice.key, choice.value, word(choice.allowed...).or(choice.allowed[0]))
		}
	}
	if k.has&hasModel != 0 {
		field(f, "random_features", &m.Model.RandomFeatures, boolean.or(false))
		m.Model.learning(f)
		field(f, "prior_scale", &m.Model.PriorScale, orNone(factors))
		m.Model.guards(f)
	}
	if m.Hyper == nil {
		m.Hyper = map[string]float64{}
	}
	keys := slices.Sorted(maps.Keys(k.hyper))
	for _, key := range keys {
		x := m.Hyper[key]
		field(f, key, &x, hypers[key].or(k.hyper[key]))
		m.Hyper[key] = x
	}
	field(f, "tune", &m.Tune, orNone(distinct(listOf(1, len(hypers), word(keys...)))))
	field(f, "candidates", &m.Candidates, orNone(listOf(1, maxCells, listOf(1, len(hypers), anyNumber))))
}

// check reports keys that do not go together, and candidates that are none.
func (m *Method) check(t *table, budget int) {
	if (len(m.Tune) == 0) != (len(m.Candidates) == 0) {
		t.reject("tune", "allowed: with candidates = [[...], ...]")
		return
	}
	if len(m.Candidates) > budget {
		t.reject("candidates", fmt.Sprintf("%d of them; allowed: at most %d, the budget of every method", len(m.Candidates), budget))
	}
	for i, c := range m.Candidates {
		if len(c) != len(m.Tune) {
			t.reject("candidates", fmt.Sprintf("entry %d has %d values; allowed: %d, one for each of %s", i+1, len(c), len(m.Tune), strings.Join(m.Tune, ", ")))
			return
		}
		for j, x := range c {
			if k := hypers[m.Tune[j]]; !accepts(k, x) {
				t.reject("candidates", fmt.Sprintf("entry %d: %s = %s must be %s", i+1, m.Tune[j], shortest(x), k.want))
				return
			}
		}
	}
	if m.Model.RandomFeatures && m.Model.Hidden != "frozen" {
		t.reject("random_features", fmt.Sprintf("hidden = %q would move the features; allowed: only with hidden = \"frozen\"", m.Model.Hidden))
	}
}

// accepts reports whether a kind of number allows x.
func accepts(k kind[float64], x float64) bool {
	r := &reader{}
	_, ok := k.read(value{r: r, v: x})
	return ok
}
