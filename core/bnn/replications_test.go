package bnn

import (
	"math"
	"testing"
)

// One step: what the covariances of a layer lose is multiplied, and nothing else
// changes, neither the means nor the other layers.
func TestReplicationsOfOneStep(t *testing.T) {
	times := []float64{2.5, 1, 0.4}
	for _, kind := range allKinds {
		cfg := spec{Layers: []int{3, 5, 4, 2}, Bias: true, Output: ADF, Hidden: Smooth, Covariance: []Covariance{kind}, PriorVar: 0.2, PriorMeanVar: 1, paper: true}
		plain := newNetwork(cfg)
		cfg.Replications = times
		counted := newNetwork(cfg)
		for _, n := range []*Network{plain, counted} {
			observe(n, []float64{1, -0.5, 2}, 1)
		}
		for l, k := range times {
			mean, cov := plain.Weights(l)
			checkLayer(t, string(kind), counted, l, mean, addIdentity(cov, k, 0.2*(1-k)), 1e-14)
		}
	}
}

// However often an example counts, a variance keeps its floor.
func TestReplicationsFloor(t *testing.T) {
	for _, kind := range allKinds {
		n := newNetwork(spec{Layers: []int{1, 2}, Output: ADF, Covariance: []Covariance{kind}, Replications: []float64{1e300}, paper: true})
		for k := range 3 {
			observe(n, []float64{2}, 0)
			_, cov := n.Weights(0)
			near(t, "variance", cov[0].At(0, 0), math.Pow(1e-3, float64(k+1)), 1e-12)
		}
	}
}
