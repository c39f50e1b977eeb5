package manifest

import "fmt"

// Ablation is what the study ablation reads: the probit approximation over a
// grid of λ and ρ, its error and how networks learn with it. Lambda and Rho are
// required, at least two of each, and take the place of the λ and ρ of every model.
type Ablation struct {
	Training
	Grid int // evaluate.grid, points along each axis at which a network is looked at, ≥ 2; required

	Classes  []int   // numbers of classes n of the random logits, 2 … 1000; required
	Spread   float64 // standard deviation of the means of the logits, 0 or 1e-30 … 1e30; required
	Variance float64 // mean variance of a logit, 0 or 1e-30 … 1e30; required
	Unequal  float64 // each variance is uniform on Variance·[1 − Unequal, 1 + Unequal], 0 ≤ Unequal < 1; default 0.5
	Draws    int     // random logits of each n, ≥ 1; required
}

func (a *Ablation) fields(f *fields, m *Manifest) {
	a.networks(f, "wedges")
	f.table("evaluate", func(f *fields) {
		field(f, "grid", &a.Grid, grid)
	})
	f.table("ablation", func(f *fields) {
		field(f, "classes", &a.Classes, classes)
		field(f, "spread", &a.Spread, scale)
		field(f, "variance", &a.Variance, scale)
		field(f, "unequal", &a.Unequal, fraction.or(0.5))
		field(f, "draws", &a.Draws, draws)
	})
	a.sweep(f, m, lambdas, rhos)
}

func (a *Ablation) check(t *table, m *Manifest) {
	a.Training.check(t, m)
	for _, l := range a.Lambda {
		if l.Word != "" {
			t.sub("sweep").reject("lambda", fmt.Sprintf("%q has no place on the axis of the maps; allowed: numbers > 0", l.Word))
			break
		}
	}
	// A map has two axes.
	if len(a.Lambda) < 2 {
		t.sub("sweep").reject("lambda", "one value makes no map; allowed: at least 2")
	}
	if len(a.Rho) < 2 {
		t.sub("sweep").reject("rho", "one value makes no map; allowed: at least 2")
	}
	rejectSwept(t.sub("model"), a.Model)
	for i, v := range t.list("variant") {
		rejectSwept(v, a.Variants[i])
	}
	t.atMost(maxCells, len(a.Classes)*len(a.Lambda)*len(a.Rho), "ablation", "points (classes × lambda × rho)")
}

// rejectSwept reports a λ or ρ of a model, which the sweep would silently
// replace. In a file the defaults may stand, as Resolved spells them out.
func rejectSwept(t *table, m Model) {
	reject := func(key string, isDefault bool) {
		v := t.at(key)
		if t.has(key) && (!isDefault || v.r.place(v.path).set != "") {
			v.reject("sweep." + key + " takes its place; allowed: to leave it out")
		}
	}
	reject("lambda", m.Lambda == Lambda{Word: "slope"})
	reject("rho", m.Rho == 0.5)
}
