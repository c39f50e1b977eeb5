package laplace

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

// shapes are models of all kinds: with and without bias and hidden layers.
func shapes() []Prior {
	var models []Prior
	for _, layers := range [][]int{{1, 2}, {2, 3}, {3, 1, 2}, {2, 4, 3}, {2, 3, 5, 4}} {
		for _, bias := range []bool{false, true} {
			m := Prior{Layers: layers, Bias: bias}
			rnd := rand.New(random.Source("shapes", len(models)))
			for range mlp.New(m.Layers, m.Bias).Weights() {
				m.Mean = append(m.Mean, rnd.NormFloat64())
				m.Var = append(m.Var, rnd.ExpFloat64()+0.1)
			}
			models = append(models, m)
		}
	}
	return models
}

// randomData returns n examples for the model, and a weight vector.
func randomData(m Prior, n int, rnd *rand.Rand) (x [][]float64, class []int, w []float64) {
	for range n {
		x = append(x, random.Normals(rnd, m.Layers[0]))
		class = append(class, rnd.IntN(m.Layers[len(m.Layers)-1]))
	}
	return x, class, random.Normals(rnd, mlp.New(m.Layers, m.Bias).Weights())
}

// The gradient is that of the value, which TestAgainstQuadrature knows.
func TestLogDensity(t *testing.T) {
	for _, m := range shapes() {
		rnd := rand.New(random.Source("density"))
		for _, n := range []int{0, 1, 20} {
			x, class, w := randomData(m, n, rnd)
			p := problem(m, x, class)
			gradient := make([]float64, len(w))
			p.logDensity(gradient, w)
			check.NoAllocs(t, "a gradient", func() { p.logDensity(gradient, w) })
			density := func(at []float64) float64 { return p.logDensity(make([]float64, len(w)), at) }
			slope := fd.Gradient(nil, density, w, &fd.Settings{Formula: fd.Central})
			check.NearAll(t, fmt.Sprintf("%v, bias %t: derivative", m.Layers, m.Bias), gradient, slope, 1e-7)
		}
	}
}

// The information is the negative Hessian of the log density by the weights of the last layer.
func TestInformation(t *testing.T) {
	for _, m := range shapes() {
		x, class, w := randomData(m, 6, rand.New(random.Source("information")))
		p := problem(m, x, class)
		n, offset := len(w), p.network.Layers[len(m.Layers)-2].Offset
		got := mat.NewSymDense(n-offset, nil)
		p.information(got, w)
		hessian := mat.NewDense(n, n, nil)
		gradient := func(g, w []float64) { p.logDensity(g, w) }
		fd.Jacobian(hessian, gradient, w, &fd.JacobianSettings{Formula: fd.Central})
		hessian.Scale(-1, hessian)
		name := fmt.Sprintf("%v, bias %t: information", m.Layers, m.Bias)
		check.NearMatrix(t, name, got, hessian.Slice(offset, n, offset, n), 1e-7)
	}
}
