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
	Kind string // one of methodKinds: closed-form, or a rival of baselines/; required

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

	// streamed says that the method learns a stream and may forget: a closed-form
	// network by process noise, a method that is not online by seeing the latest
	// examples only, as many as its window. There is one pass.
	streamed bool
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
	hyper      map[string]hyper
}

// hyper is a hyper-parameter: its default, and what else it may be.
type hyper struct {
	fallback float64
	kind     kind[float64]
}

// The kinds of hyper-parameters. All that the methods refuse is refused here,
// because what a method refuses later counts as its failure.
var (
	variance = within(1e-12, 1e12)
	epochs   = integral(1, 100_000)
	step     = within(1e-12, 1e6)
)

var methodKinds = map[string]methodKind{
	"closed-form": {
		has: hasModel | hasLayers | hasPasses,
		hyper: map[string]hyper{
			"prior_var":      {10, positive},   // with prior = "scaled", divided by the inputs of the layer
			"prior_mean_var": {0, nonNegative}, // of the random prior means, divided by the inputs of the layer
		},
	},
	"kalman": {
		has: hasLayers | hasPasses, covariance: []string{"full", "diagonal"},
		hyper: map[string]hyper{
			"prior_var":      {1, variance}, // of this and all below: divided by the inputs of the layer
			"prior_mean_var": {2, variance},
			"process_noise":  {0, within(0, 1)}, // gained by the variances of the weights at each step, a share of their prior's
		},
	},
	"tagi": {
		has: hasLayers | hasPasses,
		hyper: map[string]hyper{
			"prior_var":      {1, variance},
			"prior_mean_var": {1, variance},
			"sigma_v":        {1, variance}, // standard deviation of a target
		},
	},
	"laplace": {
		has: hasLayers, covariance: []string{"full", "last-layer", "diagonal"}, predictive: []string{"probit", "pairwise", "monte-carlo", "plug-in"},
		hyper: map[string]hyper{
			"prior_var":   {1, variance},
			"laplace_var": {0, orKeyless(variance)}, // prior variance in the information at the mode; 0: prior_var
		},
	},
	"variational": {
		bound: []string{"bohning", "bohning-joint", "probit"},
		hyper: map[string]hyper{"prior_var": {1, variance}},
	},
	"backprop": {
		has:   hasLayers,
		hyper: map[string]hyper{"prior_var": {20, variance}, "step": {0.01, step}, "epochs": {100, epochs}},
	},
	"dropout": {
		has: hasLayers,
		hyper: map[string]hyper{
			"rate": {0.2, fraction}, "decay": {1e-3, nonNegative}, "step": {0.01, step}, "epochs": {100, epochs},
		},
	},
	"neighbours": {hyper: map[string]hyper{"neighbours": {5, integral(1, maxTrain)}}},
	"majority":   {},
}

// hypers returns the hyper-parameters of the method.
func (m *Method) hypers() map[string]hyper {
	if !m.streamed {
		return methodKinds[m.Kind].hyper
	}
	h := maps.Clone(methodKinds[m.Kind].hyper)
	switch {
	case m.Kind == "closed-form":
		h["process_noise"] = hyper{0, within(0, 1)} // variance that a weight gains before each example, a share of its prior's
	case !m.Online():
		h["window"] = hyper{200, integral(1, maxTrain)}
	}
	return h
}

// hasPasses reports whether the method may see the examples several times, one
// after another.
func (m *Method) hasPasses() bool { return !m.streamed && methodKinds[m.Kind].has&hasPasses != 0 }

// orKeyless returns the kind that allows 0, too, which stands for a value that
// follows from other keys.
func orKeyless(k kind[float64]) kind[float64] {
	return number("0 or "+k.want, func(x float64) bool { return x == 0 || accepts(k, x) })
}

