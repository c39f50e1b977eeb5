// Package variational is variational inference for the linear classifier without
// stochastic gradients: a Gaussian posterior of the weights that maximises a lower
// bound of the log evidence, by steps of which none can lower it.
//
// The logits of an input x, with a trailing 1, are z_j = w_j·x for the K classes,
// and every weight has the prior N(0, v). Both bounds replace the logarithm of the
// likelihood by a quadratic function of the logits of an example that touches it
// at their means and has a curvature that no example changes. So the optimal
// Gaussian q is found in two parts. Its means μ maximise the posterior density,
//
//	Σ_k log p(c_k | z = μ x_k) − |μ|²/(2v),
//
// and its covariance is known before they are. Where q is independent between
// classes, it is the same for all of them,
//
//	S = (a Σ_k x_k x_kᵀ + I/v)⁻¹,
//	ELBO = the above − (K/2) log det(I + a v Σ_k x_k x_kᵀ).
//
// Bohning and BohningJoint have the likelihood of the softmax. The negative
// Hessian of its logarithm, diag(s) − ssᵀ, is nowhere above ½(I − 11ᵀ/K) (Böhning,
// "Multinomial logistic regression algorithm", Annals of the Institute of
// Statistical Mathematics 1992; Murphy, "Machine Learning: A Probabilistic
// Perspective", 2012, Sec. 21.8). Independent classes see its diagonal,
// a = ½(1 − 1/K). BohningJoint keeps the covariances of the classes, which are
//
//	(I − 11ᵀ/K) ⊗ S + 11ᵀ/K ⊗ vI,   a = ½,   ELBO with K−1 in place of K.
//
// The second term moves all logits by the same number, so the prediction is that of
// independent classes with the covariance S.
//
// Probit has the likelihood of the multinomial probit, that λz_j + ε_j is the
// largest for the class, ε_j ~ N(0, ½), and the factors q(w) Π_k q(u_k) with
// u = λz + ε (Girolami and Rogers, "Variational Bayesian multinomial probit
// regression with Gaussian process priors", Neural Computation 2006). Of q(u_k),
// which is a Gaussian truncated to the cone of the class, the bound takes nothing
// but log p, the logarithm of the mass in the cone, and the independence of the
// classes under q(w) is no restriction; a = 2λ².
package variational

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/mlp"
	"closedform/core/softmax"
)

// Bound says what is bounded, and which Gaussian by.
type Bound int

const (
	Bohning      Bound = iota // softmax, classes independent
	BohningJoint              // softmax, one Gaussian over the weights of all classes
	Probit                    // multinomial probit
)

func (b Bound) String() string {
	switch b {
	case Bohning:
		return "bohning"
	case BohningJoint:
		return "bohning joint"
	case Probit:
		return "probit"
	}
	return fmt.Sprintf("Bound(%d)", int(b))
}

// Config describes a classifier.
type Config struct {
	Inputs, Classes int // at least 1 and 2

	Bound    Bound
	PriorVar float64 // v > 0 of every weight, that of the bias included; zero stands for 1

	// Lambda is the slope λ > 0 of the probit. Zero stands for the λ that matches
	// the softmax at the origin (softmax.SlopeLambda), with which PriorVar means
	// the same for all bounds. It is not used by the others.
	Lambda float64

	// The ascent ends where no derivative by its variables, in which the bound has a
	// curvature of at most 1, is above Tolerance (zero stands for 1e-5), or after
	// MaxSteps (zero stands for 10000).
	Tolerance float64
	MaxSteps  int
}

func (cfg Config) withDefaults() (Config, error) {
	if cfg.Inputs < 1 {
		return cfg, fmt.Errorf("variational: Inputs = %d: need at least 1", cfg.Inputs)
	}
	if cfg.Classes < 2 {
		return cfg, fmt.Errorf("variational: Classes = %d: need at least 2", cfg.Classes)
	}
	if cfg.Bound < Bohning || cfg.Bound > Probit {
		return cfg, fmt.Errorf("variational: Bound = %v: need bohning, bohning joint or probit", cfg.Bound)
	}
	if cfg.PriorVar == 0 {
		cfg.PriorVar = 1
	}
	if cfg.Lambda == 0 {
		cfg.Lambda = softmax.SlopeLambda(cfg.Classes, 0.5)
	}
	if cfg.Tolerance == 0 {
		cfg.Tolerance = 1e-5
	}
	if cfg.MaxSteps == 0 {
		cfg.MaxSteps = 10000
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"PriorVar", cfg.PriorVar}, {"Lambda", cfg.Lambda}, {"Tolerance", cfg.Tolerance}} {
		if !(f.value > 0) || !mlp.Finite(f.value, 1/f.value) {
			return cfg, fmt.Errorf("variational: %s = %g: need a positive finite number", f.name, f.value)
		}
	}
	if cfg.MaxSteps < 0 {
		return cfg, fmt.Errorf("variational: MaxSteps = %d: need at least 1", cfg.MaxSteps)
	}
	return cfg, nil
}

