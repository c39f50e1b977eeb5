package dropout

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"

	"closedform/baselines/mlp"
	"closedform/core/activation"
	"closedform/core/random"
)

// The gradient is that of the loss with the masks in place.
func TestGradient(t *testing.T) {
	x, class := clusters(7, 3, "gradient")
	m := fit(t, Config{Layers: []int{2, 4, 3, 3}, Rate: 0.4, WeightDecay: 0.3, Descent: mlp.Descent{Epochs: 2}}, x, class, "gradient")
	data, err := mlp.NewExamples(x, class, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	m.pass.Mask = m.masks[0]
	batch := []int{5, 0, 3}
	got := make([]float64, len(m.weights))
	m.gradient(got, data, batch, func() {})
	want := fd.Gradient(nil, func(w []float64) float64 {
		loss := 0.3 / 2 * floats.Dot(w, w)
		for _, k := range batch {
			m.network.Forward(m.pass, w, data.Input(k))
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
	m := fit(t, Config{Layers: []int{1, 50, 20, 2}, Rate: 0.3, Passes: 200, Descent: mlp.Descent{Epochs: 1}}, nil, nil, "masks")
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
	if z := (out/n - 0.3) / math.Sqrt(0.21/n); len(m.masks) != 200 || !(math.Abs(z) < 4) {
		t.Errorf("%d passes, %.4f of the units left out", len(m.masks), out/n)
	}
}

// A prediction is the mean over passes of the network with masks.
func TestPredict(t *testing.T) {
	x, class := clusters(40, 3, "predict")
	m := fit(t, Config{Layers: []int{2, 6, 5, 3}, Rate: 0.5, Passes: 30, Descent: mlp.Descent{Epochs: 5}}, x, class, "predict")
	want, pass := make([]float64, 3), m.network.NewPass()
	for _, masks := range m.masks {
		pass.Mask = masks
		m.network.Forward(pass, m.weights, []float64{1, -2, 1})
		mlp.Normalise(pass.Logit)
		floats.AddScaled(want, 1.0/30, pass.Logit)
	}
	if got := predict(t, m, 1, -2); !floats.EqualApprox(got, want, 1e-14) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Without dropout it is the plain network, and the passes make no difference.
func TestRateZero(t *testing.T) {
	x, class := clusters(40, 3, "plain")
	cfg := Config{Layers: []int{2, 6, 3}, WeightDecay: 0.01, Descent: mlp.Descent{Epochs: 5, Batch: 8, Rate: 0.02}}
	m := fit(t, cfg, x, class, "plain")
	plain := mlp.New(cfg.Layers, true, activation.PiecewiseLinear{Beta: 1})
	w, rnd := make([]float64, plain.Weights()), rand.New(random.Source("plain"))
	plain.Initialise(w, rnd)
	pass := plain.NewPass()
	cfg.Descent.Run(w, len(x), rnd, func(grad []float64, batch []int) {
		floats.AddScaled(grad, 0.01, w)
		for _, k := range batch {
			at := append(slices.Clone(x[k]), 1)
			plain.Forward(pass, w, at)
			copy(pass.Score, pass.Logit)
			mlp.Normalise(pass.Score)
			pass.Score[class[k]]--
			floats.Scale(1/float64(len(batch)), pass.Score)
			plain.Backward(pass, grad, w, at)
		}
	})
	plain.Forward(pass, w, []float64{0.3, -1, 1})
	mlp.Normalise(pass.Logit)
	if got := predict(t, m, 0.3, -1); !floats.EqualApprox(got, pass.Logit, 1e-14) {
		t.Errorf("%v, the plain network %v", got, pass.Logit)
	}
}
