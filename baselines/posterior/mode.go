package posterior

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"closedform/baselines/mlp"
)

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
	settings := &optimize.Settings{
		GradientThreshold: 1e-6,
		MajorIterations:   200,
		Converger:         &optimize.FunctionConverge{Absolute: 1e-9, Iterations: 3},
	}
	// The climb is in units of the prior, so that the threshold has a meaning.
	mean, sd, w := p.model.PriorMean, make([]float64, n), make([]float64, n)
	u := make([]float64, n)
	for i, v := range p.model.PriorVar {
		sd[i] = math.Sqrt(v)
		u[i] = (start[i] - mean[i]) / sd[i]
	}
	at := func(u []float64) []float64 {
		for i, x := range u {
			w[i] = mean[i] + sd[i]*x
		}
		return w
	}
	// A failed line search, as happens on a kink, still leaves the best point.
	r, err := optimize.Minimize(optimize.Problem{
		Func: func(u []float64) float64 { return -p.LogDensity(nil, at(u)) },
		Grad: func(grad, u []float64) {
			p.LogDensity(grad, at(u))
			for i := range grad {
				grad[i] *= -sd[i]
			}
		},
		Hess: func(hess *mat.SymDense, u []float64) {
			p.Information(hess, at(u))
			for i := range n {
				for j := range i + 1 {
					hess.SetSym(i, j, sd[i]*sd[j]*hess.At(i, j))
				}
			}
		},
	}, u, settings, &optimize.Newton{})
	if r == nil {
		return nil, fmt.Errorf("posterior: search of the mode: %w", err)
	}
	mode := &Mode{Weights: at(r.X), LogDensity: -r.F}
	information := mat.NewSymDense(n, nil)
	p.Information(information, mode.Weights)
	if !mlp.Finite(r.F) || !mode.Chol.Factorize(information) || !mlp.Finite(mode.Chol.LogDet()) {
		return nil, fmt.Errorf("posterior: search of the mode: log density %g with an information that is not finite and positive definite", -r.F)
	}
	return mode, nil
}
