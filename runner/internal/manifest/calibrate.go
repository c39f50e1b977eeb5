package manifest

// Calibrate is what the study calibrate reads: the λ, and the λ and ρ, with
// which the probit is closest to the softmax.
type Calibrate struct {
	Classes []int     // numbers of classes n, 2 … 1000; required
	Rho     []float64 // correlations ρ for which λ is fitted, 0 ≤ ρ ≤ 0.9; default 0.5
	Box     float64   // the logits are in [−Box, Box], 0.1 ≤ Box ≤ 4; required
}

// The work of a fit grows with the square of the box and like 1/(1−ρ); up to these
// limits it mostly takes seconds. The mean square error over a smaller box than
// minBox is lost in rounding.
const (
	minBox = 0.1
	maxBox = 4
	maxRho = 0.9
)

func (c *Calibrate) fields(f *fields, _ *Manifest) {
	f.table("calibrate", func(f *fields) {
		field(f, "classes", &c.Classes, classes)
		field(f, "rho", &c.Rho, swept(within(0, maxRho)).or([]float64{0.5}))
		field(f, "box", &c.Box, within(minBox, maxBox))
	})
}

// check has nothing to add: any values fit each other.
func (c *Calibrate) check(*table, *Manifest) {}
