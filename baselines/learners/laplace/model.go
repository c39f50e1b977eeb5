package laplace

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/internal/linalg"
)

// Model is a fitted network.
type Model struct {
	cfg     Config
	network *mlp.Network
	weights []float64
	factor  linalg.Cholesky // L of H = LLᵀ; not for PlugIn
	normal  []float64       // a standard normal number per class for each pair of draws

	// What a prediction works on.
	pass   *mlp.Pass
	image  *mat.Dense // (L⁻¹ Jᵀ)ᵀ
	logits logits
}

const pairs = 500 // of draws of MonteCarlo

// Fit fits the model to the examples x[k] with classes class[k], counted from 0;
// all of it is copied. There may be no examples. The random weights from which
// hidden networks start come from src, and then the draws of MonteCarlo. A search of the mode that
// does not converge is no error: the model has its best weights.
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
	start, steps := make([]float64, network.Weights()), LinearSteps
	if len(network.Layers) > 1 {
		network.Initialise(start, rnd)
		steps = hiddenSteps
	}
	m := &Model{cfg: cfg, network: network, pass: network.NewPass(), logits: newLogits(network.Outputs())}
	if m.weights, err = problem.Climb(start, steps); err != nil {
		return nil, err
	}
	for range pairs * network.Outputs() {
		m.normal = append(m.normal, random.Normal(rnd))
	}
	if cfg.Predictive == PlugIn {
		return m, nil
	}
	problem.prior.Var = network.PriorVar(cmp.Or(cfg.LaplaceVar, cfg.PriorVar)) // the mode is found
	layer := network.Layers[len(network.Layers)-1]
	h := mat.NewSymDense(layer.In*layer.Out, nil)
	problem.Information(h, m.weights)
	if !m.factor.Factorize(h) {
		return nil, errors.New("laplace: the precision of the weights is not positive definite in double precision")
	}
	m.image = mat.NewDense(layer.Out, layer.In*layer.Out, nil)
	return m, nil
}