// Model is a trained classifier. It must not be used by several goroutines at
// once.
type Model struct {
	// ELBO is the lower bound of the log evidence with the means at zero, and after
	// every step of the ascent: it does not fall.
	ELBO []float64

	// Converged says that Tolerance was met within MaxSteps.
	Converged bool

	// Mean is Classes × (Inputs+1): row j holds the means of the weights of class
	// j, the bias last. It must not be modified.
	Mean *mat.Dense

	cfg           Config
	chol          scatter
	approximation softmax.Approximation
	moments       *softmax.Moments
	x, root       []float64
	mean, spread  []float64 // of the logits
}

// Fit returns the classifier of the examples x[k] with the classes class[k],
// counted from 0. There may be no examples: then the posterior is the prior. It
// returns an error that names the field if cfg is not valid, and others if an
// input is not finite, a class out of range, or if the numbers overflow. It panics
// if the lengths do not fit.
func Fit(cfg Config, x [][]float64, class []int) (*Model, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	data, err := mlp.NewExamples(x, class, cfg.Inputs, cfg.Classes)
	if err != nil {
		return nil, fmt.Errorf("variational: %w", err)
	}
	n := cfg.Classes
	like := newLikelihood(cfg)
	var unit, posterior scatter
	if err := unit.set(data, cfg, like.curvature()); err != nil {
		return nil, err
	}
	a, rank := like.curvature(), n
	switch cfg.Bound {
	case Bohning:
		a *= 1 - 1/float64(n)
	case BohningJoint:
		rank--
	}
	if err := posterior.set(data, cfg, a); err != nil {
		return nil, err
	}
	m := &Model{
		cfg: cfg, chol: posterior, approximation: like.approximation(), moments: softmax.NewMoments(n),
		x: make([]float64, cfg.Inputs+1), root: make([]float64, cfg.Inputs+1),
		mean: make([]float64, n), spread: make([]float64, n),
	}
	up := newAscent(cfg, data, like, &unit)
	if m.Converged, err = up.run(); err != nil {
		return nil, err
	}
	m.Mean, m.ELBO = up.weights, up.trace
	floats.AddConst(-float64(rank)/2*posterior.chol.LogDet(), m.ELBO)
	return m, nil
}

// Cov returns S, the covariance of the weights of a class.
func (m *Model) Cov() *mat.SymDense {
	var s mat.SymDense
	if err := m.chol.chol.InverseTo(&s); err != nil {
		panic("variational: " + err.Error()) // Fit has refused such a matrix.
	}
	s.ScaleSym(m.cfg.PriorVar, &s)
	return &s
}

// Predict sets p to the probabilities of the classes at x, the mean of the
// likelihood over the posterior, by the quadrature of package softmax. It returns an
// error if x is not finite or the logits overflow, and panics if a length does not
// fit.
func (m *Model) Predict(p, x []float64) error {
	if len(p) != m.cfg.Classes {
		panic(fmt.Sprintf("variational: %d probabilities for %d classes", len(p), m.cfg.Classes))
	}
	if err := mlp.SetInput(m.x, x); err != nil {
		return fmt.Errorf("variational: %w", err)
	}
	copy(m.root, m.x)
	m.chol.solve(blas.Trans, m.root)
	v := m.cfg.PriorVar * floats.Dot(m.root, m.root)
	for j := range m.mean {
		m.mean[j], m.spread[j] = floats.Dot(m.Mean.RawRowView(j), m.x), v
	}
	if !mlp.Finite(m.mean...) || !mlp.Finite(v) {
		return fmt.Errorf("variational: the logits overflow: means %g, variance %g", m.mean, v)
	}
	m.approximation.Moments(m.moments, m.mean, m.spread)
	floats.ScaleTo(p, 1/floats.Sum(m.moments.P), m.moments.P)
	return nil
}
