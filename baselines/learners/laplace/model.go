package laplace

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
)

// Model is a fitted network. It must not be used by several goroutines at once.
type Model struct {
	cfg      Config
	network  *mlp.Network
	weights  []float64
	onlyLast bool      // the covariance is that of the last layer: its Jacobian is the features once per class
	root     root      // nil for PlugIn
	normal   []float64 // a standard normal number per class for each pair of draws

	// What a prediction works on.
	pass     *mlp.Pass
	jacobian []float64  // ∂z_j/∂w, unless onlyLast
	image    *mat.Dense // (G Jᵀ)ᵀ
	logits   logits
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
	network, rnd, err := mlp.Start(cfg.Layers, cfg, src)
	if err != nil {
		return nil, fmt.Errorf("laplace: %w", err)
	}
	cfg = cfg.WithDefaults()
	problem, err := NewProblem(Prior{Layers: cfg.Layers, Bias: true, Var: network.PriorVar(cfg.PriorVar)}, x, class)
	if err != nil {
		return nil, err
	}
	start, steps := make([]float64, network.Weights()), linearSteps
	if len(network.Layers) > 1 {
		network.Initialise(start, rnd)
		steps = cfg.Steps
	}
	m := &Model{
		cfg: cfg, network: network, onlyLast: cfg.Covariance == LastLayer || len(network.Layers) == 1,
		pass: network.NewPass(), logits: newLogits(network.Outputs()),
	}
	if m.weights, err = climb(problem, start, steps); err != nil {
		return nil, err
	}
	for range pairs * network.Outputs() {
		m.normal = append(m.normal, random.Normal(rnd))
	}
	if cfg.Predictive == PlugIn {
		return m, nil
	}
	problem.prior.Var = network.PriorVar(cmp.Or(cfg.LaplaceVar, cfg.PriorVar)) // the mode is found
	h, information := mat.NewSymDense(len(start), nil), problem.Information
	if m.onlyLast {
		layer := network.Layers[len(network.Layers)-1]
		h, information = mat.NewSymDense(layer.In*layer.Out, nil), problem.lastLayer
	} else {
		m.jacobian = make([]float64, len(start))
	}
	information(h, m.weights)
	m.image = mat.NewDense(network.Outputs(), h.SymmetricDim(), nil)
	m.root, err = newRoot(h)
	return m, err
}
