package bnn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/check"
)

// The prediction of a network with one layer, against sampled weights and the
// labels they give under the probit with ρ = ½.
func TestPredictMonteCarlo(t *testing.T) {
	const samples = 40000
	rnd := rand.New(rand.NewPCG(9, 10))
	const lambda = 0.6
	n := newNetwork(t, spec{Layers: []int{2, 3}, Bias: true, Softmax: softmax.Probit{Lambda: lambda, Rho: 0.5}, Output: Joint, paper: true})
	randomWeights(t, n, rnd, 1)
	x := []float64{0.7, -1.1}
	var got Prediction
	predict(t, n, &got, x)
	mean, cov := n.Weights(0)
	y := []float64{x[0], x[1], 1}
	var root [3]mat.TriDense
	for j, s := range cov {
		var chol mat.Cholesky
		if !chol.Factorize(s) {
			t.Fatal("covariance is not positive definite")
		}
		chol.LTo(&root[j])
	}
	count := make([]float64, 3)
	for range samples {
		best, top := 0, math.Inf(-1)
		for j := range 3 {
			e := []float64{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}
			u := math.Sqrt(0.5) * rnd.NormFloat64()
			for a := range 3 {
				w := mean.At(j, a)
				for b := 0; b <= a; b++ {
					w += root[j].At(a, b) * e[b]
				}
				u += lambda * w * y[a]
			}
			if u > top {
				best, top = j, u
			}
		}
		count[best]++
	}
	for j, p := range got.P {
		if z := (count[j] - samples*p) / math.Sqrt(samples*p*(1-p)); !(math.Abs(z) < 5) {
			t.Errorf("class %d: %g of %d samples, %.1f standard errors from p = %g", j, count[j], samples, z, p)
		}
	}
}

// A hidden layer with one slope is linear: the network predicts as if its
// product with the mean of the next layer were one layer.
func TestLinearHiddenLayer(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	deep := newNetwork(t, spec{Layers: []int{2, 2, 3}, Alpha: 1, Beta: 1, Output: Joint, Hidden: Frozen, paper: true})
	randomWeights(t, deep, rnd, 1)
	m0, _ := deep.Weights(0)
	m1, cov := deep.Weights(1)
	flat := newNetwork(t, spec{Layers: []int{2, 3}, Output: Joint, paper: true})
	setWeights(t, flat, 0, m1, cov)
	x := []float64{0.3, 2}
	var h mat.VecDense
	h.MulVec(m0, mat.NewVecDense(2, x))
	var a, b Prediction
	predict(t, deep, &a, x)
	predict(t, flat, &b, h.RawVector().Data)
	for j := range 3 {
		near(t, "p", a.P[j], b.P[j], 1e-12)
		near(t, "variance", a.Variance[j], b.Variance[j], 1e-12)
	}
}

// The layers of a prediction have the moments that the weights give their inputs, and its
// members those of an ensemble.
func TestPredictionLayers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	covariance := []Covariance{Diagonal, Shared}
	n := newNetwork(t, spec{Layers: []int{2, 3, 2}, Bias: true, PriorMeanVar: 1, Covariance: covariance})
	for k := range 5 {
		if _, err := n.Observe([]float64{rnd.NormFloat64(), rnd.NormFloat64()}, k%2); err != nil {
			t.Fatal(err)
		}
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
	other, err := New(n.cfg, random.Source("bnn", "test"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := Combine(n, other)
	if err != nil {
		t.Fatal(err)
	}
	var both Prediction
	if err := e.Predict(&both, []float64{0.7, -1.1}); err != nil {
		t.Fatal(err)
	}
	if both.Layers != nil || both.Members[0].Layers[1].Mean[0] != p.Layers[1].Mean[0] {
		t.Errorf("layers of an ensemble: %+v", both.Layers)
	}
}
