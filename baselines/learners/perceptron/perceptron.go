// Package perceptron is the Bayesian perceptron: one neuron for two classes, whose weights are jointly
// Gaussian and learn in closed form. Package bnn generalises it to many classes and layers.
//
// For an input x the activation is a = w·x ~ N(m, v). With t = √(1 + λ²v) and ξ = λm/t, the positive class
// has the probability p = E Φ(λa) = Φ(ξ), and Cov(a, y) = vλφ(ξ)/t. With λ = √(π/8), Φ(λa) has the slope of
// the logistic function at 0. With h = φ/Φ, the rules for a label s = ±1 are
//
//	Huber   m̃ = m + s h(sξ) (t+1)/λ    ṽ = v (1 − h(ξ) h(−ξ) (1 + 1/t))
//	ADF     m̃ = m + s h(sξ) vλ/t       ṽ = v (1 − h(sξ) (h(sξ) + sξ) λ²v/t²).
//
// Huber is a Kalman step with the label as a noise-free observation of y = Φ(λa) and Var y ≈ p(1−p)(1 − 1/t)
// (Huber, "Bayesian Perceptron", CDC 2020; Wagner, Wu and Huber, AAAI 2023); its ṽ may be negative. ADF has
// the moments of the exact posterior of a (Opper 1998, Minka 2001); its ṽ is positive.
package perceptron

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Rule is the update of the activation by a label.
type Rule string

const (
	Huber Rule = "huber"
	ADF   Rule = "adf"
)

// Config describes a perceptron.
type Config struct {
	Rule   Rule
	Lambda float64 // slope λ > 0
	// OnIndefinite applies to a step with negative ṽ. Project sets ṽ to VarianceFloor·v, and moves m as printed.
	OnIndefinite  bnn.Policy
	VarianceFloor float64
}

// Perceptron is a Bayesian perceptron. It is not safe for concurrent use.
type Perceptron struct {
	cfg  Config
	mean []float64
	cov  *mat.SymDense
	gain []float64 // Σx of the last input
}

// New returns a perceptron with weights N(mean, cov), which are copied. It panics if the lengths do not fit.
func New(cfg Config, mean []float64, cov mat.Symmetric) *Perceptron {
	n := len(mean)
	if cov.SymmetricDim() != n {
		panic(fmt.Sprintf("perceptron: %d means and a %d×%[2]d covariance", n, cov.SymmetricDim()))
	}
	p := &Perceptron{cfg, slices.Clone(mean), mat.NewSymDense(n, nil), make([]float64, n)}
	p.cov.CopySym(cov)
	return p
}

// Weights returns copies of mean and covariance of the weights.
func (p *Perceptron) Weights() ([]float64, *mat.SymDense) {
	cov := mat.NewSymDense(len(p.mean), nil)
	cov.CopySym(p.cov)
	return slices.Clone(p.mean), cov
}

// Prediction is the prediction for one input.
type Prediction struct {
	Positive, Negative float64 // probabilities of the classes, both with full relative accuracy
	Mean, Variance     float64 // mean and variance of the activation
	xi, t              float64
}

// Predict returns the prediction for x. The error is that of [field.Input], or an overflow.
func (p *Perceptron) Predict(x []float64) (Prediction, error) {
	if err := field.Input(x, len(p.mean)); err != nil {
		return Prediction{}, err
	}
	clear(p.gain)
	cov := p.cov.RawSymmetric() // cov.Data has the upper triangle only
	for i, xi := range x {
		row := cov.Data[i*cov.Stride+i : i*cov.Stride+len(x)]
		p.gain[i] += kernel.Dot(row, x[i:])
		kernel.AddScaled(p.gain[i+1:], xi, row[1:])
	}
	m, v := kernel.Dot(x, p.mean), kernel.Dot(x, p.gain)
	if !kernel.Finite(m + v) {
		return Prediction{}, fmt.Errorf("perceptron: the activation overflows: mean %g, variance %g", m, v)
	}
	t := kernel.Hypot(1, p.cfg.Lambda*math.Sqrt(max(0, v)))
	xi := p.cfg.Lambda * m / t
	return Prediction{gauss.CDF(xi), gauss.CDF(-xi), m, v, xi, t}, nil
}

// Observe learns an example. Errors, such as *bnn.IndefiniteError, leave the weights unchanged.
func (p *Perceptron) Observe(x []float64, positive bool) (bnn.Update, error) {
	before, err := p.Predict(x)
	if err != nil {
		return bnn.Update{Action: bnn.Refused}, err
	}
	v, xi, t, lambda := before.Variance, before.xi, before.t, p.cfg.Lambda
	s := -1.0
	if positive {
		s = 1
	}
	h := gauss.InverseMills(s * xi)
	update := bnn.Update{MinEigenvalue: math.NaN(), LogP: gauss.LogCDF(s * xi)}
	part := lambda * math.Sqrt(v) / t
	step, shrink := s*h*v*lambda/t, part*part*(1-gauss.TruncatedVar(s*xi)) // m̃ − m and 1 − ṽ/v
	if p.cfg.Rule == Huber {
		step, shrink = s*h*(t+1)/lambda, h*gauss.InverseMills(-s*xi)*(1+1/t)
	}
	update.MinVariance = v * (1 - shrink)
	update.Indefinite = !(update.MinVariance >= 0)
	if !(shrink <= 1) {
		switch p.cfg.OnIndefinite {
		case bnn.Fail:
			update.Action = bnn.Refused
			return update, &bnn.IndefiniteError{Update: update}
		case bnn.Skip:
			update.Action = bnn.Skipped
			return update, nil
		}
		update.Action = bnn.Projected
		shrink = 1 - p.cfg.VarianceFloor
	}
	if v == 0 {
		return update, nil // the activation is certain: no weight is correlated with it
	}
	if !kernel.Finite(step / v) {
		update.Action = bnn.Refused
		return update, fmt.Errorf("perceptron: the update overflows: step %g of an activation with variance %g",
			step, v)
	}
	floats.AddScaled(p.mean, step/v, p.gain)
	p.cov.SymRankOne(p.cov, -shrink/v, mat.NewVecDense(len(p.gain), p.gain))
	return update, nil
}
