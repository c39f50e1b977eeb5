package laplace

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// Predict sets p to the probabilities of the classes at x.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, m.network.Outputs())
	if err := m.forward(x); err != nil {
		return fmt.Errorf("laplace: %w", err)
	}
	switch m.cfg.Predictive {
	case PlugIn:
		copy(p, m.pass.Logit)
		mlp.Normalise(p)
	case Probit:
		m.logits.probit(p)
	case MonteCarlo:
		return m.logits.monteCarlo(p, m.normal)
	}
	return nil
}

// forward sets the mean of the logits at x, and their covariance unless the mode is all
// that is needed.
func (m *Model) forward(x []float64) error {
	z := &m.logits
	if err := m.network.Logits(m.pass, m.weights, x); err != nil {
		return err
	}
	z.mean = m.pass.Logit
	if m.cfg.Predictive == PlugIn {
		return nil
	}
	phi := m.pass.Input(len(m.network.Layers) - 1)
	for j := range z.mean {
		image := m.image.RawRowView(j)
		clear(image)
		copy(image[j*len(phi):], phi)
		m.factor.Solve(image)
		for i := range j + 1 {
			c := kernel.Dot(image, m.image.RawRowView(i))
			if !mlp.Finite(c) {
				return fmt.Errorf("the covariance of logits %d and %d overflows", i, j)
			}
			z.cov.SetSym(i, j, c)
		}
	}
	return nil
}

// logits are their Gaussian at an input, with scratch for the rules.
type logits struct {
	mean       []float64
	cov        *mat.SymDense
	factor     linalg.Cholesky // F of C = FFᵀ
	step, draw []float64       // F times standard normal numbers, and a draw
}

func newLogits(n int) logits {
	return logits{
		cov: mat.NewSymDense(n, nil), step: make([]float64, n), draw: make([]float64, n),
	}
}

// probit sets p by MacKay's formula E σ(z) ≈ σ(m/√(1 + πv/8)). With z̄ the mean of the logits,
// Var(z_j − z̄) = C_jj − 2 mean_i C_ij + mean_ik C_ik.
func (z *logits) probit(p []float64) {
	n := float64(len(p))
	var common float64
	for j := range p {
		p[j] = 0
		for i := range p {
			p[j] += z.cov.At(i, j) / n
		}
		common += p[j] / n
	}
	centre := kernel.Sum(z.mean) / n
	for j, m := range z.mean {
		v := max(0, z.cov.At(j, j)-2*p[j]+common)
		p[j] = (m - centre) * (1 / math.Sqrt(1+math.Pi/8*v))
	}
	mlp.Normalise(p)
}

// monteCarlo sets p to the mean of softmax(m ± Fε) over the rows ε of normal: draws
// in pairs that mirror each other. It returns an error if C is singular in double precision.
func (z *logits) monteCarlo(p, normal []float64) error {
	if !z.factor.Factorize(z.cov) {
		return errors.New("laplace: the covariance of the logits is not positive definite in double precision")
	}
	clear(p)
	n := len(p)
	for ; len(normal) > 0; normal = normal[n:] {
		for j := range n {
			z.step[j] = kernel.Dot(z.factor.Row(j), normal[:j+1])
		}
		floats.AddTo(z.draw, z.mean, z.step)
		mlp.Normalise(z.draw)
		floats.Add(p, z.draw)
		floats.SubTo(z.draw, z.mean, z.step)
		mlp.Normalise(z.draw)
		floats.Add(p, z.draw)
	}
	floats.Scale(1/kernel.Sum(p), p)
	return nil
}
