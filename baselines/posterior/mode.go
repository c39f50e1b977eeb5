package posterior

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"closedform/baselines/mlp"
)

// Objective is the negative LogDensity of a problem as a function of the weights in
// units of the prior, u_i = (w_i − m_i)/√v_i, so that the threshold of an optimiser has
// a meaning. It keeps the last value, because an optimiser asks for value and gradient
// at a point one after the other.
type Objective struct {
	problem  *Problem
	mean, sd []float64

	at, w, grad []float64
	value       float64
}

// Objective returns that of the problem.
func (p *Problem) Objective() *Objective {
	n := len(p.model.PriorVar)
	o := &Objective{
		problem: p, mean: p.model.PriorMean, sd: make([]float64, n),
		at: slices.Repeat([]float64{math.NaN()}, n), w: make([]float64, n), grad: make([]float64, n),
	}
	for i, v := range p.model.PriorVar {
		o.sd[i] = math.Sqrt(v)
	}
	return o
}

// Units returns the weights w in units of the prior.
func (o *Objective) Units(w []float64) []float64 {
	u := make([]float64, len(w))
	for i, m := range o.mean {
		u[i] = (w[i] - m) / o.sd[i]
	}
	return u
}

// Weights returns the weights at u. They are overwritten by the next call of a method.
func (o *Objective) Weights(u []float64) []float64 {
	for i, x := range u {
		o.w[i] = o.mean[i] + o.sd[i]*x
	}
	return o.w
}

// Func returns the value at u.
func (o *Objective) Func(u []float64) float64 {
	if !slices.Equal(u, o.at) {
		copy(o.at, u)
		o.value = -o.problem.LogDensity(o.grad, o.Weights(u))
		for i, s := range o.sd {
			o.grad[i] *= -s
		}
	}
	return o.value
}

// Grad sets grad to the gradient at u.
func (o *Objective) Grad(grad, u []float64) {
	o.Func(u)
	copy(grad, o.grad)
}

// hess sets h to the information at u.
func (o *Objective) hess(h *mat.SymDense, u []float64) {
	o.problem.Information(h, o.Weights(u))
	for i, s := range o.sd {
		for j := range i + 1 {
			h.SetSym(i, j, s*o.sd[j]*h.At(i, j))
		}
	}
}

// Mode is a maximum of the posterior density with the Gaussian of its
// neighbourhood: the Laplace approximation (Tierney and Kadane, "Accurate
// approximations for posterior moments and marginal densities", JASA 1986), the
// information H in place of the negative Hessian.
type Mode struct {
	Weights    []float64
	LogDensity float64      // of Problem at the mode
	Chol       mat.Cholesky // of H at the mode
}

// Mode climbs from start to a maximum of the posterior density by Fisher scoring with
// a line search. Without hidden layers it is the only one; with them the climb may end
// a little short of a kink. Mode returns an error if the density or the information
// overflows, or if the information is singular in double precision.
func (p *Problem) Mode(start []float64) (*Mode, error) {
	n := len(p.model.PriorMean)
	if len(start) != n {
		panic(fmt.Sprintf("posterior: start of length %d; the model has %d weights", len(start), n))
	}
	o := p.Objective()
	// A failed line search, as happens on a kink, still leaves the best point.
	objective := optimize.Problem{Func: o.Func, Grad: o.Grad, Hess: o.hess}
	r, err := optimize.Minimize(objective, o.Units(start), &optimize.Settings{
		GradientThreshold: 1e-6,
		MajorIterations:   200,
		Converger:         &optimize.FunctionConverge{Absolute: 1e-9, Iterations: 3},
	}, &optimize.Newton{})
	if r == nil {
		return nil, fmt.Errorf("posterior: search of the mode: %w", err)
	}
	mode := &Mode{Weights: o.Weights(r.X), LogDensity: -r.F}
	information := mat.NewSymDense(n, nil)
	p.Information(information, mode.Weights)
	if !mlp.Finite(r.F) || !mode.Chol.Factorize(information) || !mlp.Finite(mode.Chol.LogDet()) {
		return nil, fmt.Errorf("posterior: search of the mode: log density %g with an information that is not finite and positive definite", -r.F)
	}
	return mode, nil
}
