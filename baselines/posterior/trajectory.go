package posterior

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"gonum.org/v1/gonum/floats"
)

// divergent is the error of the energy from which on a trajectory counts as
// divergent: it has left the region where the integrator follows the flow.
const divergent = 1000

// chain is the state of one Markov chain. Its momentum r ~ N(0, I) lives in the
// coordinates u of w = L u, where LLᵀ, the inverse mass matrix, is about the
// covariance of the posterior.
type chain struct {
	p        *Problem
	rnd      *rand.Rand
	metric   blas64.Triangular // L, lower
	w, grad  []float64
	log      float64 // density at w
	next     []float64
	nextGrad []float64
	r, g     []float64
}

// newChain starts at a draw from the prior.
func newChain(p *Problem, rnd *rand.Rand) *chain {
	n := len(p.model.PriorMean)
	c := &chain{p: p, rnd: rnd}
	for _, v := range []*[]float64{&c.w, &c.grad, &c.next, &c.nextGrad, &c.r, &c.g} {
		*v = make([]float64, n)
	}
	p.drawPrior(c.w, rnd)
	c.log = p.LogDensity(c.grad, c.w)
	return c
}

// kick adds ε ∂ log p/∂u to the momentum.
func (c *chain) kick(eps float64) {
	copy(c.g, c.nextGrad)
	blas64.Trmv(blas.Trans, c.metric, blas64.Vector{N: len(c.g), Inc: 1, Data: c.g})
	for i, g := range c.g {
		c.r[i] += eps * g
	}
}

// drift moves next for the time ε.
func (c *chain) drift(eps float64) {
	copy(c.g, c.r)
	blas64.Trmv(blas.NoTrans, c.metric, blas64.Vector{N: len(c.g), Inc: 1, Data: c.g})
	for i, v := range c.g {
		c.next[i] += eps * v
	}
}

// propose follows the flow for some leapfrog steps of size ε from a fresh
// momentum to next. It returns the log density there and the logarithm of the
// ratio of the probabilities of end and start, which is −∞ where it overflowed.
func (c *chain) propose(eps float64, steps int) (log, ratio float64) {
	for i := range c.r {
		c.r[i] = c.rnd.NormFloat64()
	}
	start := floats.Dot(c.r, c.r)/2 - c.log
	copy(c.next, c.w)
	copy(c.nextGrad, c.grad)
	for range steps {
		c.kick(eps / 2)
		c.drift(eps)
		log = c.p.LogDensity(c.nextGrad, c.next)
		if math.IsInf(log, -1) {
			return log, log
		}
		c.kick(eps / 2)
	}
	ratio = start - (floats.Dot(c.r, c.r)/2 - log)
	if math.IsNaN(ratio) {
		return log, math.Inf(-1)
	}
	return log, ratio
}

// step makes one transition of Hamiltonian Monte Carlo and returns its
// probability of acceptance.
func (c *chain) step(eps float64, steps int) (accept float64, diverged bool) {
	log, ratio := c.propose(eps, steps)
	accept = min(1, math.Exp(ratio))
	if c.rnd.Float64() < accept {
		c.w, c.next = c.next, c.w
		c.grad, c.nextGrad = c.nextGrad, c.grad
		c.log = log
	}
	return accept, ratio < -divergent
}

// reasonableStep returns a step size whose acceptance is not far from ½
// (Hoffman and Gelman 2014, Algorithm 4).
func (c *chain) reasonableStep() float64 {
	const most = 100 // doublings
	eps := 1.0
	_, ratio := c.propose(eps, 1)
	factor := 2.0
	if ratio < -math.Ln2 {
		factor = 0.5
	}
	for range most {
		eps *= factor
		if _, ratio = c.propose(eps, 1); (ratio < -math.Ln2) == (factor > 1) {
			break
		}
	}
	return eps
}
