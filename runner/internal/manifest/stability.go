package manifest

// Stability is what the study stability reads: where in gap of the logits and
// variance the covariance of the probabilities is positive definite.
type Stability struct {
	Classes  []int    // numbers of classes n, 2 … 1000; required
	Lambda   []Lambda // slopes λ of the probit approximation; required
	Rho      float64  // its correlation ρ, 0 ≤ ρ < 1; default 0.5
	Gap      Interval // distances of the largest logit from the next, 0 … 1e30; required
	Variance Interval // variances of a logit, on a logarithmic axis, 1e-30 … 1e30; required
	Grid     int      // points along both axes, ≥ 2; required
	Draws    int      // random logits at each point where n > 2, ≥ 1; required
}

func (s *Stability) fields(f *fields, _ *Manifest) {
	f.table("stability", func(f *fields) {
		field(f, "classes", &s.Classes, classes)
		field(f, "lambda", &s.Lambda, lambdas)
		field(f, "rho", &s.Rho, fraction.or(0.5))
		field(f, "gap", &s.Gap, interval(0, maxScale))
		field(f, "variance", &s.Variance, interval(minScale, maxScale))
		field(f, "grid", &s.Grid, grid)
		field(f, "draws", &s.Draws, draws)
	})
}

func (s *Stability) check(t *table, _ *Manifest) {
	t.atMost(maxCells, len(s.Classes)*len(s.Lambda)*s.Grid*s.Grid, "stability", "points (classes × lambda × grid²)")
}
