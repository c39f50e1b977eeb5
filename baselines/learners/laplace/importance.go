package laplace

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// Importance samples by self-normalised importance sampling (Geweke, "Bayesian
// inference in econometric models using Monte Carlo integration", Econometrica
// 1989), for networks without hidden layers, whose posterior has one mode.
//
// The proposal q is a Student distribution at the mode, with the inverse of
// Problem.Information as its scale: its tails bound the weights p(D, w)/q(w). Draws
// come in pairs that mirror each other in the mode.
type Importance struct {
	Draws int // an even number, at least two pairs; zero stands for 4000
}

const dof = 10 // degrees of freedom ν of the proposal

// Sample draws from the posterior of p. It returns an error if there are hidden
// layers, Draws is not as above, no mode is found or the effective sample size
// is below a tenth of Draws, and panics if src is nil.
func (s Importance) Sample(p *Problem, src rand.Source) (*Sample, error) {
	if src == nil {
		panic("laplace: nil source of randomness")
	}
	draws := cmp.Or(s.Draws, 4000)
	if draws < 4 || draws%2 != 0 {
		return nil, fmt.Errorf("laplace: Draws = %d: need an even number, 4 or more", draws)
	}
	q, err := p.proposal()
	if err != nil {
		return nil, err
	}
	rnd := rand.New(src)
	out := &Sample{Draws: mat.NewDense(draws, len(q.centre), nil), Weights: make([]float64, draws), network: p.network}
	for i := 0; i < draws; i += 2 {
		w, mirror := out.Draws.RawRowView(i), out.Draws.RawRowView(i+1)
		q.draw(w, mirror, rnd)
		out.Weights[i] = p.LogDensity(nil, w) - q.logDensity(w)
		out.Weights[i+1] = p.LogDensity(nil, mirror) - q.logDensity(mirror)
	}
	_, sum := mlp.Exponentials(out.Weights)
	floats.Scale(1/sum, out.Weights)
	out.ESS = 1 / kernel.Dot(out.Weights, out.Weights)
	if least := float64(draws) / 10; !(out.ESS >= least) {
		return nil, fmt.Errorf("laplace: effective sample size %.4g of %d draws; need %.4g: "+
			"use fewer examples, or more draws", out.ESS, draws, least)
	}
	return out, nil
}

// student is a multivariate Student distribution: centre m, scale matrix H⁻¹
// with H = LLᵀ, and ν degrees of freedom.
type student struct {
	centre []float64
	factor linalg.Cholesky // L
	d      []float64       // scratch
}

// proposal returns the distribution at the mode, with the information there.
func (p *Problem) proposal() (*student, error) {
	if len(p.network.Layers) > 1 {
		return nil, errors.New("laplace: a sample of a network with hidden layers; need none")
	}
	n := len(p.prior.Mean)
	centre, err := p.Climb(p.prior.Mean, LinearSteps)
	if err != nil {
		return nil, err
	}
	s := &student{centre: centre, d: make([]float64, n)}
	information := mat.NewSymDense(n, nil)
	if p.Information(information, centre); !s.factor.Factorize(information) {
		return nil, errors.New("laplace: the information at the mode is not finite and positive definite")
	}
	return s, nil
}

// draw sets w and its mirror image in the centre, which are as likely.
func (s *student) draw(w, mirror []float64, rnd *rand.Rand) {
	for i := range w {
		w[i] = random.Normal(rnd)
	}
	s.factor.SolveT(w)
	r := math.Sqrt(dof / random.ChiSquared(rnd, dof))
	for i, m := range s.centre {
		d := r * w[i]
		w[i], mirror[i] = m+d, m-d
	}
}

// logDensity returns the log density at w less that at the centre.
func (s *student) logDensity(w []float64) float64 {
	clear(s.d)
	for i, m := range s.centre {
		kernel.AddScaled(s.d[:i+1], w[i]-m, s.factor.Row(i))
	}
	return -(dof + float64(len(w))) / 2 * math.Log1p(kernel.Dot(s.d, s.d)/dof)
}
