package manifest

// MCCheck is what the study mc_check reads: every formula of the moments against
// Monte Carlo at random inputs.
type MCCheck struct {
	Classes  []int     // numbers of classes n, 2 … 1000; required
	Rho      []float64 // correlations ρ of the probit, 0 ≤ ρ < 1; required
	Samples  int       // Monte Carlo samples of an input, ≥ 2; required
	Cases    int       // random inputs of each formula, n and ρ, ≥ 1; required
	Spread   float64   // standard deviation of the random means, 0 or 1e-30 … 1e30; required
	Variance float64   // scale of the random variances, log-uniform within a factor of ten of it, 1e-30 … 1e30; required
	Lambda   Interval  // ends of the random slopes λ of the probit, log-uniform, 1e-30 … 1e30; default 0.2 … 1.5
}

func (c *MCCheck) fields(f *fields, _ *Manifest) {
	f.table("mc_check", func(f *fields) {
		field(f, "classes", &c.Classes, classes)
		field(f, "rho", &c.Rho, rhos)
		field(f, "samples", &c.Samples, samples)
		field(f, "cases", &c.Cases, draws)
		field(f, "spread", &c.Spread, scale)
		field(f, "variance", &c.Variance, within(minScale, maxScale))
		field(f, "lambda", &c.Lambda, interval(minScale, maxScale).or(Interval{0.2, 1.5}))
	})
}

func (c *MCCheck) check(t *table, _ *Manifest) {
	t.atMost(maxCells, len(c.Classes)*len(c.Rho)*c.Cases, "mc_check", "inputs (classes × rho × cases)")
}
