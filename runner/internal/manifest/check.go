package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// together checks values that must fit each other.
func (r *reader) together(t *table, m *Manifest, b blocks) {
	checkModel(t.sub("model"), m.Data, &m.Model)
	if len(r.problems) > 0 {
		return // A variant would repeat what is wrong with the model.
	}
	for i, v := range b.variants {
		checkModel(v, m.Data, &m.Variants[i])
		if slices.ContainsFunc(m.Variants[:i], func(o Model) bool { return o.Name == m.Variants[i].Name }) {
			v.reject("name", "a variant before it has this name; allowed: names that differ")
		}
	}

	evaluate := t.sub("evaluate")
	for i, k := range m.Evaluate.Snapshots {
		switch {
		case k > m.Data.Train:
			evaluate.reject("snapshots", fmt.Sprintf("%d is beyond data.train = %d; allowed: 1 to %d", k, m.Data.Train, m.Data.Train))
		case i > 0 && k <= m.Evaluate.Snapshots[i-1]:
			evaluate.reject("snapshots", fmt.Sprintf("%d comes after %d; allowed: strictly increasing", k, m.Evaluate.Snapshots[i-1]))
		}
	}

	sweep := t.sub("sweep")
	distinct(sweep, "seed", m.Seeds)
	distinct(sweep, "lambda", m.Lambda)
	distinct(sweep, "rho", m.Rho)
	if !slices.Contains(m.Seeds, m.Seed) {
		t.reject("seed", "not one of sweep.seed; allowed: "+limited(seedsLiteral(m.Seeds), shown))
	}
	n := len(m.Variants) * max(1, len(m.Lambda)) * max(1, len(m.Rho))
	if n > maxModels {
		t.reject("sweep", fmt.Sprintf("asks for %d models (variants × lambda × rho); allowed: at most %d", n, maxModels))
	} else if c := n * len(m.Seeds); c > maxCells {
		t.reject("sweep", fmt.Sprintf("asks for %d cells (models × seeds); allowed: at most %d", c, maxCells))
	}

	names := make([]string, len(m.Variants))
	for i, v := range m.Variants {
		names[i] = v.Name
	}
	for i, f := range m.Figures {
		if !slices.Contains(names, f.Variant) {
			b.figures[i].reject("variant", "names no variant; allowed: "+limited(strings.Join(names, ", "), shown))
		}
		same := func(o Figure) bool { return o.Kind == f.Kind && o.Variant == f.Variant }
		if slices.ContainsFunc(m.Figures[:i], same) {
			b.figures[i].reject("variant", fmt.Sprintf("a figure before it is the %s of this variant; allowed: figures that differ", f.Kind))
		}
	}
}

// distinct rejects a swept key with a value that is there twice.
func distinct[T comparable](sweep *table, key string, values []T) {
	seen := make(map[T]bool, len(values))
	for _, v := range values {
		if seen[v] {
			sweep.reject(key, fmt.Sprintf("%v is there twice; allowed: values that differ", v))
			return
		}
		seen[v] = true
	}
}

// checkModel checks the values of m, whose own keys are in t, against each
// other and against the data.
func checkModel(t *table, data Data, m *Model) {
	g := generators[data.Generator]
	in, out := m.Layers[0], m.Layers[len(m.Layers)-1]
	if in != g.inputs || out != g.classes {
		t.reject("layers", fmt.Sprintf("data.generator = %q has %d inputs and %d classes; allowed: [%d, …, %d]",
			data.Generator, g.inputs, g.classes, g.inputs, g.classes))
		return
	}
	bias := 0
	if m.Bias {
		bias = 1
	}
	numbers := 0.0
	for l, n := range m.Layers[1:] {
		fanIn := float64(m.Layers[l] + bias)
		numbers += float64(n) * fanIn * fanIn
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
