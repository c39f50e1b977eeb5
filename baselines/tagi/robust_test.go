package tagi

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
)

func TestLearnsClusters(t *testing.T) {
	for _, unit := range []Unit{Linearised, Mixture} {
		m := newModel(t, Config{Layers: []int{4, 12, 8, 5}, Unit: unit, SigmaV: 0.3})
		seen, wrong := 0, 0
		p := make([]float64, 5)
		clusters("learn", 4, 5, 2000, func(x []float64, class int) {
			if seen++; seen <= 1500 {
				observe(t, m, x, class)
				return
			}
			if err := m.Predict(p, x); err != nil {
				t.Fatal(err)
			}
			near(t, "sum", floats.Sum(p), 1, 1e-14)
			if floats.MaxIdx(p) != class {
				wrong++
			}
		})
		if wrong > 100 {
			t.Errorf("%v: %d of 500 wrong", unit, wrong)
		}
		for l, w := range m.layers {
			prior := m.cfg.PriorVar / float64(w.In)
			for _, v := range w.Variance {
				if !(v > 0 && v <= prior*(1+1e-15)) {
					t.Fatalf("%v: variance %g in layer %d, prior %g", unit, v, l, prior)
				}
			}
		}
	}
}

// One hidden unit that many neurons speak for keeps a positive variance.
func TestHiddenVarianceStaysPositive(t *testing.T) {
	m := newModel(t, Config{Layers: []int{1, 1, 200, 2}, SigmaV: 1e-3, PriorMeanVar: 100, PriorVar: 1e-4})
	m.layers[0].Mean[0] = 3
	for k := range 40 {
		observe(t, m, []float64{1 + 0.1*float64(k%3)}, k%2)
		for l, w := range m.layers {
			if floats.Min(w.Variance) < 0 || floats.HasNaN(w.Variance) {
				t.Fatalf("step %d, layer %d: variances %v", k, l, w.Variance)
			}
		}
		for i, v := range m.layers[0].v {
			if after := v + v*v*m.layers[0].e[i]; !(after >= leastRatio*v*(1-1e-9)) {
				t.Errorf("step %d: variance of unit %d from %g to %g", k, i, v, after)
			}
		}
	}
}

// A backward pass whose neurons claim more than there is, by hand.
func TestBackwardFloorsAndCounts(t *testing.T) {
	above, below := newLayer(2, 3), newLayer(1, 1)
	below.v[0], below.slope = 2, []float64{1}
	copy(above.Mean, []float64{1, 1, 2})
	copy(above.d, []float64{1, 2, 3})
	copy(above.e, []float64{-0.1, -0.1, -0.05})
	if floored := above.backward(below); floored != 0 {
		t.Errorf("floored %d", floored)
	}
	near(t, "d", below.d[0], 9, 1e-15)
	near(t, "e", below.e[0], -0.4, 1e-15)
	copy(above.e, []float64{-0.3, -0.3, -0.3})
	if floored := above.backward(below); floored != 1 {
		t.Errorf("floored %d", floored)
	}
	near(t, "ṽ/v", 1+below.e[0]*below.v[0], leastRatio, 1e-12)
}

// Whatever is asked is answered with probabilities or with an error, which leaves
// the weights as they were.
func TestExtremes(t *testing.T) {
	for _, unit := range []Unit{Linearised, Mixture} {
		for _, prior := range []float64{1e-100, 1e-8, 1e8, 1e100} {
			for _, size := range []float64{0, 1e-300, 1e-150, 1e8, 1e20, 1e150, 1e300} {
				for _, noise := range []float64{1e-100, 1, 1e100} {
					m := newModel(t, Config{Layers: []int{2, 3, 3}, Unit: unit, PriorVar: prior, SigmaV: noise})
					name := fmt.Sprintf("%v, prior %g, size %g, noise %g:", unit, prior, size, noise)
					for k := range 10 {
						x := []float64{size * float64(k%3-1), size}
						before, _ := m.Weights(0)
						if err := m.Observe(x, k%3); err != nil {
							if after, _ := m.Weights(0); !mat.Equal(before, after) {
								t.Errorf("%s weights changed with error %v", name, err)
							}
						}
						for l, w := range m.layers {
							if bad := floats.Norm(w.Mean, 2) + floats.Norm(w.Variance, 2); !finite(bad) {
								t.Fatalf("%s layer %d: means %v, variances %v", name, l, w.Mean, w.Variance)
							}
						}
						p := make([]float64, 3)
						if err := m.Predict(p, x); err == nil {
							near(t, name+" sum", floats.Sum(p), 1, 1e-14)
						}
					}
				}
			}
		}
	}
}

