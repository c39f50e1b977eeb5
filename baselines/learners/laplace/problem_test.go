package laplace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/internal/check"
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
		at := make([]float64, m.Layers[0])
		for a := range at {
			at[a] = rnd.NormFloat64()
		}
		x, class = append(x, at), append(class, rnd.IntN(m.Layers[len(m.Layers)-1]))
	}
	for range mlp.New(m.Layers, m.Bias).Weights() {
		w = append(w, rnd.NormFloat64())
	}
	return x, class, w
}

// naive is LogDensity written down from the definition.
func naive(m Prior, x [][]float64, class []int, w []float64) float64 {
	var log float64
	for i, v := range w {
		log += distuv.Normal{Mu: m.Mean[i], Sigma: math.Sqrt(m.Var[i])}.LogProb(v)
	}
	for k, y := range x {
		rest := w
		for l, out := range m.Layers[1:] {
			if m.Bias {
				y = append(append([]float64(nil), y...), 1)
			}
			z := make([]float64, out)
			for j := range z {
				z[j] = floats.Dot(rest[:len(y)], y)
				if rest = rest[len(y):]; l < len(m.Layers)-2 {
					z[j] = max(0, z[j])
				}
			}
			y = z
		}
		log += y[class[k]] - floats.LogSumExp(y)
	}
	return log
}

func TestLogDensity(t *testing.T) {
	for _, m := range shapes() {
		rnd := rand.New(random.Source("density"))
		for _, n := range []int{0, 1, 20} {
			x, class, w := randomData(m, n, rnd)
			p := problem(m, x, class)
			want := naive(m, x, class, w)
			if got := p.LogDensity(nil, w); !scalar.EqualWithinAbsOrRel(got, want, 1e-12, 1e-13) {
				t.Errorf("%v, bias %t, %d examples: %.15g, want %.15g", m.Layers, m.Bias, n, got, want)
			}
			gradient := make([]float64, len(w))
			if value := p.LogDensity(gradient, w); value != p.LogDensity(nil, w) {
				t.Errorf("%v: the gradient changes the value", m.Layers)
			}
			check.NoAllocs(t, "a gradient", func() { p.LogDensity(gradient, w) })
			density := func(w []float64) float64 { return p.LogDensity(nil, w) }
			slope := fd.Gradient(nil, density, w, &fd.Settings{Formula: fd.Central})
			check.NearAll(t, fmt.Sprintf("%v, bias %t: derivative", m.Layers, m.Bias), gradient, slope, 1e-7)
		}
	}
}

// A mode of one parameter, in closed form by bisection of its equation.
func TestModeInClosedForm(t *testing.T) {
	// d = w_0 − w_1 has prior N(0, 2): d/2 = x (1 − σ(dx)) at the mode.
	const x = 3
	lo, hi := 0.0, 10.0
	for range 100 {
		if d := (lo + hi) / 2; d/2 < x/(1+math.Exp(d*x)) {
			lo = d
		} else {
			hi = d
		}
	}
	p := problem(Prior{Layers: []int{1, 2}}, [][]float64{{x}}, []int{0})
	check.NearAll(t, "mode", check.Must(p.Climb([]float64{0, 0}, LinearSteps)), []float64{lo / 2, -lo / 2}, 1e-6)
	p = problem(Prior{Layers: []int{1, 2}}, [][]float64{{1e200}}, []int{0})
	check.Refuses(t, "overflow", check.Err(p.Climb([]float64{1e150, 0}, LinearSteps)), "laplace: ")
}

// The information is the negative Hessian of the log density by the weights of the last layer.
func TestInformation(t *testing.T) {
	for _, m := range shapes() {
		x, class, w := randomData(m, 6, rand.New(random.Source("information")))
		p := problem(m, x, class)
		n, offset := len(w), p.network.Layers[len(m.Layers)-2].Offset
		got := mat.NewSymDense(n-offset, nil)
		p.Information(got, w)
		hessian := mat.NewDense(n, n, nil)
		fd.Jacobian(hessian, func(g, w []float64) { p.LogDensity(g, w) }, w, &fd.JacobianSettings{Formula: fd.Central})
		hessian.Scale(-1, hessian)
		check.NearMatrix(t, fmt.Sprintf("%v, bias %t: information", m.Layers, m.Bias), got, hessian.Slice(offset, n, offset, n), 1e-7)
	}
}

// The covariance of the logits is J H⁻¹ Jᵀ, the derivatives of logit j by the weights of neuron
// j being the features.
func TestLogitCovariance(t *testing.T) {
	x, class := clusters(60, "covariance")
	for _, cfg := range configs() {
		m := fit(cfg, x, class)
		check.OK(t, m.Predict(make([]float64, m.network.Outputs()), []float64{0.3, -1.2, 2}))
		features := m.pass.Input(len(cfg.Layers) - 2)
		c, in := m.network.Outputs(), len(features)
		jacobian, h := mat.NewDense(c, c*in, nil), mat.NewSymDense(c*in, nil)
		for j := range c {
			copy(jacobian.RawRowView(j)[j*in:], features)
		}
		var inverse, want mat.Dense
		prior := Prior{Layers: cfg.Layers, Bias: true, Var: m.network.PriorVar(cfg.LaplaceVar)}
		problem(prior, x, class).Information(h, m.weights)
		check.OK(t, inverse.Solve(h, jacobian.T()))
		want.Mul(jacobian, &inverse)
		check.NearMatrix(t, cfg.name(), m.logits.cov, &want, 1e-9)
	}
}
