package posterior

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/mlp"
)

// Sample is a weighted sample of the weights from a posterior. It must not be
// modified; several goroutines may use it at once.
type Sample struct {
	Draws   *mat.Dense // one draw per row, weights in the order of Model
	Weights []float64  // of the draws, not negative, adding up to 1

	// ESS is the effective sample size 1/Σ Weights²: how many independent draws from
	// the posterior are as good (Kong, "A note on importance sampling using
	// standardized weights", 1992), mirrored draws counted as independent.
	ESS float64

	// An estimate of the log evidence log p(D) with its standard error.
	LogEvidence, LogEvidenceErr float64

	inputs  int
	network *mlp.Network
}

// newSample returns an empty sample of the given number of draws.
func newSample(p *Problem, draws int) *Sample {
	return &Sample{
		Draws:   mat.NewDense(draws, len(p.model.PriorMean), nil),
		Weights: make([]float64, draws),
		inputs:  p.model.Layers[0],
		network: p.network,
	}
}

// Prediction is the posterior predictive at one input. Reusing one allocates
// nothing.
type Prediction struct {
	P   []float64     // probabilities of the classes
	Err []float64     // their standard errors, from sampling
	Cov *mat.SymDense // posterior covariance of the class probabilities, classes × classes

	x     []float64
	pass  *mlp.Pass
	of    *mlp.Network // that pass fits
	prob  []float64    // draws × classes
	total []float64    // of a pair
}

// Predict sets dst to the posterior predictive at x,
//
//	P_j = Σ_i W_i s_ij,   Cov_jk = Σ_i W_i (s_ij − P_j)(s_ik − P_k),
//
// where s_i is the softmax output at x for draw i and W_i its weight. The
// standard errors are those of the ratio estimator by the delta method (Geweke
// 1989), over the B pairs b of mirrored draws,
//
//	Err_j² = B/(B−1) Σ_b (Σ_{i∈b} W_i (s_ij − P_j))².
//
// Predict returns an error if x is not finite or the logits overflow on it, and
// panics if the length of x is not the number of inputs.
func (s *Sample) Predict(dst *Prediction, x []float64) error {
	draws, n := len(s.Weights), s.network.Outputs()
	dst.reset(s)
	if err := mlp.SetInput(dst.x, x); err != nil {
		return fmt.Errorf("posterior: %w", err)
	}
	input := dst.x[:s.network.Layers[0].In]
	clear(dst.P)
	for i, w := range s.Weights {
		row := dst.prob[i*n : (i+1)*n]
		s.network.Forward(dst.pass, s.Draws.RawRowView(i), input)
		copy(row, dst.pass.Logit)
		mlp.Normalise(row)
		for j, p := range row {
			dst.P[j] += w * p
		}
	}
	if !mlp.Finite(dst.P...) {
		return errors.New("posterior: the logits overflow")
	}
	s.spread(dst, draws, n)
	return nil
}

// spread sets Cov and Err from prob and P.
func (s *Sample) spread(dst *Prediction, draws, n int) {
	cov := dst.Cov.RawSymmetric()
	for j := range n {
		clear(cov.Data[j*cov.Stride+j : j*cov.Stride+n])
	}
	clear(dst.Err)
	for pair := 0; pair < draws; pair += 2 {
		clear(dst.total)
		for i := pair; i < pair+2; i++ {
			row, w := dst.prob[i*n:(i+1)*n], s.Weights[i]
			for j := range row {
				row[j] -= dst.P[j]
			}
			for j, d := range row {
				dst.total[j] += w * d
				upper := cov.Data[j*cov.Stride : j*cov.Stride+n]
				for k := j; k < n; k++ {
					upper[k] += w * d * row[k]
				}
			}
		}
		for j, t := range dst.total {
			dst.Err[j] += t * t
		}
	}
	correction := s.correction()
	for j, e := range dst.Err {
		dst.Err[j] = math.Sqrt(correction * e)
	}
}

// correction returns B/(B−1) for B pairs; +Inf for one.
func (s *Sample) correction() float64 {
	pairs := float64(len(s.Weights) / 2)
	return pairs / (pairs - 1)
}

// standardError returns the standard error of the unweighted mean of f over the
// draws, where that mean is 0.
func (s *Sample) standardError(f func(i int) float64) float64 {
	draws := len(s.Weights)
	var sum float64
	for pair := 0; pair < draws; pair += 2 {
		var total float64
		for i := pair; i < pair+2; i++ {
			total += f(i) / float64(draws)
		}
		sum += total * total
	}
	return math.Sqrt(s.correction() * sum)
}

// reset fits the prediction to the sample.
func (p *Prediction) reset(s *Sample) {
	n := s.network.Outputs()
	if len(p.P) != n {
		p.P, p.Err, p.total = make([]float64, n), make([]float64, n), make([]float64, n)
		p.Cov = mat.NewSymDense(n, nil)
	}
	if p.of != s.network {
		p.of, p.pass, p.x = s.network, s.network.NewPass(), make([]float64, s.inputs+1)
	}
	if need := n * len(s.Weights); len(p.prob) != need {
		p.prob = make([]float64, need)
	}
}
