package laplace

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/mlp"
	"closedform/baselines/posterior"
)

// Model is a fitted network. It must not be used by several goroutines at once.
type Model struct {
	cfg     Config
	design  *design
	root    root      // nil for PlugIn
	normal  []float64 // a standard normal number per class for each pair of draws
	scratch *scratch
}

const pairs = 500 // of draws of MonteCarlo

// Fit fits the model to the examples x[k] with classes class[k], counted from 0;
// all of it is copied. There may be no examples. The random weights from which
// hidden networks start come from src, and then the draws of MonteCarlo.
//
// Fit returns an error if cfg is not valid, if an input is not finite or a class
// out of range, or if numbers overflow. A climb that does not come to rest is no
// error: its best point serves. Fit panics if lengths do not fit or src is nil.
func Fit(cfg Config, x [][]float64, class []int, src rand.Source) (*Model, error) {
	if src == nil {
		panic("laplace: nil source of randomness")
	}
	if err := cmp.Or(mlp.CheckLayers(cfg.Layers), cfg.Validate()); err != nil {
		return nil, fmt.Errorf("laplace: %w", err)
	}
	cfg = cfg.WithDefaults()
	network := mlp.New(cfg.Layers, true)
	data, err := mlp.NewExamples(x, class, cfg.Layers[0], network.Outputs())
	if err != nil {
		return nil, fmt.Errorf("laplace: %w", err)
	}
	problem, err := posterior.NewProblem(posterior.Model{Layers: cfg.Layers, Bias: true, PriorVar: network.PriorVar(cfg.PriorVar)}, x, class)
	if err != nil {
		return nil, fmt.Errorf("laplace: %w", err)
	}
	rnd := rand.New(src)
	start, tolerance := make([]float64, network.Weights()), linearTolerance
	if len(network.Layers) > 1 {
		network.Initialise(start, rnd)
		tolerance = hiddenTolerance * max(100, float64(len(x)))
	}
	weights, err := newObjective(problem).climb(start, tolerance)
	if err != nil {
		return nil, err
	}
	m := &Model{cfg: cfg, design: &design{network, weights, data}}
	for range pairs * network.Outputs() {
		m.normal = append(m.normal, rnd.NormFloat64())
	}
	if cfg.Predictive != PlugIn {
		v := network.PriorVar(cmp.Or(cfg.LaplaceVar, cfg.PriorVar))
		information := m.design.full
		if m.onlyLast() {
			information = m.design.lastLayer
		}
		if m.root, err = newRoot(information(v)); err != nil {
			return nil, err
		}
	}
	m.scratch = m.newScratch()
	return m, nil
}

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
	n := m.design.network.Outputs()
	s := &scratch{pass: m.design.network.NewPass(), input: make([]float64, m.cfg.Layers[0]+1)}
	if m.cfg.Predictive == PlugIn {
		return s
	}
	if !m.onlyLast() {
		s.jacobian = mat.NewDense(n, m.design.network.Weights(), nil)
	}
	s.image, s.cov = mat.NewDense(n, len(m.root), nil), mat.NewSymDense(n, nil)
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
