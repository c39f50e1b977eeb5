package manifest

import (
	"slices"
	"strings"
)

// Training says which networks learn what: the tables [data], [model], [sweep]
// and [[variant]] of every study that trains networks on a generator.
type Training struct {
	Data Data
	Networks
}

// Networks says which networks learn: [model], [sweep] and [[variant]].
type Networks struct {
	Model    Model     // the [model] table, its Name and Variant empty
	Lambda   []Lambda  // sweep.lambda, in place of every variant's lambda; none: not swept
	Rho      []float64 // sweep.rho, in place of every variant's rho; none: not swept
	Variants []Model   // Model with the keys of each [[variant]]; default: Model itself, named "model"
}

// networks goes over what is trained: [data] and [model]. The study says which
// generators it takes.
func (t *Training) networks(f *fields, generators ...string) {
	f.table("data", func(f *fields) { t.Data.fields(f, generators...) })
	f.table("model", t.Model.fields)
}

// sweep goes over what varies: [sweep] and the variants. The study says whether
// it must sweep λ and ρ.
func (t *Networks) sweep(f *fields, m *Manifest, lambda kind[[]Lambda], rho kind[[]float64]) {
	t.sweepVariants(f, m, lambda, rho, (*Model).fields)
}

// sweepVariants is sweep for variants with other keys than those of all studies.
func (t *Networks) sweepVariants(f *fields, m *Manifest, lambda kind[[]Lambda], rho kind[[]float64], keys func(*Model, *fields)) {
	f.table("sweep", func(f *fields) {
		field(f, "seed", &m.Seeds, span("1..20", 0, maxSeed, maxCells).or(nil))
		field(f, "lambda", &t.Lambda, lambda)
		field(f, "rho", &t.Rho, rho)
	})
	blocks(f, "variant", &t.Variants, t.Model, func(v *Model, f *fields) { v.variant(f, keys) })
	if len(t.Variants) == 0 {
		model := t.Model
		model.Name = "model"
		t.Variants = []Model{model}
	}
}

// Models returns every variant at every swept λ and ρ, the last changing
// fastest, each with a Name of its own. The models share slices with Variants.
func (t *Networks) Models() []Model {
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
	if !root.rejected() {
		t.Networks.check(root, m, t.Data.shape())
	}
}

// check reports models that do not fit the data, and sweeps that are too large.
func (t *Networks) check(root *table, m *Manifest, data shape) {
	t.Model.check(root.sub("model"), data)
	if root.rejected() {
		return // A variant would repeat what is wrong with the model.
	}
	for i, v := range root.list("variant") {
		t.Variants[i].check(v, data)
		if slices.ContainsFunc(t.Variants[:i], func(o Model) bool { return o.Name == t.Variants[i].Name }) {
			v.reject("name", "a variant before it has this name; allowed: names that differ")
		}
	}

	m.checkDrawn(root)
	models := len(t.Variants) * max(1, len(t.Lambda)) * max(1, len(t.Rho))
	if root.atMost(maxModels, models, "sweep", "models (variants × lambda × rho)") {
		root.atMost(maxCells, models*len(m.Seeds), "sweep", "cells (models × seeds)")
	}
}

// variantNames returns the names of the variants, for a message.
func (t *Networks) variantNames() string {
	names := make([]string, len(t.Variants))
	for i, v := range t.Variants {
		names[i] = v.Name
	}
	return limited(strings.Join(names, ", "), shown)
}

// hasVariant reports whether a variant has the name.
func (t *Networks) hasVariant(name string) bool {
	return slices.ContainsFunc(t.Variants, func(v Model) bool { return v.Name == name })
}
