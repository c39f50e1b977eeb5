package dropout

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/internal/check"
)

func fit(cfg Config, x [][]float64, class []int) *Model {
	return check.Must(Fit(cfg, x, class, random.Source("fit")))
}

func TestLearner(t *testing.T) {
	for _, layers := range [][]int{{2, 3}, {2, 10, 3}, {2, 20, 12, 3}} {
		cfg := Config{Layers: layers, Descent: mlp.Descent{Epochs: 40, Step: 0.05}, Rate: 0.3}
		check.Learner(t, 0.1, func(x [][]float64, class []int, src rand.Source) (check.Predictor, error) {
			return Fit(cfg, x, class, src)
		})
	}
}

func TestExtremes(t *testing.T) {
	x, class, _ := check.Clusters(30, 2, 2, "extremes")
	cfg := Config{Layers: []int{2, 4, 2}, Descent: mlp.Descent{Epochs: 3}, Rate: 0.3}
	m := fit(cfg, x, class)
	if err := m.Predict(make([]float64, 2), []float64{1e308, 1e308}); err == nil {
		t.Error("logits that overflow were accepted")
	}
	check.Predict(t, m, 2, 1e8, -1e8)
	if _, err := Fit(cfg, [][]float64{{1e308, 1e308}, {-1e308, 1}}, []int{0, 1}, random.Source("far")); err == nil {
		t.Error("a training that overflows was accepted")
	}
	check.Predict(t, fit(cfg, nil, nil), 2, 1, 1)
}

func TestConfig(t *testing.T) {
	if got := (Config{}).WithDefaults(); got.Rate != 0.2 || got.Decay != 1e-3 || got.Step != 0.01 || got.Epochs != 100 {
		t.Errorf("defaults %+v", got)
	}
	check.Keys(t, map[string]Config{
		"rate":   {Rate: 1},
		"decay":  {Decay: math.NaN()},
		"step":   {Descent: mlp.Descent{Step: -1}},
		"epochs": {Descent: mlp.Descent{Epochs: -1}},
	})
	if _, err := Fit(Config{Layers: []int{1, 1}}, nil, nil, random.Source()); err == nil {
		t.Error("one class was accepted")
	}
}

// The gradient is that of the loss with the masks in place.
func TestGradient(t *testing.T) {
	x, class, _ := check.Clusters(7, 2, 3, "gradient")
	m := fit(Config{Layers: []int{2, 4, 3, 3}, Rate: 0.4, Decay: 0.3, Descent: mlp.Descent{Epochs: 2}}, x, class)
	data := check.Must(m.network.Examples(x, class))
	m.pass.Mask = m.masks[0]
	batch := []int{5, 0, 3}
	got := make([]float64, len(m.weights))
	m.gradient(got, data, class, batch, func() {})
	want := fd.Gradient(nil, func(w []float64) float64 {
		loss := 0.3 / 2 * floats.Dot(w, w)
		for _, k := range batch {
			m.network.Forward(m.pass, w, data[k])
			loss += (floats.LogSumExp(m.pass.Logit) - m.pass.Logit[class[k]]) / 3
		}
		return loss
	}, slices.Clone(m.weights), &fd.Settings{Formula: fd.Central})
	if !floats.EqualApprox(got, want, 1e-7) {
		t.Errorf("gradient %v, by differences %v", got, want)
	}
}

// The masks leave out units at the rate, and keep their mean.
func TestMasks(t *testing.T) {
	m := fit(Config{Layers: []int{1, 50, 20, 2}, Rate: 0.3, Descent: mlp.Descent{Epochs: 1}}, nil, nil)
	var out, n float64
	for _, masks := range m.masks {
		if masks[0] != nil || len(masks[1]) != 50 || len(masks[2]) != 20 {
			t.Fatalf("masks of %d, %d and %d units", len(masks[0]), len(masks[1]), len(masks[2]))
		}
		for _, f := range slices.Concat(masks[1], masks[2]) {
			if n++; f == 0 {
				out++
			} else if !(math.Abs(f*0.7-1) < 1e-15) {
				t.Fatalf("a factor of %g", f)
			}
		}
	}
	if z := (out/n - 0.3) / math.Sqrt(0.21/n); len(m.masks) != 100 || !(math.Abs(z) < 4) {
		t.Errorf("%d passes, %.4f of the units left out", len(m.masks), out/n)
	}
}

// A prediction is the mean over passes of the network with masks.
func TestPredict(t *testing.T) {
	x, class, _ := check.Clusters(40, 2, 3, "predict")
	m := fit(Config{Layers: []int{2, 6, 5, 3}, Rate: 0.5, Descent: mlp.Descent{Epochs: 5}}, x, class)
	want, pass := make([]float64, 3), m.network.NewPass()
	for _, masks := range m.masks {
		pass.Mask = masks
		m.network.Forward(pass, m.weights, []float64{1, -2, 1})
		mlp.Normalise(pass.Logit)
		floats.AddScaled(want, 1.0/passes, pass.Logit)
	}
	if got := check.Predict(t, m, 3, 1, -2); !floats.EqualApprox(got, want, 1e-14) {
		t.Errorf("%v, want %v", got, want)
	}
}
