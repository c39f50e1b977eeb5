package study

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/softmax"
	"closedform/runner/internal/manifest"
)

// newNetwork returns the network of the model with its prior weights.
func newNetwork(m manifest.Model, lambda float64, src rand.Source) (*bnn.Network, error) {
	cfg := bnn.Config{
		Layers: m.Layers, Bias: m.Bias, Alpha: m.Alpha, Beta: m.Beta,
		Output:          map[string]bnn.OutputRule{"joint": bnn.Joint, "total": bnn.Total, "adf": bnn.ADF, "adf-exact": bnn.ADFExact}[m.Rule],
		Hidden:          map[string]bnn.HiddenRule{"frozen": bnn.Frozen, "smooth": bnn.Smooth, "smooth-mean": bnn.SmoothMean}[m.Hidden],
		Softmax:         softmax.Probit{Lambda: lambda, Rho: m.Rho},
		OnIndefinite:    map[string]bnn.Policy{"fail": bnn.Fail, "skip": bnn.Skip, "project": bnn.Project}[m.OnIndefinite],
		EigenvalueFloor: m.EigenvalueFloor, VarianceFloor: m.VarianceFloor,
		Prior:    map[string]bnn.Prior{"paper": bnn.PaperPrior, "scaled": bnn.ScaledPrior}[m.Prior],
		PriorVar: m.PriorVar, PriorMeanVar: m.PriorMeanVar, PriorScale: m.PriorScale, Replications: m.Replications,
	}
	if m.OutputCovariance == "joint" {
		cfg.OutputCovariance = bnn.JointNeurons
	}
	for _, kind := range m.Covariance {
		cfg.Covariance = append(cfg.Covariance, map[string]bnn.Covariance{"full": bnn.Full, "diagonal": bnn.Diagonal, "shared": bnn.Shared}[kind])
	}
	if cfg.Output == bnn.ADFExact {
		cfg.Softmax = softmax.Exact{Fast: true}
	}
	network, err := bnn.New(cfg, src)
	if err != nil {
		return nil, err
	}
	if m.RandomFeatures {
		return network, makeCertain(network, len(m.Layers)-2)
	}
	if len(m.PriorMean) == 0 {
		return network, nil
	}
	mean, cov := network.Weights(0)
	for j, row := range m.PriorMean {
		mean.SetRow(j, row)
	}
	return network, network.SetWeights(0, mean, cov)
}

// makeCertain takes the variances of the weights of the first layers away, so
// that the network is a Bayesian output layer on random features f(μx). This is
// not what the hidden rule Frozen does: there the means stay, too, but the mean
// output of a hidden unit depends on the variance of its input, which shrinks.
func makeCertain(n *bnn.Network, layers int) error {
	for l := range layers {
		mean, cov := n.Weights(l)
		for j := range cov {
			cov[j] = mat.NewDiagDense(cov[j].SymmetricDim(), nil)
		}
		if err := n.SetWeights(l, mean, cov); err != nil {
			return fmt.Errorf("random features: %w", err)
		}
	}
	return nil
}
