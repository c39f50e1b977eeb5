package bnn

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/internal/check"
)

// The layers of a prediction have the moments that the weights give their inputs, and its
// members those of an ensemble.
func TestPredictionLayers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	covariance := []Covariance{Diagonal, Shared}
	n := newNetwork(spec{Layers: []int{2, 3, 2}, Bias: true, PriorMeanVar: 1, Covariance: covariance})
	for k := range 5 {
		check.Must(n.Observe([]float64{rnd.NormFloat64(), rnd.NormFloat64()}, k%2))
	}
	var p Prediction
	predict(t, n, &p, []float64{9, 9})
	predict(t, n, &p, []float64{0.7, -1.1})
	if len(p.Layers) != 2 || p.Layers[0].Input[0] != 0.7 || len(p.Layers[1].Input) != 3 {
		t.Fatalf("%+v", p.Layers)
	}
	for l, layer := range p.Layers {
		y := mat.NewVecDense(len(layer.Input)+1, append(append([]float64{}, layer.Input...), 1))
		mean, cov := n.Weights(l)
		for j := range cov {
			check.Near(t, "mean", layer.Mean[j], mat.Dot(mean.RowView(j), y), 1e-12)
			check.Near(t, "variance", layer.Variance[j], mat.Inner(y, cov[j], y), 1e-12)
		}
	}
	other := check.Must(New(n.cfg, random.Source("bnn", "test")))
	e := check.Must(Combine(n, other))
	var both Prediction
	check.OK(t, e.Predict(&both, []float64{0.7, -1.1}))
	if both.Layers != nil || both.Members[0].Layers[1].Mean[0] != p.Layers[1].Mean[0] {
		t.Errorf("layers of an ensemble: %+v", both.Layers)
	}
}
