package laplace

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// Sample is a weighted sample of the weights from a posterior. It is safe for concurrent use.
type Sample struct {
	Draws   *mat.Dense // one draw per row, weights in the order of Prior; pairs mirror each other
	Weights []float64  // of the draws, not negative, adding up to 1

	// ESS is the effective sample size 1/Σ Weights² (Kong, "A note on importance sampling using
	// standardized weights", 1992), mirrored draws counted as independent.
	ESS float64

	network *mlp.Network
	link    func(z []float64) // replaces logits by probabilities
}

const dof = 10 // degrees of freedom ν of the proposal

// Sample draws from the posterior of a network without hidden layers, which has one mode, by self-normalised
// importance sampling (Geweke, "Bayesian inference in econometric models using Monte Carlo integration",
// Econometrica 1989). The proposal q is a Student distribution at the mode with the inverse of
// Problem.information as its scale. Draws come in pairs mirrored at the mode, an even number of at least 4.
// It returns an error if no mode is found, the effective sample size is below a tenth of the draws, or there
// are hidden layers. It panics if src is nil.
func (p *Problem) Sample(draws int, src rand.Source) (*Sample, error) {
	if len(p.network.Layers) > 1 || draws < 4 || draws%2 != 0 {
		return nil, fmt.Errorf("laplace: %d draws for the layers %v; need an even number of draws, 4 or more, "+
			"and no hidden layers", draws, p.prior.Layers)
	}
	n := len(p.prior.Mean)
	mode, err := p.climb(p.prior.Mean)
	if err != nil {
		return nil, err
	}
	var factor linalg.Cholesky // L of the information LLᵀ
	information := mat.NewSymDense(n, nil)
	if p.information(information, mode); !factor.Factorize(information) {
		return nil, errors.New("laplace: the information at the mode is not finite and positive definite")
	}
	rnd, d := rand.New(src), make([]float64, n)
	out := &Sample{mat.NewDense(draws, n, nil), make([]float64, draws), 0, p.network, mlp.Normalise}
	for i := 0; i < draws; i += 2 {
		w, mirror := out.Draws.RawRowView(i), out.Draws.RawRowView(i+1)
		for k := range w {
			w[k] = random.Normal(rnd)
		}
		factor.SolveT(w)
		r := math.Sqrt(dof / random.ChiSquared(rnd, dof))
		for k, m := range mode {
			step := r * w[k]
			w[k], mirror[k] = m+step, m-step
		}
		for j, w := range [][]float64{w, mirror} {
			clear(d) // Lᵀ(w − mode)
			for k, m := range mode {
				kernel.AddScaled(d[:k+1], w[k]-m, factor.Row(k))
			}
			tail := float64((dof + float64(n)) / 2 * math.Log1p(kernel.Dot(d, d)/dof))
			out.Weights[i+j] = p.logDensity(nil, w) + tail
		}
	}
	out.normalise()
	if need := float64(draws) / 10; !(out.ESS >= need) {
		return nil, fmt.Errorf("laplace: effective sample size %.4g of %d draws; need %.4g: "+
			"use fewer examples, or more draws", out.ESS, draws, need)
	}
	return out, nil
}

func (s *Sample) normalise() {
	_, sum := mlp.Exponentials(s.Weights) // that were logarithms
	floats.Scale(1/sum, s.Weights)
	s.ESS = 1 / kernel.Dot(s.Weights, s.Weights)
}

// Reweighted returns a sample of the problem, with the draws of s, whose likelihood has another link in place
// of the softmax. The link replaces logits by probabilities. The weights are those of s times the ratio of
// the two likelihoods.
func (p *Problem) Reweighted(s *Sample, link func(z []float64)) *Sample {
	out := &Sample{s.Draws, make([]float64, len(s.Weights)), 0, p.network, link}
	q, soft := make([]float64, p.network.Outputs()), make([]float64, p.network.Outputs())
	for i, w := range s.Weights {
		log := kernel.Log(w)
		for k, c := range p.class {
			kernel.Rows(q, s.Draws.RawRowView(i), p.data[k])
			copy(soft, q)
			link(q)
			mlp.Normalise(soft)
			log += kernel.Log(q[c] / soft[c])
		}
		out.Weights[i] = log
	}
	out.normalise()
	return out
}

// Predict returns the posterior predictive at each x, and its standard errors by the delta method for the
// ratio estimator (Geweke 1989). With the probabilities s_i of draw i at x, its weight W_i, and B mirrored
// pairs b, P_j = Σ_i W_i s_ij and Err_j² = B/(B−1) Σ_b (Σ_{i∈b} W_i (s_ij − P_j))². It returns an error if an
// x has the wrong length or is not finite, or if the logits overflow.
func (s *Sample) Predict(inputs [][]float64) (p, stderr [][]float64, err error) {
	n, pairs, layer := s.network.Outputs(), float64(len(s.Weights)/2), s.network.Layers[0]
	outputs := mat.NewDense(len(s.Weights), n, nil)
	for _, x := range inputs {
		if err := field.Input(x, s.network.Inputs); err != nil {
			return nil, nil, err
		}
		x = append(slices.Clip(x), 1)[:layer.In]
		mean, square := make([]float64, n), make([]float64, n)
		for i, w := range s.Weights {
			row := outputs.RawRowView(i)
			if kernel.Rows(row, s.Draws.RawRowView(i), x); !mlp.Finite(row...) {
				return nil, nil, errors.New("laplace: the logits overflow")
			}
			s.link(row)
			for j, q := range row {
				mean[j] += w * q
			}
		}
		for i := 0; i < len(s.Weights); i += 2 {
			one, other := outputs.RawRowView(i), outputs.RawRowView(i+1)
			for j, m := range mean {
				pair := s.Weights[i]*(one[j]-m) + s.Weights[i+1]*(other[j]-m)
				square[j] += pair * pair
			}
		}
		for j, sum := range square {
			square[j] = math.Sqrt(pairs / (pairs - 1) * sum)
		}
		p, stderr = append(p, mean), append(stderr, square)
	}
	return p, stderr, nil
}
