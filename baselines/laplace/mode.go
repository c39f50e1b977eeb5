package laplace

import (
	"fmt"

	"closedform/baselines/mlp"
	"closedform/baselines/optimize"
	"closedform/baselines/posterior"
)

// A climb ends where the gradient is small, where the last steps together have gained
// little, or after all steps.
const (
	gradientTolerance = 1e-5 // nats per prior standard deviation
	linearTolerance   = 1e-9 // nats
	hiddenTolerance   = 1e-4 // nats per example, of at least a hundred
	patience          = 20
	maxSteps          = 1000
)

// climb returns the weights of a maximum of the posterior density near start, and an
// error if not even the start has a finite density.
func climb(p *posterior.Problem, start []float64, tolerance float64) (w []float64, err error) {
	o := p.Objective()
	u := o.Units(start)
	value := optimize.LBFGS(o.Func, u, optimize.Rest{
		Gradient: gradientTolerance, Gain: tolerance, Patience: patience, Steps: maxSteps,
	})
	if !mlp.Finite(value) {
		return nil, fmt.Errorf("laplace: search of the mode: no finite density: log density %g", -value)
	}
	return o.Weights(u), nil
}
