package laplace

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"

	"closedform/core/bnn"
	"closedform/core/random"
)

// Every model and rule gives probabilities that add up to one, beats the uniform
// guess on clusters, and repeats itself to the last bit.
func TestPredict(t *testing.T) {
	x, class := clusters(200, 3, 4, 2, random.Source("laplace", "predict"))
	train, test := x[:120], x[120:]
	for _, cfg := range configs() {
		m, again := fit(t, cfg, train, class[:120]), fit(t, cfg, train, class[:120])
		for _, rule := range []Predictive{Probit, Pairwise, MonteCarlo, PlugIn} {
			view, other := with(t, m, rule), with(t, again, rule)
			var loss float64
			for k, at := range test {
				p := predict(t, view, at)
				if sum := floats.Sum(p); !scalar.EqualWithinAbs(sum, 1, 1e-12) || !(floats.Min(p) >= 0) {
					t.Fatalf("%s: probabilities %g with sum %g", view.cfg.name(), p, sum)
				}
				if q := predict(t, other, at); !slices.Equal(p, q) {
					t.Fatalf("%s: %g and again %g", view.cfg.name(), p, q)
				}
				loss -= math.Log(p[class[120+k]]) / float64(len(test))
			}
			if !(loss < 0.7*math.Log(4)) {
				t.Errorf("%s: log loss %g", view.cfg.name(), loss)
			}
		}
	}
}

// A view is what a fit with its configuration would be, and views do not disturb
// each other.
func TestWith(t *testing.T) {
	x, class := clusters(50, 3, 4, 1, random.Source("laplace", "with"))
	base := fit(t, Config{Layers: []int{3, 5, 4}, PriorVar: 3}, x, class)
	before := predict(t, base, x[0])
	for _, c := range []Covariance{LastLayer, Full, Diagonal} {
		for _, p := range []Predictive{Probit, Pairwise, MonteCarlo, PlugIn} {
			for _, v := range []float64{3, 0.1, 0} {
				view, err := base.With(c, p, v)
				if err != nil {
					t.Fatal(err)
				}
				direct := fit(t, Config{Layers: []int{3, 5, 4}, PriorVar: 3, Covariance: c, Predictive: p, LaplaceVar: v}, x, class)
				if v == 0 { // stands for PriorVar
					view, err = base.With(c, p, 3)
					if err != nil {
						t.Fatal(err)
					}
				}
				if got, want := predict(t, view, x[1]), predict(t, direct, x[1]); !slices.Equal(got, want) {
					t.Errorf("%v, %v, %g: %g by a view, %g by a fit", c, p, v, got, want)
				}
			}
		}
	}
	if after := predict(t, base, x[0]); !slices.Equal(before, after) {
		t.Errorf("views change the model: %g, then %g", before, after)
	}
}

// A prior that is sure of zero weights makes the uniform prediction, as does no
// data; and more data make the logits more certain.
func TestLimits(t *testing.T) {
	x, class := clusters(400, 3, 4, 1, random.Source("laplace", "limits"))
	uniform := []float64{0.25, 0.25, 0.25, 0.25}
	for _, cfg := range configs() {
		cfg.PriorVar, cfg.LaplaceVar = 1e-9, 0
		if p := predict(t, fit(t, cfg, x, class), x[0]); !floats.EqualApprox(p, uniform, 1e-4) {
			t.Errorf("%s: %g with a narrow prior", cfg.name(), p)
		}
		cfg.PriorVar = 1
		if p := predict(t, fit(t, cfg, nil, nil), x[0]); !floats.EqualApprox(p, uniform, 1e-3) {
			t.Errorf("%s: %g without examples", cfg.name(), p)
		}
		if len(cfg.Layers) > 2 {
			continue
		}
		last := math.Inf(1)
		for _, n := range []int{0, 10, 100, 400} {
			m := fit(t, cfg, x[:n], class[:n])
			if err := m.logits(x[0]); err != nil {
				t.Fatal(err)
			}
			c := m.scratch.cov
			v := c.At(0, 0) + c.At(1, 1) - 2*c.At(0, 1)
			if n == 0 && !scalar.EqualWithinRel(v, 2*(1+floats.Dot(x[0], x[0])), 1e-9) {
				t.Errorf("%s: variance %g of a difference of logits under the prior", cfg.name(), v)
			}
			if !(v < last) {
				t.Errorf("%s: variance %g of a difference of logits after %d examples, %g before", cfg.name(), v, n, last)
			}
			last = v
		}
	}
}

func TestPriorVar(t *testing.T) {
	for prior, scale := range map[bnn.Prior][2]float64{bnn.PaperPrior: {1, 1}, bnn.ScaledPrior: {1. / 2, 1. / 3}} {
		m := fit(t, Config{Layers: []int{1, 2, 2}, Prior: prior}, nil, nil)
		var want []float64
		for k := range 10 {
			want = append(want, 6*scale[min(k/4, 1)])
		}
		if got := m.cfg.priorVar(m.design.network, 6); !slices.Equal(got, want) {
			t.Errorf("%v: prior variances %g, want %g", prior, got, want)
		}
	}
}

