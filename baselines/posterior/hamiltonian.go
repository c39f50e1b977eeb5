package posterior

import (
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
// for a time that is uniform on [½, 3/2] times PathLength, so that no
// periodicity of the flow can trap it.
//
// The chains are monitored by the log density and by the probabilities of the
// classes observed at up to 50 of the examples; by the weights if there are no
// examples. The weights of hidden layers are monitored, in RHatWeights, but not
// judged: chains that disagree by a permutation of neurons predict the same.
type Hamiltonian struct {
	// Chains is their number, at least 2; zero stands for 4.
	Chains int

	// Warmup and Draws are the transitions per chain that are dropped, at least
	// 100, and that are kept, an even number ≥ 100; zero stands for 1000.
	Warmup, Draws int

	// PathLength is the mean time of a trajectory in units in which the
	// posterior has variance 1; zero stands for π/2, a quarter of the period,
	// after which a Gaussian is forgotten.
	PathLength float64

	// MaxSteps limits the leapfrog steps of a trajectory; zero stands for 500.
	MaxSteps int

	// Accept is the mean probability of acceptance that the step size aims at;
	// zero stands for 0.8.
	Accept float64

	// MaxRHat and MinESS are the bounds beyond which Sample returns a
	// *ConvergenceError; zero stands for 1.01 and for 100 per chain, the
	// values of Vehtari et al. (2021).
	MaxRHat, MinESS float64
}

// ConvergenceError says that the chains have not forgotten where they started, or
// that their draws are too few or too dependent.
type ConvergenceError struct {
	RHat, MaxRHat float64
	ESS, MinESS   float64
	Divergences   int
}

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("posterior: chains with R̂ %.4g and effective sample size %.4g (%d divergences); need at most %.4g and at least %.4g",
		e.RHat, e.ESS, e.Divergences, e.MaxRHat, e.MinESS)
}

func (h Hamiltonian) withDefaults() (Hamiltonian, error) {
	for _, f := range []struct {
		name     string
		value    *int
		fallback int
		least    int
	}{
		{"Chains", &h.Chains, 4, 2},
		{"Warmup", &h.Warmup, 1000, 100},
		{"Draws", &h.Draws, 1000, 100},
		{"MaxSteps", &h.MaxSteps, 500, 1},
	} {
		if *f.value == 0 {
			*f.value = f.fallback
		}
		if *f.value < f.least {
			return h, fmt.Errorf("posterior: %s = %d: need at least %d", f.name, *f.value, f.least)
		}
	}
	if h.Draws%2 != 0 {
		return h, fmt.Errorf("posterior: Draws = %d: need an even number", h.Draws)
	}
	for _, f := range []struct {
		name         string
		value        *float64
		fallback     float64
		above, below float64
	}{
		{"PathLength", &h.PathLength, math.Pi / 2, 0, math.Inf(1)},
		{"Accept", &h.Accept, 0.8, 0, 1},
		{"MaxRHat", &h.MaxRHat, 1.01, 1, math.Inf(1)},
		{"MinESS", &h.MinESS, 100 * float64(h.Chains), 0, math.Inf(1)},
	} {
		if *f.value == 0 {
			*f.value = f.fallback
		}
		if !(*f.value > f.above && *f.value < f.below) {
			return h, fmt.Errorf("posterior: %s = %g: need more than %g and less than %g", f.name, *f.value, f.above, f.below)
		}
	}
	return h, nil
}

var _ Sampler = Hamiltonian{}

// Sample draws from the posterior of p. It returns a *ConvergenceError if the
// chains do not pass, another error if a field is not valid, and panics if src is
// nil.
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
			accept, diverged := c.step(eps, h.steps(eps, rnd))
			out.Acceptance += accept / float64(total)
			if diverged {
				out.Divergences++
			}
			out.Draws.SetRow(i, c.w)
			out.Weights[i], log[i] = 1/float64(total), c.log
		}
	}
	h.judge(p, out, log)
	if !(out.RHat <= h.MaxRHat && out.ESS >= h.MinESS) {
		return nil, &ConvergenceError{out.RHat, h.MaxRHat, out.ESS, h.MinESS, out.Divergences}
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
func (h Hamiltonian) steps(eps float64, rnd *rand.Rand) int {
	time := h.PathLength * (0.5 + rnd.Float64())
	return int(max(1, min(math.Round(time/eps), float64(h.MaxSteps))))
}
