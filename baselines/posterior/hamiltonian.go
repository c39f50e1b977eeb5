package posterior

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
)

// Hamiltonian samples by Hamiltonian Monte Carlo (Neal, "MCMC using Hamiltonian
// dynamics", Handbook of Markov Chain Monte Carlo, 2011). The zero value of every
// field is its documented default.
//
// Each chain starts at a draw from the prior. During the warm-up it learns its
// step size by dual averaging (Hoffman and Gelman, "The no-U-turn sampler", JMLR
// 2014) and its mass matrix from the covariance of its draws. A trajectory lasts
// for a time that is uniform on [½, 3/2] times its mean, so that no
// periodicity of the flow can trap it.
//
// The chains are monitored by the log density and by the probabilities of the
// classes observed at up to 50 of the examples; by the weights if there are no
// examples. The weights of hidden layers are not: chains that disagree by a
// permutation of neurons predict the same.
type Hamiltonian struct {
	// Chains is their number, at least 2; zero stands for 4.
	Chains int

	// Warmup and Draws are the transitions per chain that are dropped, at least
	// 100, and that are kept, an even number ≥ 100; zero stands for 1000.
	Warmup, Draws int

	// MaxRHat and MinESS are the bounds beyond which Sample returns an
	// error; zero stands for 1.01 and for 100 per chain, the
	// values of Vehtari et al. (2021).
	MaxRHat, MinESS float64
}

// The mean time of a trajectory in units in which the posterior has variance 1 is a
// quarter of the period, after which a Gaussian is forgotten.
const (
	pathLength = math.Pi / 2
	maxSteps   = 500 // of a trajectory
	accept     = 0.8 // mean probability of acceptance that the step size aims at
)

// withDefaults returns the sampler with its defaults filled in, or an error that
// names the field and what it allows.
func (h Hamiltonian) withDefaults() (Hamiltonian, error) {
	h.Chains, h.Warmup, h.Draws = cmp.Or(h.Chains, 4), cmp.Or(h.Warmup, 1000), cmp.Or(h.Draws, 1000)
	h.MaxRHat, h.MinESS = cmp.Or(h.MaxRHat, 1.01), cmp.Or(h.MinESS, 100*float64(h.Chains))
	if h.Chains < 2 || h.Warmup < 100 || h.Draws < 100 || h.Draws%2 != 0 {
		return h, fmt.Errorf("posterior: Chains = %d, Warmup = %d, Draws = %d: need at least 2, 100 and 100, Draws even", h.Chains, h.Warmup, h.Draws)
	}
	if !(h.MaxRHat > 1 && h.MinESS > 0) {
		return h, fmt.Errorf("posterior: MaxRHat = %g, MinESS = %g: need more than 1 and 0", h.MaxRHat, h.MinESS)
	}
	return h, nil
}

var _ Sampler = Hamiltonian{}

// Sample draws from the posterior of p. It returns an error if the chains have
// not forgotten where they started, if their draws are too few or too dependent, or
// if a field is not valid, and panics if src is nil.
func (h Hamiltonian) Sample(p *Problem, src rand.Source) (*Sample, error) {
	if src == nil {
		panic("posterior: nil source of randomness")
	}
	h, err := h.withDefaults()
	if err != nil {
		return nil, err
	}
	rnd := rand.New(src)
	total := h.Chains * h.Draws
	out := newSample(p, total, h.batch())
	log := make([]float64, total)
	for k := range h.Chains {
		c := newChain(p, rnd)
		eps := h.warmUp(c)
		for i := k * h.Draws; i < (k+1)*h.Draws; i++ {
			if _, diverged := c.step(eps, steps(eps, rnd)); diverged {
				out.Divergences++
			}
			out.Draws.SetRow(i, c.w)
			out.Weights[i], log[i] = 1/float64(total), c.log
		}
	}
	h.judge(p, out, log)
	if !(out.RHat <= h.MaxRHat && out.ESS >= h.MinESS) {
		return nil, fmt.Errorf("posterior: chains with R̂ %.4g and effective sample size %.4g (%d divergences); need at most %.4g and at least %.4g",
			out.RHat, out.ESS, out.Divergences, h.MaxRHat, h.MinESS)
	}
	return out, nil
}

// batch returns the length of the batches for standard errors: a divisor of the
// draws per chain not below their square root.
func (h Hamiltonian) batch() int {
	b := int(math.Sqrt(float64(h.Draws)))
	for h.Draws%b != 0 || b*b < h.Draws {
		b++
	}
	return b
}

// steps returns the random number of leapfrog steps of one trajectory.
func steps(eps float64, rnd *rand.Rand) int {
	time := pathLength * (0.5 + rnd.Float64())
	return int(max(1, min(math.Round(time/eps), maxSteps)))
}
