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

// The gradient is that of the value, which TestAgainstQuadrature knows. The information is the negative Hessian
// by the weights of the last layer.
func TestLogDensity(t *testing.T) {
	for _, m := range shapes() {
		rnd := rand.New(random.Source("density"))
		name := fmt.Sprintf("%v, bias %t: ", m.Layers, m.Bias)
		for _, examples := range []int{0, 1, 20} {
			var x [][]float64
			var class []int
			for range examples {
				x = append(x, random.Normals(rnd, m.Layers[0]))
				class = append(class, rnd.IntN(m.Layers[len(m.Layers)-1]))
			}
			p, n := problem(m, x, class), len(m.Mean)
			w, gradient, hessian := random.Normals(rnd, n), make([]float64, n), mat.NewDense(n, n, nil)
			p.logDensity(gradient, w)
			check.NoAllocs(t, "a gradient", func() { p.logDensity(gradient, w) })
			density := func(at []float64) float64 { return p.logDensity(make([]float64, n), at) }
			slope := fd.Gradient(nil, density, w, &fd.Settings{Formula: fd.Central})
			check.NearAll(t, name+"derivative", gradient, slope, 1e-7)
			offset := p.network.Layers[len(m.Layers)-2].Offset
			got := mat.NewSymDense(n-offset, nil)
			p.information(got, w)
			score := func(g, w []float64) { p.logDensity(g, w) }
			fd.Jacobian(hessian, score, w, &fd.JacobianSettings{Formula: fd.Central})
			hessian.Scale(-1, hessian)
			check.NearMatrix(t, name+"information", got, hessian.Slice(offset, n, offset, n), 1e-7)
		}
	}
}
