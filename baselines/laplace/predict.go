package laplace

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/mlp"
)

// Predict sets p to the probabilities of the classes at x. It returns an error if
// x is not finite or a logit overflows, and panics if the lengths do not fit.
func (m *Model) Predict(p, x []float64) error {
	if len(p) != m.design.network.Outputs() {
		panic(fmt.Sprintf("laplace: %d probabilities for %d classes", len(p), m.design.network.Outputs()))
	}
	if err := m.logits(x); err != nil {
		return fmt.Errorf("laplace: %w", err)
	}
	s := m.scratch
	switch m.cfg.Predictive {
	case PlugIn:
		copy(p, s.pass.Logit)
		mlp.Normalise(p)
	case Probit:
		s.probit(p)
	case MonteCarlo:
		s.monteCarlo(p, m.normal)
	}
	return nil
}

// logits sets the mean of the logits at x in the pass, and their covariance unless
// the mode is all that is needed.
func (m *Model) logits(x []float64) error {
	s, d := m.scratch, m.design
	if err := mlp.SetInput(s.input, x); err != nil {
		return err
	}
	d.network.Forward(s.pass, d.weights, s.input)
	if !mlp.Finite(s.pass.Logit...) {
		return errors.New("the logits overflow")
	}
	if m.cfg.Predictive == PlugIn {
		return nil
	}
	for j := range s.pass.Logit {
		image := s.image.RawRowView(j)
		if m.onlyLast() {
			phi := d.features(s.pass, s.input)
			m.root.image(image, j*len(phi), phi)
		} else {
			row := s.jacobian.RawRowView(j)
			clear(row)
			clear(s.pass.Score)
			s.pass.Score[j] = 1
			d.network.Backward(s.pass, row, d.weights, s.input)
			m.root.image(image, 0, row)
		}
		for i := range j + 1 {
			c := floats.Dot(image, s.image.RawRowView(i))
			if !mlp.Finite(c) {
				return fmt.Errorf("the covariance of logits %d and %d overflows", i, j)
			}
			s.cov.SetSym(i, j, c)
		}
	}
	return nil
}

// probit sets p by MacKay's formula E σ(z) ≈ σ(m/√(1 + πv/8)). With z̄ the mean of the logits,
// Var(z_j − z̄) = C_jj − 2 mean_i C_ij + mean_ik C_ik.
func (s *scratch) probit(p []float64) {
	n := float64(len(p))
	var common float64
	for j := range p {
		p[j] = 0
		for i := range p {
			p[j] += s.cov.At(i, j) / n
		}
		common += p[j] / n
	}
	centre := floats.Sum(s.pass.Logit) / n
	for j, z := range s.pass.Logit {
		v := max(0, s.cov.At(j, j)-2*p[j]+common)
		p[j] = (z - centre) * (1 / math.Sqrt(1+math.Pi/8*v))
	}
	mlp.Normalise(p)
}

// monteCarlo sets p to the mean of softmax(m ± Fε) over the rows ε of normal: draws
// in pairs that mirror each other.
func (s *scratch) monteCarlo(p, normal []float64) {
	s.factorise()
	clear(p)
	n := len(p)
	for ; len(normal) > 0; normal = normal[n:] {
		for j := range n {
			s.step[j] = floats.Dot(s.factor.RawRowView(j)[:j+1], normal[:j+1])
		}
		floats.AddTo(s.draw, s.pass.Logit, s.step)
		mlp.Normalise(s.draw)
		floats.Add(p, s.draw)
		floats.SubTo(s.draw, s.pass.Logit, s.step)
		mlp.Normalise(s.draw)
		floats.Add(p, s.draw)
	}
	floats.Scale(1/floats.Sum(p), p)
}

// factorise sets F by Cholesky's method. C may be singular, as where all logits
// have the same: a pivot that rounding leaves at or below zero makes a column of
// zeros, and one that it leaves above is harmless.
func (s *scratch) factorise() {
	s.factor.Zero()
	for j := range s.draw {
		row := s.factor.RawRowView(j)
		pivot := s.cov.At(j, j) - floats.Dot(row[:j], row[:j])
		if !(pivot > 0) {
			continue
		}
		row[j] = math.Sqrt(pivot)
		for i := j + 1; i < len(s.draw); i++ {
			below := s.factor.RawRowView(i)
			below[j] = (s.cov.At(i, j) - floats.Dot(below[:j], row[:j])) / row[j]
		}
	}
}
