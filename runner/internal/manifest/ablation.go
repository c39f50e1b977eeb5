package manifest

import "fmt"

// Ablation is what the study ablation reads: the probit approximation over a
// grid of λ and ρ, its error and how networks learn with it. Lambda and Rho are
// required.
type Ablation struct {
	Training
	Grid int // evaluate.grid, points along each axis at which a network is looked at, ≥ 2; required

	Classes  []int   // numbers of classes n of the random logits, 2 … 1000; required
	Spread   float64 // standard deviation of the means of the logits, ≥ 0; required
	Variance float64 // mean variance of a logit, ≥ 0; required
	Unequal  float64 // each variance is uniform on Variance·[1 − Unequal, 1 + Unequal], 0 ≤ Unequal < 1; default 0.5
	Draws    int     // random logits of each n, ≥ 1; required
}

func (a *Ablation) fields(f *fields, m *Manifest) {
	a.networks(f)
	f.table("evaluate", func(f *fields) {
		field(f, "grid", &a.Grid, grid)
	})
	f.table("ablation", func(f *fields) {
		field(f, "classes", &a.Classes, classes)
		field(f, "spread", &a.Spread, nonNegative)
		field(f, "variance", &a.Variance, nonNegative)
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
	t.atMost(maxCells, len(a.Classes)*len(a.Lambda)*len(a.Rho), "ablation", "points (classes × lambda × rho)")
}
