package manifest

import "slices"

// Calibrate is what the study calibrate reads: the λ, and the λ and ρ, with
// which the probit is closest to the softmax.
type Calibrate struct {
	Classes []int     // numbers of classes n, 2 … 1000; required
	Rho     []float64 // correlations ρ for which λ is fitted, 0 ≤ ρ < 1; default 0.5
	Box     float64   // the logits are in [−Box, Box], > 0; required
	Points  int       // logits in the box at which the two are compared, ≥ 16; required
}

func (c *Calibrate) fields(f *fields, _ *Manifest) {
	f.table("calibrate", func(f *fields) {
		field(f, "classes", &c.Classes, classes)
		field(f, "rho", &c.Rho, rhos.or([]float64{0.5}))
		field(f, "box", &c.Box, positive)
		field(f, "points", &c.Points, integer(16, maxDraws))
	})
}

func (c *Calibrate) check(t *table, _ *Manifest) {
	t.atMost(maxLogits, c.Points*slices.Max(c.Classes), "calibrate", "logits (points × the most of classes)")
}
