package laplace

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/internal/check"
)

// problemOf returns the problem that the model solves, for the prior variance v.
func problemOf(t *testing.T, m *Model, v float64, x [][]float64, class []int) *Problem {
	t.Helper()
	return problem(Prior{Layers: m.cfg.Layers, Bias: true, Var: m.network.PriorVar(v)}, x, class)
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
		if want := hessian.Slice(offset, n, offset, n); !mat.EqualApprox(got, want, 1e-7) {
			t.Errorf("%v, bias %t: information\n%.7g\nwant\n%.7g", m.Layers, m.Bias, mat.Formatted(got), mat.Formatted(want))
		}
	}
}

// The covariance of the logits is J H⁻¹ Jᵀ, the derivatives of logit j by the weights of neuron
// j being the features.
func TestLogitCovariance(t *testing.T) {
	x, class := clusters(60, "covariance")
	for _, cfg := range configs() {
		m := fit(cfg, x, class)
		check.OK(t, m.forward([]float64{0.3, -1.2, 2}))
		features := m.pass.Input(len(cfg.Layers) - 2)
		c, in := m.network.Outputs(), len(features)
		jacobian, h := mat.NewDense(c, c*in, nil), mat.NewSymDense(c*in, nil)
		for j := range c {
			copy(jacobian.RawRowView(j)[j*in:], features)
		}
		var inverse, want mat.Dense
		problemOf(t, m, cfg.LaplaceVar, x, class).Information(h, m.weights)
		check.OK(t, inverse.Solve(h, jacobian.T()))
		if want.Mul(jacobian, &inverse); !mat.EqualApprox(m.logits.cov, &want, 1e-9) {
			t.Errorf("%s: covariance\n%.7g\nwant\n%.7g", cfg.name(), mat.Formatted(m.logits.cov), mat.Formatted(&want))
		}
	}
}