// The classes of softmax regression have no order.
func TestPermutedClasses(t *testing.T) {
	x, class := clusters(100, 3, 4, 1, random.Source("laplace", "permuted"))
	order := []int{2, 0, 3, 1}
	var moved []int
	for _, c := range class {
		moved = append(moved, order[c])
	}
	for _, cfg := range configs()[:3] {
		for _, rule := range []Predictive{Probit, Pairwise, PlugIn} {
			cfg.Predictive = rule
			want, got := predict(t, fit(t, cfg, x, class), x[3]), predict(t, fit(t, cfg, x, moved), x[3])
			for c, p := range want {
				if !scalar.EqualWithinAbs(got[order[c]], p, 1e-6) {
					t.Errorf("%s: class %d has %g, and %g under another number", cfg.name(), c, p, got[order[c]])
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	x, class := clusters(10, 2, 3, 1, random.Source("laplace", "errors"))
	layers := []int{2, 3}
	for want, cfg := range map[string]Config{
		"Layers = [2]":              {Layers: []int{2}},
		"at least 1 neuron":         {Layers: []int{2, 0, 3}},
		"at least 2 classes":        {Layers: []int{2, 1}},
		"PriorVar = -1":             {Layers: layers, PriorVar: -1},
		"PriorVar = NaN":            {Layers: layers, PriorVar: math.NaN()},
		"LaplaceVar = +Inf":         {Layers: layers, LaplaceVar: math.Inf(1)},
		"Prior = Prior(5)":          {Layers: layers, Prior: bnn.Prior(5)},
		"Covariance = Covariance(3": {Layers: layers, Covariance: 3},
		"Predictive = Predictive(4": {Layers: layers, Predictive: 4},
		"Samples = 7":               {Layers: layers, Samples: 7},
		"Starts = -1":               {Layers: layers, Starts: -1},
	} {
		if _, err := Fit(cfg, x, class, random.Source()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %q", err, want)
		}
	}
	for want, bad := range map[string]struct {
		x     []float64
		class int
	}{
		"class 3":        {[]float64{0, 0}, 3},
		"class -1":       {[]float64{0, 0}, -1},
		"input 1 is NaN": {[]float64{0, math.NaN()}, 0},
	} {
		if _, err := Fit(Config{Layers: layers}, [][]float64{bad.x}, []int{bad.class}, random.Source()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %q", err, want)
		}
	}
	m := fit(t, Config{Layers: layers}, x, class)
	if _, err := m.With(Full, Probit, -1); err == nil {
		t.Error("With takes a negative variance")
	}
	p := make([]float64, 3)
	for _, at := range [][]float64{{0, math.Inf(1)}, {math.NaN(), 0}, {1e200, 1e200}} {
		if err := m.Predict(p, at); err == nil {
			t.Errorf("no error at %g, but %g", at, p)
		}
	}
	m.design.weights[0] = -1e10
	if err := with(t, m, PlugIn).Predict(p, []float64{1e300, 0}); err == nil {
		t.Errorf("no error for a logit of −1e310, but %g", p)
	}
	for name, f := range map[string]func(){
		"short input":         func() { _ = m.Predict(p, []float64{1}) },
		"short probabilities": func() { _ = m.Predict(p[:2], x[0]) },
		"short example":       func() { _, _ = Fit(Config{Layers: layers}, [][]float64{{1}}, []int{0}, random.Source()) },
		"missing class":       func() { _, _ = Fit(Config{Layers: layers}, x, class[1:], random.Source()) },
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "laplace: ") {
					t.Errorf("%s: no panic of this package", name)
				}
			}()
			f()
		}()
	}
}

func TestPredictAllocatesNothing(t *testing.T) {
	x, class := clusters(30, 3, 4, 1, random.Source("laplace", "allocations"))
	for _, cfg := range configs() {
		m := fit(t, cfg, x, class)
		for _, rule := range []Predictive{Probit, Pairwise, MonteCarlo, PlugIn} {
			view, p := with(t, m, rule), make([]float64, 4)
			if n := testing.AllocsPerRun(10, func() { _ = view.Predict(p, x[0]) }); n != 0 {
				t.Errorf("%s: %g allocations", view.cfg.name(), n)
			}
		}
	}
}

func BenchmarkFit(b *testing.B) {
	x, class := clusters(1500, 64, 10, 0.3, random.Source("laplace", "benchmark"))
	for _, layers := range [][]int{{64, 10}, {64, 50, 10}} {
		cfg := Config{Layers: layers}
		b.Run(cfg.name(), func(b *testing.B) {
			for b.Loop() {
				fit(b, cfg, x, class)
			}
		})
	}
}