// integral is the kind of the integers from lo to hi, as floating-point numbers.
func integral(lo, hi float64) kind[float64] {
	return number(fmt.Sprintf("an integer from %.0f to %.0f", lo, hi), func(x float64) bool {
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

// fields goes over all keys.
func (m *Method) fields(f *fields) {
	m.fixed(f)
	if _, ok := methodKinds[m.Kind]; !ok {
		return
	}
	if m.hasPasses() {
		field(f, "passes", &m.Passes, integer(1, maxPasses).or(1))
	}
	keys := slices.Sorted(maps.Keys(m.hypers()))
	field(f, "tune", &m.Tune, orNone(distinct(listOf(1, max(1, len(keys)), word(keys...)))))
	field(f, "candidates", &m.Candidates, orNone(listOf(1, maxTables, listOf(1, max(1, len(keys)), anyNumber))))
}

// untuned goes over the keys of a method whose hyper-parameters are fixed.
func (m *Method) untuned(f *fields) {
	m.fixed(f)
	if methodKinds[m.Kind].has&hasPasses != 0 {
		field(f, "passes", &m.Passes, integer(1, maxPasses).or(1))
	}
}

// fixed goes over the keys of a method that is shown the examples by a study, and
// whose hyper-parameters are fixed.
func (m *Method) fixed(f *fields) {
	field(f, "name", &m.Name, name)
	field(f, "kind", &m.Kind, word(slices.Sorted(maps.Keys(methodKinds))...))
	k, ok := methodKinds[m.Kind]
	if !ok {
		// That is reported; which keys there may be follows from the kind.
		if f.from != nil {
			f.from.known = slices.AppendSeq(f.from.known, maps.Keys(f.from.entries))
		}
		return
	}
	if k.has&hasLayers != 0 {
		field(f, "hidden_layers", &m.HiddenLayers, widths.or(nil))
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
	hypers := m.hypers()
	for _, key := range slices.Sorted(maps.Keys(hypers)) {
		x := m.Hyper[key]
		field(f, key, &x, hypers[key].kind.or(hypers[key].fallback))
		m.Hyper[key] = x
	}
}

// check reports candidates that are none.
func (m *Method) check(t *table, budget int) {
	if (len(m.Tune) == 0) != (len(m.Candidates) == 0) {
		key, other := "tune", "candidates"
		if len(m.Tune) == 0 {
			key, other = other, key
		}
		t.reject(key, fmt.Sprintf("without %s; allowed: tune = [key, ...] and candidates = [[value of each], ...] together", other))
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
			if k := m.hypers()[m.Tune[j]].kind; !accepts(k, x) {
				t.reject("candidates", fmt.Sprintf("entry %d: %s = %s must be %s", i+1, m.Tune[j], shortest(x), k.want))
				return
			}
		}
	}
}

// fit reports a method that cannot learn data of that shape.
func (m *Method) fit(t *table, data shape) {
	if m.Model.RandomFeatures && (m.Hyper["process_noise"] != 0 || slices.Contains(m.Tune, "process_noise")) {
		t.reject("random_features", "process noise would make the features uncertain; allowed: without process_noise")
	}
	layers := slices.Concat([]int{data.inputs}, m.HiddenLayers, []int{data.classes})
	if m.Kind == "closed-form" {
		model := m.Model
		model.Layers = layers
		model.check(t, data)
		return
	}
	weights := 0.0
	for l, n := range layers[1:] {
		weights += float64(n) * float64(layers[l]+1)
	}
	outer := float64(layers[len(layers)-2]+1) * float64(data.classes)
	numbers := weights
	switch {
	case m.Kind == "kalman" && m.Covariance == "full", m.Kind == "laplace" && m.Covariance == "full", m.Bound == "bohning-joint":
		numbers = weights * weights
	case m.Kind == "laplace" && m.Covariance == "last-layer":
		numbers += outer * outer
	case m.Kind == "variational":
		numbers *= float64(data.inputs + 1)
	}
	if numbers > maxCovariance {
		t.reject("kind", fmt.Sprintf("%s and the layers %v: the covariance has %.3g numbers; allowed: at most %d", data.of, layers, numbers, maxCovariance))
	}
}

// accepts reports whether a kind of number allows x.
func accepts(k kind[float64], x float64) bool {
	r := &reader{}
	_, ok := k.read(value{r: r, v: x})
	return ok
}
