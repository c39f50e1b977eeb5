package dropout

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/mlp"
	"closedform/core/random"
)

// clusters returns n examples of Gaussian classes in a plane.
func clusters(n, classes int, path ...any) (x [][]float64, class []int) {
	rnd := rand.New(random.Source(append(path, "clusters")...))
	for range n {
		c := rnd.IntN(classes)
		angle := 2 * math.Pi * float64(c) / float64(classes)
		x = append(x, []float64{2*math.Cos(angle) + rnd.NormFloat64(), 2*math.Sin(angle) + rnd.NormFloat64()})
		class = append(class, c)
	}
	return x, class
}

func fit(t *testing.T, cfg Config, x [][]float64, class []int, path ...any) *Model {
	t.Helper()
	m, err := Fit(cfg, x, class, random.Source(path...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func predict(t *testing.T, m *Model, x ...float64) []float64 {
	t.Helper()
	p := make([]float64, m.cfg.Layers[len(m.cfg.Layers)-1])
	if err := m.Predict(p, x); err != nil {
		t.Fatal(err)
	}
	if sum := floats.Sum(p); !(math.Abs(sum-1) < 1e-12) {
		t.Errorf("probabilities %v add up to %g", p, sum)
	}
	return p
}

// logLoss returns the mean of −log p of the classes.
func logLoss(t *testing.T, m *Model, x [][]float64, class []int) float64 {
	t.Helper()
	var sum float64
	for k, at := range x {
		sum -= math.Log(predict(t, m, at...)[class[k]])
	}
	return sum / float64(len(x))
}

// Equal sources make equal models and other sources others; a model predicts the same
// each time.
func TestDeterministic(t *testing.T) {
	x, class := clusters(50, 3, "deterministic")
	cfg := Config{Layers: []int{2, 5, 3}, Descent: mlp.Descent{Epochs: 5}, Rate: 0.3}
	a, b, c := fit(t, cfg, x, class, 1), fit(t, cfg, x, class, 1), fit(t, cfg, x, class, 2)
	p := predict(t, a, 0.5, 1)
	if q := predict(t, b, 0.5, 1); !slices.Equal(p, q) {
		t.Errorf("%v and %v from equal sources", p, q)
	}
	if q := predict(t, c, 0.5, 1); slices.Equal(p, q) {
		t.Errorf("%v from different sources", p)
	}
	predict(t, a, -4, 2)
	if q := predict(t, a, 0.5, 1); !slices.Equal(p, q) {
		t.Errorf("%v, again %v", p, q)
	}
	if n := testing.AllocsPerRun(10, func() { _ = a.Predict(p, x[0]) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

// Classes are learnt whatever their names are, with any number of layers.
func TestLearns(t *testing.T) {
	x, class := clusters(300, 3, "learns")
	to := []int{2, 0, 1}
	renamed := make([]int, len(class))
	for k, c := range class {
		renamed[k] = to[c]
	}
	for _, layers := range [][]int{{2, 3}, {2, 10, 3}, {2, 20, 12, 3}} {
		cfg := Config{Layers: layers, Descent: mlp.Descent{Epochs: 40, Rate: 0.05}, Rate: 0.3}
		test, truth := clusters(500, 3, "test")
		var best float64 // the logits of the classes are their centres times x
		for k, at := range test {
			z := make([]float64, 3)
			for c := range z {
				angle := 2 * math.Pi * float64(c) / 3
				z[c] = 2 * (math.Cos(angle)*at[0] + math.Sin(angle)*at[1])
			}
			best += (floats.LogSumExp(z) - z[truth[k]]) / 500
		}
		loss := logLoss(t, fit(t, cfg, x, class, "learns"), test, truth)
		for k, c := range truth {
			truth[k] = to[c]
		}
		other := logLoss(t, fit(t, cfg, x, renamed, "learns"), test, truth)
		if !(loss < best+0.1 && other < best+0.1) {
			t.Errorf("%v: log loss %.3f, with renamed classes %.3f, best possible %.3f", layers, loss, other, best)
		}
	}
}

func TestExtremes(t *testing.T) {
	x, class := clusters(30, 2, "extremes")
	cfg := Config{Layers: []int{2, 4, 2}, Descent: mlp.Descent{Epochs: 3}, Rate: 0.3}
	m := fit(t, cfg, x, class, "extremes")
	p := make([]float64, 2)
	for _, far := range []float64{math.NaN(), math.Inf(1), 1e308} {
		if err := m.Predict(p, []float64{far, far}); err == nil {
			t.Errorf("input %g was accepted: %v", far, p)
		}
	}
	predict(t, m, 1e8, -1e8)
	predict(t, m, 0, 0)
	if _, err := Fit(cfg, [][]float64{{1e308, 1e308}, {-1e308, 1}}, []int{0, 1}, random.Source("far")); err == nil {
		t.Error("a training that overflows was accepted")
	}
	// Without examples, and with one.
	predict(t, fit(t, cfg, nil, nil, "none"), 1, 1)
	predict(t, fit(t, cfg, x[:1], class[:1], "one"), 1, 1)
}

func TestErrors(t *testing.T) {
	layers := []int{1, 2, 2}
	for _, test := range []struct {
		field string
		cfg   Config
	}{
		{"Layers", Config{}},
		{"Layers", Config{Layers: []int{1, 1}}},
		{"Rate", Config{Layers: layers, Rate: 1}},
		{"Rate", Config{Layers: layers, Rate: math.NaN()}},
		{"WeightDecay", Config{Layers: layers, WeightDecay: -1}},
		{"Passes", Config{Layers: layers, Passes: -1}},
		{"Descent.Rate", Config{Layers: layers, Descent: mlp.Descent{Rate: -1}}},
	} {
		_, err := Fit(test.cfg, [][]float64{{1}}, []int{0}, random.Source())
		if err == nil || !strings.HasPrefix(err.Error(), "dropout: "+test.field) {
			t.Errorf("%+v: error %v does not name %s", test.cfg, err, test.field)
		}
	}
	cfg := Config{Layers: layers, Descent: mlp.Descent{Epochs: 1}}
	if _, err := Fit(cfg, [][]float64{{1}}, []int{2}, random.Source()); err == nil || !strings.Contains(err.Error(), "example 0: class 2") {
		t.Errorf("class 2: %v", err)
	}
	m := fit(t, cfg, [][]float64{{1}}, []int{0})
	for name, f := range map[string]func(){
		"source":   func() { _, _ = Fit(cfg, nil, nil, nil) },
		"examples": func() { _, _ = Fit(cfg, [][]float64{{1}}, nil, random.Source()) },
		"p":        func() { _ = m.Predict(make([]float64, 3), []float64{1}) },
		"x":        func() { _ = m.Predict(make([]float64, 2), []float64{1, 2}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a bad %s was accepted", name)
				}
			}()
			f()
		}()
	}
}
