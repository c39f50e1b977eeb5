// Package variational is variational inference for the linear classifier without stochastic gradients: a
// Gaussian posterior that maximises a lower bound of the log evidence.
//
// The logits of an input x, with a trailing 1, are z_j = w_j·x for the K classes, and every weight has the
// prior N(0, v). The bound replaces the log likelihood of an example by a quadratic function of the logits
// that touches it at their means and has a fixed curvature. So the means μ of the optimal Gaussian
// maximise the posterior density, and its covariance is the same for all classes,
//
//	S = (a Σ_k x_k x_kᵀ + I/v)⁻¹,
//	ELBO = Σ_k log p(c_k | z = μ x_k) − |μ|²/(2v) − (K/2) log det(I + a v Σ_k x_k x_kᵀ).
//
// The negative Hessian of the log softmax, diag(s) − ssᵀ, is nowhere above ½(I − 11ᵀ/K) (Böhning,
// "Multinomial logistic regression algorithm", Annals of the Institute of Statistical Mathematics 1992;
// Murphy, "Machine Learning", 2012, Sec. 21.8). Independent classes see its diagonal, a = ½(1 − 1/K).
package variational

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/mlp"
	"closedform/core/softmax"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// Config describes a classifier.
type Config struct {
	Inputs  int `toml:"-"` // at least 1
	Classes int `toml:"-"` // at least 2

	// PriorVar is the prior variance v of every weight times the number of inputs, with the bias.
	PriorVar float64 `toml:"prior_var" default:"1" range:"1e-12 1e12"`
}

// Numbers returns how many numbers the covariance has. It needs Inputs and Classes.
func (c Config) Numbers() float64 {
	return float64(c.Inputs+1) * float64(c.Inputs+1) * float64(c.Classes)
}

// Model is a trained classifier.
type Model struct {
	weights      *mat.Dense      // means: row j those of class j, the bias last
	priorVar     float64         // v
	factor       linalg.Cholesky // of S⁻¹ in units of the prior
	moments      *softmax.Moments
	x, root      []float64
	mean, spread []float64 // of the logits
}

// Fit returns the classifier of the examples x[k] with the classes class[k], counted from 0, of which there
// may be none. Nothing is drawn from the source, which may be nil.
func Fit(cfg Config, x [][]float64, class []int, _ rand.Source) (*Model, error) {
	layers := []int{cfg.Inputs, cfg.Classes}
	if err := cmp.Or(mlp.CheckLayers(layers), field.Resolve(&cfg)); err != nil {
		return nil, err
	}
	in, n := cfg.Inputs+1, cfg.Classes
	v := cfg.PriorVar / float64(in)
	prior := laplace.Prior{Layers: layers, Bias: true, Var: slices.Repeat([]float64{v}, n*in)}
	problem, err := laplace.NewProblem(prior, x, class)
	if err != nil {
		return nil, err
	}
	numbers := func(n int) []float64 { return make([]float64, n) }
	m := &Model{
		priorVar: v, moments: softmax.NewMoments(n),
		x: numbers(in), root: numbers(in), mean: numbers(n), spread: numbers(n),
	}
	if err := m.factorize(x, 0.5*(1-1/float64(n))); err != nil {
		return nil, err
	}
	means, err := problem.Climb(make([]float64, n*in), laplace.LinearSteps)
	if err != nil {
		return nil, err
	}
	m.weights = mat.NewDense(n, in, means)
	return m, nil
}

// mostSpread is the ratio of eigenvalues of matrices that are as good as singular.
const mostSpread = 1e16

// factorize sets the factor of I + a v Σ_k x_k x_kᵀ, which is S⁻¹ in units of the prior.
func (m *Model) factorize(x [][]float64, a float64) error {
	n := len(m.x)
	sum := mat.NewSymDense(n, nil)
	for _, at := range x {
		copy(m.x, at)
		m.x[n-1] = 1
		sum.SymRankOne(sum, a*m.priorVar, mat.NewVecDense(n, m.x))
	}
	for i := range n {
		sum.SetSym(i, i, sum.At(i, i)+1)
	}
	positive, pivot := m.factor.Factorize(sum), math.Inf(1)
	for i := range n {
		pivot = min(pivot, m.factor.Row(i)[i])
	}
	// No eigenvalue is above the trace, or all above the square of a pivot.
	if !positive || !(mat.Trace(sum) < mostSpread*pivot*pivot) {
		return fmt.Errorf("variational: prior variance %g: the covariance of the weights is singular "+
			"in double precision", m.priorVar)
	}
	return nil
}

// Predict sets p to the probabilities of the classes at x, the mean of the softmax over the posterior.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, len(m.mean))
	if err := mlp.SetInput(m.x, x); err != nil {
		return err
	}
	copy(m.root, m.x)
	m.factor.Solve(m.root)
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
