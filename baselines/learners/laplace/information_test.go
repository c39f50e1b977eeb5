package laplace

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
)

// problemOf returns the problem that the model solves, for the prior variance v.
func problemOf(t *testing.T, m *Model, v float64, x [][]float64, class []int) *Problem {
	t.Helper()
	return problem(t, Prior{Layers: m.cfg.Layers, Bias: true, Var: m.network.PriorVar(v)}, x, class)
}

// At the mode of softmax regression the density is flat, and the mode is that of
// Newton's method. From that of hidden layers Newton's method goes on to a maximum
// that is hardly higher.
func TestClimb(t *testing.T) {
	x, class := clusters(80, "stationary")
	for _, v := range []float64{1e-3, 1, 1e3} {
		m := fit(t, Config{Layers: []int{3, 4}, PriorVar: v, Predictive: PlugIn}, x, class)
		p, w := problemOf(t, m, v, x, class), m.weights
		gradient := make([]float64, len(w))
		p.LogDensity(gradient, w)
		mode, err := p.Mode(make([]float64, len(w)))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range mode.Weights {
			sd := math.Sqrt(m.network.PriorVar(v)[i])
			if !(math.Abs(gradient[i])*sd < 1e-4) || !scalar.EqualWithinAbsOrRel(w[i], want, 1e-4*sd, 1e-4) {
				t.Errorf("variance %g: weight %d is %g with the gradient %g, by Newton's method %g", v, i, w[i], gradient[i], want)
			}
		}
	}
	m := fit(t, Config{Layers: []int{3, 6, 4}, Predictive: PlugIn}, x, class)
	p := problemOf(t, m, 1, x, class)
	at := p.LogDensity(nil, m.weights)
	mode, err := p.Mode(m.weights)
	if err != nil {
		t.Fatal(err)
	}
	if !(mode.LogDensity-at < 0.5) {
		t.Errorf("log density %g; Newton's method goes on to %g", at, mode.LogDensity)
	}
}

// The information of the last layer is a part of that of all.
func TestLastLayer(t *testing.T) {
	for _, examples := range []int{0, 3, 100} {
		x, class := clusters(examples, "information")
		for _, layers := range [][]int{{3, 4}, {3, 6, 4}} {
			m := fit(t, Config{Layers: layers, PriorVar: 0.7, Predictive: PlugIn}, x, class)
			n, offset := len(m.weights), m.network.Layers[len(layers)-2].Offset
			p, all, last := problemOf(t, m, 0.7, x, class), mat.NewSymDense(n, nil), mat.NewSymDense(n-offset, nil)
			p.Information(all, m.weights)
			p.lastLayer(last, m.weights)
			if want := all.SliceSym(offset, n); !mat.EqualApprox(last, want, 1e-10) {
				t.Errorf("%v, %d examples: last layer\n%.12g\nwant\n%.12g", layers, examples, mat.Formatted(last), mat.Formatted(want))
			}
		}
	}
}

// The covariance of the logits is J H⁻¹ Jᵀ with the Jacobian by finite differences
// and, for softmax regression, −H by finite differences of the log density.
func TestLogitCovariance(t *testing.T) {
	x, class := clusters(60, "covariance")
	at := []float64{0.3, -1.2, 2}
	for _, cfg := range configs() {
		m := fit(t, cfg, x, class)
		n, c := len(m.weights), m.network.Outputs()
		h := mat.NewSymDense(n, nil)
		p := problemOf(t, m, cfg.LaplaceVar, x, class)
		if len(cfg.Layers) == 2 {
			hessian := mat.NewDense(n, n, nil)
			fd.Jacobian(hessian, func(grad, w []float64) { p.LogDensity(grad, w) }, m.weights, &fd.JacobianSettings{Formula: fd.Central})
			for i := range n {
				for j := range i + 1 {
					h.SetSym(i, j, -hessian.At(i, j))
				}
			}
		} else {
			p.Information(h, m.weights)
		}
		offset := m.network.Layers[len(cfg.Layers)-2].Offset
		for i := range n {
			for j := range i {
				if cfg.Covariance == LastLayer && j < offset {
					h.SetSym(i, j, 0)
				}
			}
			if cfg.Covariance == LastLayer && i < offset {
				h.SetSym(i, i, 1e30)
			}
		}
		jacobian := mat.NewDense(c, n, nil)
		pass := m.network.NewPass()
		input := append(append([]float64(nil), at...), 1)
		fd.Jacobian(jacobian, func(z, w []float64) {
			m.network.Forward(pass, w, input)
			copy(z, pass.Logit)
		}, m.weights, &fd.JacobianSettings{Formula: fd.Central})
		var inverse, want mat.Dense
		if err := inverse.Solve(h, jacobian.T()); err != nil && cfg.Covariance != LastLayer {
			t.Fatal(err)
		}
		want.Mul(jacobian, &inverse)
		if err := m.forward(at); err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(m.logits.cov, &want, 1e-7) {
			t.Errorf("%s: covariance\n%.7g\nwant\n%.7g", cfg.name(), mat.Formatted(m.logits.cov), mat.Formatted(&want))
		}
		cfg.Predictive = PlugIn
		plain := predict(t, fit(t, cfg, x, class), at)
		m.network.Forward(pass, m.weights, input)
		mlp.Normalise(pass.Logit)
		if !floats.Equal(plain, pass.Logit) {
			t.Errorf("%s: plug-in probabilities %g, want %g", cfg.name(), plain, pass.Logit)
		}
	}
}

// An image does not depend on what was there before.
func TestImage(t *testing.T) {
	g, got := root{{2}, {3, 5}, {7, 11, 13}}, []float64{-1, -1, -1}
	for offset, want := range [][]float64{{2, 503, 1107}, {0, 5, 1311}} {
		if g.image(got, offset, []float64{1, 100}); !floats.Equal(got, want) {
			t.Errorf("offset %d: image %g, want %g", offset, got, want)
		}
	}
}
