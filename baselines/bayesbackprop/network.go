package bayesbackprop

import (
	"math"

	"closedform/baselines/mlp"
)

// network is the distribution of the weights.
type network struct {
	shape      *mlp.Network
	parameters []float64 // means, then logarithms of the standard deviations
	mean       []float64
	logSD      []float64
	variance   []float64 // from logSD, by update
	prior      []float64 // variances
}

func newNetwork(shape *mlp.Network, priorVar float64) *network {
	n := shape.Weights()
	net := &network{shape: shape, parameters: make([]float64, 2*n), variance: make([]float64, n), prior: shape.PriorVar(priorVar)}
	net.mean, net.logSD = net.parameters[:n:n], net.parameters[n:]
	return net
}

// update sets the variances, after a change of the parameters.
func (n *network) update() {
	for i, log := range n.logSD {
		n.variance[i] = math.Exp(2 * log)
	}
}

// toLogSD turns derivatives by the variances into those by the logarithms of the
// standard deviations.
func (n *network) toLogSD(grad []float64) {
	for i, v := range n.variance {
		grad[len(n.mean)+i] *= 2 * v
	}
}

// addDivergence adds weight times the derivatives of Σ_i KL_i by the parameters to
// grad, and returns the sum.
func (n *network) addDivergence(grad []float64, weight float64) float64 {
	var sum float64
	for i, prior := range n.prior {
		mu, r := n.mean[i], n.variance[i]/prior
		sum += (r - 1 - 2*n.logSD[i] + math.Log(prior) + mu*mu/prior) / 2
		grad[i] += weight * mu / prior
		grad[len(n.mean)+i] += weight * (r - 1)
	}
	return sum
}