func TestPrior(t *testing.T) {
	m := newModel(t, Config{Layers: []int{199, 100, 10}, PriorVar: 3, PriorMeanVar: 2})
	mean, variance := m.Weights(0)
	rows, in := mean.Dims()
	if rows != 100 || in != 200 {
		t.Fatalf("%d×%d", rows, in)
	}
	square := mat.Dot(mean.ColView(0), mean.ColView(0))
	for i := 1; i < in; i++ {
		square += mat.Dot(mean.ColView(i), mean.ColView(i))
	}
	near(t, "mean square", square/20000, 2./200, 6*math.Sqrt(2./20000)*2/200)
	near(t, "variance", variance.At(99, 199), 3./200, 1e-15)
	if nodes, _ := must(m.Weights(1)).Dims(); nodes != 11 {
		t.Errorf("%d outputs", nodes)
	}
	defaults := newModel(t, Config{Layers: []int{2, 2}}).cfg
	if defaults.SigmaV != 1 || defaults.SigmaP != 1./3 || defaults.PriorVar != 1 || defaults.PriorMeanVar != 1 {
		t.Errorf("defaults %+v", defaults)
	}
}

func must(mean, _ *mat.Dense) *mat.Dense { return mean }

func TestConfigErrors(t *testing.T) {
	for name, cfg := range map[string]Config{
		"layers":         {Layers: []int{2}},
		"layers [2 0 2]": {Layers: []int{2, 0, 2}},
		"2 classes":      {Layers: []int{2, 1}},
		"unit":           {Layers: []int{2, 2}, Unit: 7},
		"sigma_v":        {Layers: []int{2, 2}, SigmaV: -1},
		"sigma_p":        {Layers: []int{2, 2}, SigmaP: math.Inf(1)},
		"prior_var":      {Layers: []int{2, 2}, PriorVar: -1},
		"prior_mean_var": {Layers: []int{2, 2}, PriorMeanVar: math.NaN()},
	} {
		if _, err := New(cfg, random.Source("x")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestBadExamples(t *testing.T) {
	m := newModel(t, Config{Layers: []int{2, 2}})
	for _, err := range []error{
		m.Observe([]float64{0, 1}, 2),
		m.Observe([]float64{0, 1}, -1),
		m.Observe([]float64{0, math.NaN()}, 0),
		m.Predict(make([]float64, 2), []float64{math.Inf(1), 0}),
		m.Predict(make([]float64, 2), []float64{1e200, 0}),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "tagi: ") {
			t.Errorf("error %v", err)
		}
	}
	for name, f := range map[string]func(){
		"source": func() { _, _ = New(Config{Layers: []int{2, 2}}, nil) },
		"input":  func() { _ = m.Observe([]float64{1}, 0) },
		"p":      func() { _ = m.Predict(make([]float64, 3), []float64{1, 2}) },
		"layer":  func() { m.Weights(1) },
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "tagi: ") {
					t.Errorf("%s: panic %v", name, r)
				}
			}()
			f()
		}()
	}
}

func TestAllocatesNothing(t *testing.T) {
	m := newModel(t, Config{Layers: []int{4, 5, 3}})
	x, p := []float64{1, -1, 2, 0}, make([]float64, 3)
	if n := testing.AllocsPerRun(20, func() {
		_ = m.Observe(x, 2)
		_ = m.Predict(p, x)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	m := newModel(b, Config{Layers: []int{784, 100, 100, 10}})
	x := make([]float64, 784)
	for a := range x {
		x[a] = math.Sin(float64(a))
	}
	for k := 0; b.Loop(); k++ {
		observe(b, m, x, k%10)
	}
}
