package laplace

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
)

// Sample is a weighted sample of the weights from a posterior. It must not be
// modified; several goroutines may use it at once.
type Sample struct {
	Draws   *mat.Dense // one draw per row, weights in the order of Prior; pairs mirror each other
	Weights []float64  // of the draws, not negative, adding up to 1

	// ESS is the effective sample size 1/Σ Weights²: how many independent draws from
	// the posterior are as good (Kong, "A note on importance sampling using
	// standardized weights", 1992), mirrored draws counted as independent.
	ESS float64

	network *mlp.Network
}

// Predict returns the posterior predictive at x, the probabilities of the classes
//
//	P_j = Σ_i W_i s_ij,
//
// where s_i is the softmax output at x for draw i and W_i its weight, and their
// standard errors, those of the ratio estimator by the delta method (Geweke 1989), over
// the B pairs b of mirrored draws,
//
//	Err_j² = B/(B−1) Σ_b (Σ_{i∈b} W_i (s_ij − P_j))².
//
// Predict returns an error if x is not finite or the logits overflow on it, and
// panics if the length of x is not the number of inputs.
func (s *Sample) Predict(x []float64) (p, stderr []float64, err error) {
	draws, n := len(s.Weights), s.network.Outputs()
	p, stderr = make([]float64, n), make([]float64, n)
	outputs, pass := mat.NewDense(draws, n, nil), s.network.NewPass()
	for i, w := range s.Weights {
		if err := s.network.Logits(pass, s.Draws.RawRowView(i), x); err != nil {
			return nil, nil, fmt.Errorf("laplace: %w", err)
		}
		row := outputs.RawRowView(i)
		copy(row, pass.Logit)
		mlp.Normalise(row)
		floats.AddScaled(p, w, row)
	}
	for j := range stderr {
		for i := 0; i < draws; i += 2 {
			var pair float64
			for k := i; k < i+2; k++ {
				pair += s.Weights[k] * (outputs.At(k, j) - p[j])
			}
			stderr[j] += pair * pair
		}
		pairs := float64(draws / 2)
		stderr[j] = math.Sqrt(pairs / (pairs - 1) * stderr[j])
	}
	return p, stderr, nil
}
