package laplace

import (
	"fmt"

	"closedform/baselines/mlp"
	"closedform/baselines/optimize"
	"closedform/baselines/posterior"
)

// gradientTolerance is where a climb ends, in nats per prior standard deviation.
const gradientTolerance = 1e-9

// linearSteps is more than a climb of softmax regression needs: its density has one
// maximum. With rectifiers the maxima are on kinks, where no climb comes to rest, and the
// steps multiply rounding errors tenfold in every ten or so. So it ends after Config.Steps:
// early stopping, which for 100 leaves the probabilities of digits within 1e-8 whatever the
// rounding, and their mean log loss over 20 splits within 0.004 nats of that after 1000.
const linearSteps = 1000

// climb returns the weights of a maximum of the posterior density near start, or after the
// given steps towards it, and an error if not even the start has a finite density.
func climb(p *posterior.Problem, start []float64, steps int) (w []float64, err error) {
	o := p.Objective()
	u := o.Units(start)
	value := optimize.LBFGS(o.Func, u, optimize.Rest{Gradient: gradientTolerance, Steps: steps})
	if !mlp.Finite(value) {
		return nil, fmt.Errorf("laplace: search of the mode: no finite density: log density %g", -value)
	}
	return o.Weights(u), nil
}
