package laplace

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"

	"closedform/baselines/mlp"
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

// climb returns the weights of a maximum of the posterior density near start, by
// L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for large scale
// optimization", Mathematical Programming 1989). On the kinks of rectifiers a line
// search may fail: then the climb starts afresh from there as long as that leads on.
// climb returns an error if not even the start has a finite density.
func climb(p *posterior.Problem, start []float64, tolerance float64) (w []float64, err error) {
	o := p.Objective()
	u, best := o.Units(start), math.Inf(1)
	for steps := maxSteps; steps > 0; {
		r, err := optimize.Minimize(optimize.Problem{Func: o.Func, Grad: o.Grad}, u, &optimize.Settings{
			GradientThreshold: gradientTolerance,
			MajorIterations:   steps,
			Converger:         &optimize.FunctionConverge{Absolute: tolerance, Iterations: patience},
		}, &optimize.LBFGS{Linesearcher: &lineSearch{}})
		if r == nil || !mlp.Finite(r.F) {
			return nil, fmt.Errorf("laplace: search of the mode: no finite density: %w", err)
		}
		gain := best - r.F
		u, best = r.X, r.F
		steps -= max(1, r.MajorIterations)
		if err == nil || gain < tolerance {
			break
		}
	}
	return o.Weights(u), nil
}

// lineSearch is that of Moré and Thuente, which fails when it has looked at maxLooks
// points: at a kink no step may be good enough for it, and it may never end.
type lineSearch struct {
	optimize.MoreThuente
	looks int
}

// maxLooks is many times what a line search needs that ends.
const maxLooks = 100

func (l *lineSearch) Init(value, derivative, step float64) optimize.Operation {
	l.looks = 0
	return l.MoreThuente.Init(value, derivative, step)
}

func (l *lineSearch) Iterate(value, derivative float64) (optimize.Operation, float64, error) {
	if l.looks++; l.looks > maxLooks {
		return optimize.NoOperation, 0, optimize.ErrLinesearcherFailure
	}
	return l.MoreThuente.Iterate(value, derivative)
}
