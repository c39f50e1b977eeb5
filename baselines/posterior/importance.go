package posterior

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/mlp"
)

// Importance samples by self-normalised importance sampling (Geweke, "Bayesian
// inference in econometric models using Monte Carlo integration", Econometrica
// 1989). The zero value of every field is its documented default.
//
// The proposal q is a Student distribution at the mode, with the inverse of
// Problem.Information as its scale. Where hidden layers make several modes it is
// a mixture of one such distribution per mode and one at the prior. Its tails are heavier than those of the prior, so the
// weights p(D, w)/q(w) are bounded. Draws come in pairs that mirror each other
// in the mode, which cancels most of the noise where the posterior is nearly
// symmetric; each mode has its fixed share of the draws and all of them count as
// drawn from the mixture (Owen and Zhou, "Safe and effective importance
// sampling", JASA 2000).
//
// A mode that no draw comes near cannot show in the effective sample size. Where
// neurons of a hidden layer have the same prior, every mode has mirror images,
// one per permutation of these neurons. They predict the same and missing them
// does no harm, except to the evidence, which is then too small.
type Importance struct {
	// Draws is their number, even; zero stands for 4000.
	Draws int

	// MinESS is the effective sample size below which Sample returns an
	// *ESSError; zero stands for a tenth of Draws.
	MinESS float64

	// Starts is how many climbs look for modes if there are hidden layers; zero
	// stands for 10.
	Starts int
}

// ESSError says that the weights are too uneven to be of use.
type ESSError struct {
	ESS, MinESS float64
	Draws       int
}

func (e *ESSError) Error() string {
	return fmt.Sprintf("posterior: effective sample size %.4g of %d draws; need %.4g", e.ESS, e.Draws, e.MinESS)
}

// dof are the degrees of freedom ν of the proposal: fewer make it safer, more make
// it closer to the posterior.
const dof = 10

// withDefaults returns the sampler with its defaults filled in, or an error that
// names the field and what it allows.
func (s Importance) withDefaults() (Importance, error) {
	s.Draws, s.Starts = cmp.Or(s.Draws, 4000), cmp.Or(s.Starts, 10)
	s.MinESS = cmp.Or(s.MinESS, float64(s.Draws)/10)
	if s.Draws < 2 || s.Draws%2 != 0 {
		return s, fmt.Errorf("posterior: Draws = %d: need a positive even number", s.Draws)
	}
	if !(s.MinESS >= 1 && s.MinESS <= float64(s.Draws)) || s.Starts < 1 {
		return s, fmt.Errorf("posterior: MinESS = %g, Starts = %d: need 1 to Draws = %d, and at least 1", s.MinESS, s.Starts, s.Draws)
	}
	return s, nil
}

var _ Sampler = Importance{}

// Sample draws from the posterior of p. It returns an *ESSError if the effective
// sample size is below the floor, another error if a field is not valid or no
// mode is found, and panics if src is nil.
func (s Importance) Sample(p *Problem, src rand.Source) (*Sample, error) {
	if src == nil {
		panic("posterior: nil source of randomness")
	}
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	rnd := rand.New(src)
	modes, err := p.modes(s.Starts, rnd)
	if err != nil {
		return nil, err
	}
	q := newMixture(modes, s.Draws/2)
	out := newSample(p, s.Draws, 2)
	out.Components = len(modes)
	i := 0
	for k, part := range q.parts {
		for range q.pairs[k] {
			w, mirror := out.Draws.RawRowView(i), out.Draws.RawRowView(i+1)
			part.draw(w, mirror, rnd)
			out.Weights[i] = p.LogDensity(nil, w) - q.logDensity(w)
			out.Weights[i+1] = p.LogDensity(nil, mirror) - q.logDensity(mirror)
			i += 2
		}
	}
	top, sum := mlp.Exponentials(out.Weights)
	out.LogEvidence = top + math.Log(sum/float64(s.Draws))
	floats.Scale(1/sum, out.Weights)
	out.LogEvidenceErr = out.standardError(func(i int) float64 { return out.Weights[i]*float64(s.Draws) - 1 })
	out.ESS = 1 / floats.Dot(out.Weights, out.Weights)
	if !(out.ESS >= s.MinESS) {
		return nil, &ESSError{ESS: out.ESS, MinESS: s.MinESS, Draws: s.Draws}
	}
	return out, nil
}
