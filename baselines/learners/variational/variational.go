// Package variational is variational inference for the linear classifier without
// stochastic gradients: a Gaussian posterior of the weights that maximises a lower
// bound of the log evidence, by steps of which none can lower it.
//
// The logits of an input x, with a trailing 1, are z_j = w_j·x for the K classes,
// and every weight has the prior N(0, v). The bound replaces the logarithm of the
// likelihood by a quadratic function of the logits of an example that touches it
// at their means and has a curvature that no example changes. So the optimal
// Gaussian q is found in two parts. Its means μ maximise the posterior density,
//
//	Σ_k log p(c_k | z = μ x_k) − |μ|²/(2v),
//
// and its covariance is known before they are. As q is independent between
// classes, it is the same for all of them,
//
//	S = (a Σ_k x_k x_kᵀ + I/v)⁻¹,
//	ELBO = the above − (K/2) log det(I + a v Σ_k x_k x_kᵀ).
//
// The likelihood is that of the softmax. The negative Hessian of its logarithm,
// diag(s) − ssᵀ, is nowhere above ½(I − 11ᵀ/K) (Böhning, "Multinomial logistic
// regression algorithm", Annals of the Institute of Statistical Mathematics 1992;
// Murphy, "Machine Learning: A Probabilistic Perspective", 2012, Sec. 21.8).
// Independent classes see its diagonal, a = ½(1 − 1/K).
package variational

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// Config describes a classifier.
type Config struct {
	Inputs  int `toml:"-"` // at least 1
	Classes int `toml:"-"` // at least 2

	// PriorVar is the prior variance v of every weight times the number of inputs,
	// the bias among them; zero stands for 1.
	PriorVar float64 `toml:"prior_var"`
}

// WithDefaults returns the configuration with its defaults filled in.
func (c Config) WithDefaults() Config {
	c.PriorVar = cmp.Or(c.PriorVar, 1)
	return c
}

// Validate returns an error of package field if a value is not allowed. It doesn't
// look at Inputs and Classes.
func (c Config) Validate() error {
	return mlp.CheckVariance("prior_var", c.WithDefaults().PriorVar)
}

// The ascent ends where no derivative by its variables, in which the bound has a
// curvature of at most 1, is above tolerance, or after maxSteps.
const (
	tolerance = 1e-6
	maxSteps  = 10_000
)

// Model is a trained classifier. It must not be used by several goroutines at
// once.
type Model struct {
	weights      *mat.Dense // means: row j those of class j, the bias last
	priorVar     float64    // v
	scatter      scatter
	moments      *softmax.Moments
	x, root      []float64
	mean, spread []float64 // of the logits
}

// Fit returns the classifier of the examples x[k] with the classes class[k],
// counted from 0. There may be no examples: then the posterior is the prior. Nothing
// is drawn from the source, which may be nil. Fit returns an error if cfg is not
// valid, an input not finite, a class out of range, or if the numbers overflow. It
// panics if the lengths do not fit.
func Fit(cfg Config, x [][]float64, class []int, _ rand.Source) (*Model, error) {
	layers := []int{cfg.Inputs, cfg.Classes}
	if err := cmp.Or(mlp.CheckLayers(layers), cfg.Validate()); err != nil {
		return nil, fmt.Errorf("variational: %w", err)
	}
	cfg = cfg.WithDefaults()
	data, err := mlp.New(layers, true).Examples(x, class)
	if err != nil {
		return nil, fmt.Errorf("variational: %w", err)
	}
	return fit(data, cfg.Classes, cfg.PriorVar/float64(cfg.Inputs+1))
}

// fit returns the classifier of n classes with the prior variance v.
func fit(data *mlp.Examples, n int, v float64) (*Model, error) {
	var unit, posterior scatter
	share := 1 - 1/float64(n)
	if err := cmp.Or(unit.set(data, v, curvature), posterior.set(data, v, curvature*share)); err != nil {
		return nil, err
	}
	up := newAscent(v, n, data, &unit)
	up.run()
	in := data.Inputs()
	return &Model{
		weights: up.weights, priorVar: v, scatter: posterior, moments: softmax.NewMoments(n),
		x: make([]float64, in), root: make([]float64, in), mean: make([]float64, n), spread: make([]float64, n),
	}, nil
}

// Predict sets p to the probabilities of the classes at x, the mean of the
// likelihood over the posterior, by the quadrature of package softmax. It returns an
// error if x is not finite or the logits overflow, and panics if a length does not
// fit.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, len(m.mean))
	if err := mlp.SetInput(m.x, x); err != nil {
		return fmt.Errorf("variational: %w", err)
	}
	copy(m.root, m.x)
	m.scatter.chol.Solve(m.root)
	v := m.priorVar * kernel.Dot(m.root, m.root)
	for j := range m.mean {
		m.mean[j], m.spread[j] = kernel.Dot(m.weights.RawRowView(j), m.x), v
	}
	if !mlp.Finite(m.mean...) || !mlp.Finite(v) {
		return fmt.Errorf("variational: the logits overflow: means %g, variance %g", m.mean, v)
	}
	softmax.Exact{Fast: true}.Moments(m.moments, m.mean, m.spread)
	floats.ScaleTo(p, 1/kernel.Sum(m.moments.P), m.moments.P)
	return nil
}
