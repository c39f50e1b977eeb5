package manifest

import "fmt"

// Calibrate is what the study calibrate reads: the λ, and the λ and ρ, with
// which the probit is closest to the softmax.
type Calibrate struct {
	Classes []int     // numbers of classes n, 2 … 1000; required
	Rho     []float64 // correlations ρ for which λ is fitted, 0 ≤ ρ ≤ 0.99; default 0.5
	Box     float64   // the logits are in [−Box, Box], 0 < Box ≤ 20; required
}

// The work of a fit grows with the box and like 1/(1−ρ).
const (
	maxBox = 20
	maxRho = 0.99
)

func (c *Calibrate) fields(f *fields, _ *Manifest) {
	f.table("calibrate", func(f *fields) {
		field(f, "classes", &c.Classes, classes)
		field(f, "rho", &c.Rho, swept(number(fmt.Sprintf("a number ≥ 0 and ≤ %g", maxRho), func(x float64) bool { return 0 <= x && x <= maxRho })).or([]float64{0.5}))
		field(f, "box", &c.Box, number(fmt.Sprintf("a number > 0 and ≤ %d", maxBox), func(x float64) bool { return 0 < x && x <= maxBox }))
	})
}

// check has nothing to add: any values fit each other.
func (c *Calibrate) check(*table, *Manifest) {}
