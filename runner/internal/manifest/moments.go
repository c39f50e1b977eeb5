package manifest

import "fmt"

// Moments is what the study moments reads: methods for the moments of the
// softmax of Gaussian logits are compared at random logits.
type Moments struct {
	Classes  []int     // numbers of classes n, 2 … 1000; required
	Spread   []float64 // standard deviations of the means of the logits, ≥ 0; required
	Variance []float64 // mean variances of a logit, ≥ 0; required
	Unequal  float64   // each variance is uniform on Variance·[1 − Unequal, 1 + Unequal], 0 ≤ Unequal < 1; default 0.5
	Draws    int       // random logits of each n, spread and variance, ≥ 1; required
	Methods  []string  // what is compared; required

	Samples         []int // numbers of samples of Monte Carlo, ≥ 2; default: none
	MonteCarloDraws int   // of the Draws, those for Monte Carlo, 1 … Draws; default: 10, or Draws if that is fewer
}

func (s *Moments) fields(f *fields, m *Manifest) {
	f.table("moments", func(f *fields) {
		field(f, "classes", &s.Classes, classes)
		field(f, "spread", &s.Spread, swept(nonNegative))
		field(f, "variance", &s.Variance, swept(nonNegative))
		field(f, "unequal", &s.Unequal, fraction.or(0.5))
		field(f, "draws", &s.Draws, draws)
		field(f, "methods", &s.Methods, swept(word(f.study(m.Study).Methods...)))
		field(f, "samples", &s.Samples, distinct(listOf(0, maxSwept, samples)).or(nil))
		field(f, "montecarlo_draws", &s.MonteCarloDraws, draws.or(min(10, s.Draws)))
	})
}

func (s *Moments) check(t *table, _ *Manifest) {
	if s.MonteCarloDraws > s.Draws {
		t.sub("moments").reject("montecarlo_draws", fmt.Sprintf("more than draws = %d; allowed: 1 to %d", s.Draws, s.Draws))
	}
	t.atMost(maxCells, len(s.Classes)*len(s.Spread)*len(s.Variance), "moments", "points (classes × spread × variance)")
}
