package bnn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Inputs of d equal components have one direction: a diagonal layer that counts
// every example d times keeps exactly the predictions of full covariances.
func TestReplicationsOfEqualInputs(t *testing.T) {
	const d = 7
	rnd := rand.New(rand.NewPCG(81, 1))
	full := newNetwork(t, spec{Layers: []int{d, 3}, Output: ADF, PriorVar: 0.5, paper: true})
	diagonal := newNetwork(t, spec{Layers: []int{d, 3}, Output: ADF, PriorVar: 0.5, Covariance: []Covariance{Diagonal}, Replications: []float64{d}, paper: true})
	x := make([]float64, d)
	var p, q Prediction
	for range 50 {
		size := 1 + rnd.Float64()
		for a := range x {
			x[a] = size
		}
		class := rnd.IntN(3)
		for _, n := range []*Network{full, diagonal} {
			observe(t, n, x, class)
		}
		predict(t, full, &p, x)
		predict(t, diagonal, &q, x)
		for j := range p.P {
			near(t, "mean", q.Mean[j], p.Mean[j], 1e-10)
			near(t, "variance", q.Variance[j], p.Variance[j], 1e-10)
		}
	}
}

// One step: what the covariances of a layer lose is multiplied, and nothing else
// changes, neither the means nor the other layers.
func TestReplicationsOfOneStep(t *testing.T) {
	times := []float64{2.5, 1, 0.4}
	for _, kind := range allKinds {
		cfg := spec{Layers: []int{3, 5, 4, 2}, Bias: true, Output: ADF, Hidden: Smooth, Covariance: []Covariance{kind}, PriorVar: 0.2, PriorMeanVar: 1, paper: true}
		plain := newNetwork(t, cfg)
		cfg.Replications = times
		counted := newNetwork(t, cfg)
		for _, n := range []*Network{plain, counted} {
			observe(t, n, []float64{1, -0.5, 2}, 1)
		}
		for l, k := range times {
			mean, cov := plain.Weights(l)
			gotMean, gotCov := counted.Weights(l)
			if !mat.EqualApprox(gotMean, mean, 1e-14) {
				t.Errorf("%v, layer %d: means\n%v\nwant\n%v", kind, l, mat.Formatted(gotMean), mat.Formatted(mean))
			}
			for j, s := range cov {
				for a := range s.SymmetricDim() {
					for b := range a + 1 {
						prior := 0.0
						if a == b {
							prior = 0.2
						}
						near(t, "loss of covariance", prior-gotCov[j].At(a, b), k*(prior-s.At(a, b)), 1e-14)
					}
				}
			}
		}
	}
}

// However often an example counts, a variance keeps its floor.
func TestReplicationsFloor(t *testing.T) {
	for _, kind := range allKinds {
		n := newNetwork(t, spec{Layers: []int{1, 2}, Output: ADF, Covariance: []Covariance{kind}, Replications: []float64{1e300}, paper: true})
		for k := range 3 {
			observe(t, n, []float64{2}, 0)
			_, cov := n.Weights(0)
			near(t, "variance", cov[0].At(0, 0), math.Pow(1e-3, float64(k+1)), 1e-12)
		}
	}
}
