package posterior

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/mlp"
	"closedform/baselines/optimize"
	"closedform/core/linear"
)

// Objective is the negative LogDensity of a problem as a function of the weights in
// units of the prior, u_i = (w_i − m_i)/√v_i, so that the threshold of an optimiser has
// a meaning.
type Objective struct {
	problem  *Problem
	mean, sd []float64
	w        []float64
}

// Objective returns that of the problem.
func (p *Problem) Objective() *Objective {
	n := len(p.model.PriorVar)
	o := &Objective{problem: p, mean: p.model.PriorMean, sd: make([]float64, n), w: make([]float64, n)}
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

// Func returns the value at u and sets grad to the gradient.
func (o *Objective) Func(grad, u []float64) float64 {
	value := -o.problem.LogDensity(grad, o.Weights(u))
	for i, s := range o.sd {
		grad[i] *= -s
	}
	return value
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
	LogDensity float64         // of Problem at the mode
	Chol       linear.Cholesky // of H at the mode
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
	u := o.Units(start)
	value := optimize.Newton(o.Func, o.hess, u, optimize.Rest{Gradient: 1e-9, Steps: 200})
	mode := &Mode{Weights: o.Weights(u), LogDensity: -value}
	information := mat.NewSymDense(n, nil)
	p.Information(information, mode.Weights)
	if !mlp.Finite(value) || !mode.Chol.Factorize(information) {
		return nil, fmt.Errorf("posterior: search of the mode: log density %g with an information that is not finite and positive definite", -value)
	}
	return mode, nil
}
