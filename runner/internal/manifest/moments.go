package manifest

// Moments is what the study moments reads: methods for the moments of the
// softmax of Gaussian logits are compared at random logits.
type Moments struct {
	Classes  []int     // numbers of classes n, 2 … 1000; required
	Spread   []float64 // standard deviations of the means of the logits, 0 or 1e-30 … 1e30; required
	Variance []float64 // mean variances of a logit, 0 or 1e-30 … 1e30; required
	Unequal  float64   // each variance is uniform on Variance·[1 − Unequal, 1 + Unequal], 0 ≤ Unequal < 1; default 0.5
	Draws    int       // random logits of each n, spread and variance, ≥ 1; required
	Methods  []string  // what is compared; required

	Samples         []int // numbers of samples of Monte Carlo, ≥ 2; default: none
	MonteCarloDraws int   // of the Draws, the first so many for Monte Carlo, ≥ 1; all of them if they are fewer; default: 10
	MonteCarloPairs int   // of these no more than so many in n², but two, since the time of Monte Carlo grows with n²; default: 100000
}

func (s *Moments) fields(f *fields, m *Manifest) {
	f.table("moments", func(f *fields) {
		field(f, "classes", &s.Classes, classes)
		field(f, "spread", &s.Spread, swept(scale))
		field(f, "variance", &s.Variance, swept(scale))
		field(f, "unequal", &s.Unequal, fraction.or(0.5))
		field(f, "draws", &s.Draws, draws)
		field(f, "methods", &s.Methods, swept(word(f.study(m.Study).Methods...)))
		field(f, "samples", &s.Samples, distinct(listOf(0, maxSwept, samples)).or(nil))
		field(f, "montecarlo_draws", &s.MonteCarloDraws, draws.or(10))
		field(f, "montecarlo_pairs", &s.MonteCarloPairs, integer(1, maxSamples).or(100_000))
	})
}

func (s *Moments) check(t *table, _ *Manifest) {
	s.MonteCarloDraws = min(s.MonteCarloDraws, s.Draws)
	t.atMost(maxCells, len(s.Classes)*len(s.Spread)*len(s.Variance), "moments", "points (classes × spread × variance)")
}
