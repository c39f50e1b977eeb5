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

// Sample is a weighted sample of the weights from a posterior. It is not safe for concurrent use.
type Sample struct {
	Draws   *mat.Dense // one draw per column, weights in the order of Prior; pairs mirror each other
	Weights []float64  // weights of the draws, not negative, with the sum 1

	// ESS is the effective sample size 1/Σ Weights² (Kong, "A note on importance sampling using
	// standardized weights", 1992), mirrored draws counted as independent.
	ESS float64

	network *mlp.Network
	link    Link        // replaces the logits z by probabilities
	ratio   []float64   // logarithm of the prior density over that of the proposal, up to a constant
	z       [][]float64 // logits of all draws, a row for each class
}

// Link replaces the logits of all draws by probabilities, a row for each class.
type Link func(z [][]float64)

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
	rnd, d, w, mirror := rand.New(src), make([]float64, n), make([]float64, n), make([]float64, n)
	rows := slices.Collect(slices.Chunk(make([]float64, (5+p.network.Outputs())*draws), draws))
	top, sum, winner, tail, z := rows[0], rows[1], rows[2], rows[3], rows[5:]
	out := &Sample{mat.NewDense(n, draws, nil), make([]float64, draws), 0, p.network, nil, rows[4], z}
	out.link = func(z [][]float64) {
		mlp.ExponentialRows(z, top, sum)
		for _, row := range z {
			floats.Div(row, sum)
		}
	}
	for i := 0; i < draws; i += 2 {
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
			tail[i+j] = float64((dof + float64(n)) / 2 * math.Log1p(kernel.Dot(d, d)/dof))
			out.Draws.SetCol(i+j, w)
			out.Weights[i+j] = p.logPrior(d, w)
			out.ratio[i+j] = out.Weights[i+j] + tail[i+j]
		}
	}
	for k, c := range p.class {
		out.logits(p.data[k])
		copy(winner, z[c])
		mlp.ExponentialRows(z, top, sum)
		for i, w := range winner {
			out.Weights[i] += w - top[i] - kernel.Log(sum[i])
		}
	}
	for i, log := range out.Weights {
		if !kernel.Finite(log) {
			log = math.Inf(-1)
		}
		out.Weights[i] = log + tail[i]
	}
	out.normalise()
	if need := float64(draws) / 10; !(out.ESS >= need) {
		return nil, fmt.Errorf("laplace: effective sample size %.4g of %d draws; need %.4g: "+
			"use fewer examples, or more draws", out.ESS, draws, need)
	}
	return out, nil
}

func (s *Sample) logits(x []float64) {
	for j, row := range s.z {
		clear(row)
		for a, xa := range x {
			kernel.AddScaled(row, xa, s.Draws.RawRowView(j*len(x)+a))
		}
	}
}

func (s *Sample) normalise() {
	_, sum := mlp.Exponentials(s.Weights) // Weights held logarithms
	floats.Scale(1/sum, s.Weights)
	s.ESS = 1 / kernel.Dot(s.Weights, s.Weights)
}

// Reweighted returns the draws of s with the weights of a likelihood with another link than the softmax.
func (p *Problem) Reweighted(s *Sample, link Link) *Sample {
	out := &Sample{s.Draws, slices.Clone(s.ratio), 0, p.network, link, s.ratio, s.z}
	for k, c := range p.class {
		out.logits(p.data[k])
		link(out.z)
		for i, q := range out.z[c] {
			out.Weights[i] += kernel.Log(q)
		}
	}
	out.normalise()
	return out
}

// Predict returns the posterior predictive at each x, and its standard errors by the delta method for the
// ratio estimator (Geweke 1989). With the probabilities s_i of draw i at x, its weight W_i, and B mirrored
// pairs b, P_j = Σ_i W_i s_ij and Err_j² = B/(B−1) Σ_b (Σ_{i∈b} W_i (s_ij − P_j))². It returns an error if an
// x has the wrong length or is not finite, or if the logits overflow.
func (s *Sample) Predict(inputs [][]float64) (p, stderr [][]float64, err error) {
	n, pairs := s.network.Outputs(), float64(len(s.Weights)/2)
	for _, x := range inputs {
		if err := field.Input(x, s.network.Inputs); err != nil {
			return nil, nil, err
		}
		s.logits(append(slices.Clip(x), 1)[:s.network.Layers[0].In])
		for _, row := range s.z {
			if !kernel.Finite(row...) {
				return nil, nil, errors.New("laplace: the logits overflow")
			}
		}
		s.link(s.z)
		mean, square := make([]float64, n), make([]float64, n)
		for j, row := range s.z {
			var m, squares float64
			for i, w := range s.Weights {
				m += w * row[i]
			}
			for i := 0; i < len(row); i += 2 {
				pair := s.Weights[i]*(row[i]-m) + s.Weights[i+1]*(row[i+1]-m)
				squares += pair * pair
			}
			mean[j], square[j] = m, math.Sqrt(pairs/(pairs-1)*squares)
		}
		p, stderr = append(p, mean), append(stderr, square)
	}
	return p, stderr, nil
}
