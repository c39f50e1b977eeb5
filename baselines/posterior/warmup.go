package posterior

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// warmUp brings the chain to the posterior and returns its step size. The first
// eighth learns the step size in the metric of the prior; windows up to a
// quarter, a half and seven eighths learn a new metric each; the last eighth
// learns the step size for good.
func (h Hamiltonian) warmUp(c *chain) (eps float64) {
	c.metric = priorMetric(c.p.model)
	ends := []int{h.Warmup / 8, h.Warmup / 4, h.Warmup / 2, h.Warmup * 7 / 8, h.Warmup}
	start := 0
	for k, end := range ends {
		size := newStepSize(c.reasonableStep(), accept)
		draws := mat.NewDense(end-start, len(c.w), nil)
		for i := range end - start {
			eps = math.Exp(size.log)
			a, _ := c.step(eps, steps(eps, c.rnd))
			size.add(a)
			draws.SetRow(i, c.w)
		}
		start = end
		eps = math.Exp(size.averaged)
		if k > 0 && k < len(ends)-1 {
			c.learnMetric(draws)
		}
	}
	return eps
}

// stepSize finds the step size whose mean acceptance is the target, by dual
// averaging with the constants of Hoffman and Gelman (2014), Sec. 3.2.
type stepSize struct {
	target        float64
	centre        float64 // log ε that is shrunk towards
	error         float64 // running mean of target − acceptance
	log, averaged float64 // log ε to try, and that to keep
	t             float64
}

func newStepSize(eps, target float64) *stepSize {
	return &stepSize{target: target, centre: math.Log(10 * eps), log: math.Log(eps)}
}

// add takes the acceptance of the last step.
func (s *stepSize) add(accept float64) {
	const (
		gamma = 0.05
		t0    = 10
		kappa = 0.75
	)
	s.t++
	s.error += (s.target - accept - s.error) / (s.t + t0)
	s.log = s.centre - math.Sqrt(s.t)/gamma*s.error
	s.averaged += math.Pow(s.t, -kappa) * (s.log - s.averaged)
}

// priorMetric returns diag(√v).
func priorMetric(m Model) blas64.Triangular {
	l := mat.NewTriDense(len(m.PriorVar), mat.Lower, nil)
	for i, v := range m.PriorVar {
		l.SetTri(i, i, math.Sqrt(v))
	}
	return l.RawTriangular()
}

// learnMetric sets the metric of the chain to the Cholesky factor of
//
//	(n S + d H⁻¹)/(n+d),
//
// where S is the covariance of some n draws of d weights and H the information
// at the last of them, which keeps the metric regular in all directions when
// draws are few, and at their scale: a diagonal would not do, since the output
// weights of all classes hardly know their common shift. Any metric leaves the
// posterior invariant; a good one makes it fast. The metric stays as it is if H
// is not numerically positive definite.
func (c *chain) learnMetric(draws *mat.Dense) {
	n, d := draws.Dims()
	var cov, local mat.SymDense
	stat.CovarianceMatrix(&cov, draws, nil)
	information := mat.NewSymDense(d, nil)
	c.p.Information(information, draws.RawRowView(n-1))
	var chol mat.Cholesky
	if !chol.Factorize(information) || chol.InverseTo(&local) != nil {
		return
	}
	local.ScaleSym(float64(d)/float64(n+d), &local)
	cov.ScaleSym(float64(n)/float64(n+d), &cov)
	cov.AddSym(&cov, &local)
	if !chol.Factorize(&cov) {
		return
	}
	var l mat.TriDense
	chol.LTo(&l)
	c.metric = l.RawTriangular()
}
