package laplace

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/mlp"
	"closedform/baselines/posterior"
	"closedform/core/activation"
	"closedform/core/bnn"
)

// Model is a fitted network. It must not be used by several goroutines at once.
type Model struct {
	cfg        Config
	design     *design
	logDensity float64
	root       root      // of cfg.Covariance, once it has been needed
	normal     []float64 // a standard normal number per class for each pair of draws
	scratch    *scratch
}

// Fit fits the model to the examples x[k] with classes class[k], counted from 0;
// all of it is copied. There may be no examples. The random weights from which
// hidden networks start come from src, and then the draws of MonteCarlo.
//
// Fit returns an error that names the field if cfg is not valid, and one if an
// input is not finite or a class out of range, or if numbers overflow. A climb that
// does not come to rest is no error: its best point serves. Fit panics if lengths
// do not fit.
func Fit(cfg Config, x [][]float64, class []int, src rand.Source) (*Model, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(x) != len(class) {
		panic(fmt.Sprintf("laplace: %d examples and %d classes; need one class per example", len(x), len(class)))
	}
	for k, example := range x {
		if len(example) != cfg.Layers[0] {
			panic(fmt.Sprintf("laplace: example %d has length %d; the model has %d inputs", k, len(example), cfg.Layers[0]))
		}
	}
	d := &design{network: mlp.New(cfg.Layers, true, activation.PiecewiseLinear{Beta: 1})}
	problem, err := posterior.NewProblem(posterior.Model{
		Layers: cfg.Layers, Bias: true, PriorVar: cfg.priorVar(d.network, cfg.PriorVar),
	}, x, class)
	if err != nil {
		return nil, fmt.Errorf("laplace: %w", err)
	}
	for _, example := range x {
		d.x = append(d.x, append(slices.Clone(example), 1))
	}
	m := &Model{cfg: cfg, design: d}
	rnd := rand.New(src)
	if err := m.search(newObjective(problem), rnd); err != nil {
		return nil, err
	}
	for range cfg.Samples / 2 * cfg.classes() {
		m.normal = append(m.normal, rnd.NormFloat64())
	}
	return m.With(cfg.Covariance, cfg.Predictive, cfg.LaplaceVar)
}

// search sets the weights to the highest mode that it finds.
func (m *Model) search(o *objective, rnd *rand.Rand) error {
	start := make([]float64, m.design.network.Weights())
	if len(m.cfg.Layers) == 2 {
		var err error
		m.design.weights, m.logDensity, err = o.climb(start, linearTolerance)
		return err
	}
	tolerance := hiddenTolerance * max(100, float64(len(m.design.x)))
	for k := range m.cfg.Starts {
		drawStart(start, m.design.network, rnd)
		weights, logDensity, err := o.climb(start, tolerance)
		if err != nil {
			return err
		}
		if k == 0 || logDensity > m.logDensity {
			m.design.weights, m.logDensity = weights, logDensity
		}
	}
	return nil
}

// priorVar returns the prior variances of the weights if the field of the
// configuration is v.
func (c *Config) priorVar(network *mlp.Network, v float64) []float64 {
	all := make([]float64, 0, network.Weights())
	for _, layer := range network.Layers {
		own := v
		if c.Prior == bnn.ScaledPrior {
			own /= float64(layer.In)
		}
		all = append(all, slices.Repeat([]float64{own}, layer.In*layer.Out)...)
	}
	return all
}

// With returns the same fit with other values of these fields of Config: a model of
// its own, which may be used beside m. The mode is not searched again; the
// covariance is computed if the predictive needs it and m has another one. With
// returns an error if a value is not allowed or if the information overflows.
func (m *Model) With(c Covariance, p Predictive, laplaceVar float64) (*Model, error) {
	view := *m
	view.cfg.Covariance, view.cfg.Predictive, view.cfg.LaplaceVar = c, p, laplaceVar
	var err error
	if view.cfg, err = view.cfg.withDefaults(); err != nil {
		return nil, err
	}
	if c != m.cfg.Covariance || view.cfg.LaplaceVar != m.cfg.LaplaceVar {
		view.root = nil
	}
	if p != PlugIn && view.root == nil {
		if view.root, err = newRoot(m.design, c, m.cfg.priorVar(m.design.network, view.cfg.LaplaceVar)); err != nil {
			return nil, err
		}
	}
	view.scratch = view.newScratch()
	return &view, nil
}

// LogDensity returns log p(D, ŵ), the logarithm of likelihood times prior at the
// mode: it says which of several fits with the same prior has climbed highest.
func (m *Model) LogDensity() float64 { return m.logDensity }

// scratch is what a prediction works on.
type scratch struct {
	pass     *mlp.Pass
	input    []float64  // with its trailing 1
	jacobian *mat.Dense // ∂z/∂w; nil where the root is that of the last layer
	image    *mat.Dense // (G Jᵀ)ᵀ
	cov      *mat.SymDense
	factor   *mat.Dense // F, lower triangular, with FFᵀ = C
	step     []float64  // F times standard normal numbers
	draw     []float64
}

func (m *Model) newScratch() *scratch {
	n := m.cfg.classes()
	s := &scratch{pass: m.design.network.NewPass(), input: make([]float64, m.cfg.Layers[0]+1)}
	s.input[m.cfg.Layers[0]] = 1
	if m.cfg.Predictive == PlugIn {
		return s
	}
	if !m.onlyLast() {
		s.jacobian = mat.NewDense(n, m.design.network.Weights(), nil)
	}
	s.image, s.cov = mat.NewDense(n, m.root.dim(), nil), mat.NewSymDense(n, nil)
	if m.cfg.Predictive == MonteCarlo {
		s.factor, s.step, s.draw = mat.NewDense(n, n, nil), make([]float64, n), make([]float64, n)
	}
	return s
}

// onlyLast reports whether the covariance is that of the last layer alone, whose
// Jacobian is the features once per class.
func (m *Model) onlyLast() bool {
	return m.cfg.Covariance == LastLayer || len(m.cfg.Layers) == 2
}
