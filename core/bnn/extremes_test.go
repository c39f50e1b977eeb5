package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/internal/kernel"
)

// pick returns one of its arguments.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// extremeConfig returns any configuration, with variances from 1e-300 to 1e300.
func extremeConfig(r *rand.Rand) spec {
	cfg := spec{
		Layers: []int{pick(r, 1, 2, 5), pick(r, 2, 3, 10)}, Bias: pick(r, true, false),
		Output: pick(r, outputRules...), Hidden: pick(r, SmoothMean, Smooth, Frozen),
		Covariance:   []Covariance{pick(r, Full, Diagonal, Shared)},
		OnIndefinite: pick(r, Fail, Skip, Project),
		PriorVar:     math.Pow(10, pick(r, 0., 0, 2, -8, 8, 16, -16, -100, 100, -300, 300)), paper: true,
		PriorMeanVar: math.Pow(10, pick(r, 0., 8, -8, 100, 200, 300)), Alpha: pick(r, 0, 0.1, 1), Beta: 1,
		Replications: pick(r, nil, []float64{1}, []float64{1e6}),
		Noise:        pick(r, nil, []float64{1e-9}, []float64{0.5}),
	}
	if cfg.Output == ADFExact && cfg.Layers[1] == 10 {
		cfg.Layers[1] = 3 // slow
	}
	if cfg.Output == Joint || cfg.Output == Total {
		probit := softmax.Probit{Lambda: 0.2, Rho: 0.1}
		cfg.Softmax = pick[softmax.Approximation](r, nil, softmax.Exact{Fast: true}, probit)
	}
	for range r.IntN(3) { // hidden layers
		cfg.Layers = append([]int{cfg.Layers[0], pick(r, 1, 4)}, cfg.Layers[1:]...)
	}
	for range cfg.Layers[1:] {
		cfg.PriorScale = append(cfg.PriorScale, math.Pow(10, pick(r, 0., 0, 0, -150, 150, -300, 300)))
	}
	return cfg
}

// extremeStream returns a stream of examples.
func extremeStream(r *rand.Rand, inputs, classes int) (name string, next func(x []float64) (class int)) {
	scale := math.Pow(10, pick(r, -8., 0, 8))
	same := make([]float64, inputs)
	for i := range same {
		same[i] = scale * r.NormFloat64()
	}
	name = pick(r, "scaled", "constant", "same", "contradictory", "mixed", "zero")
	return fmt.Sprintf("%s at %g", name, scale), func(x []float64) int {
		class := r.IntN(classes)
		for i := range x {
			switch name {
			case "constant":
				x[i] = scale
			case "same":
				x[i], class = same[i], 0
			case "contradictory":
				x[i] = same[i]
			case "zero":
				x[i] = 0
			case "mixed":
				x[i] = math.Pow(10, pick(r, -300., -8, 0, 8, 150, 300)) * r.NormFloat64()
			default:
				x[i] = scale * r.NormFloat64()
			}
		}
		return class
	}
}

// wrong says what a state has that no network may have. The rule Frozen can leave a
// variance of zero: in its linear part a unit with one input knows all of its output.
func wrong(s State) string {
	for l, layer := range s.Layers {
		good := kernel.Finite(layer.Mean.RawMatrix().Data...)
		rows, _ := layer.Spread.Dims()
		for i := range rows {
			row := layer.Spread.RawRowView(i)
			low, high := floats.Min(row), floats.Max(row)
			if s.Config.Covariance[l] != Diagonal { // a root, whose square may underflow
				low = floats.Norm(row, 2)
				high = low * low
			}
			good = good && high <= math.MaxFloat64 && (low > 0 || low == 0 && s.Config.Hidden == Frozen)
		}
		if !good {
			return fmt.Sprintf("weights of layer %d: %v", l, layer)
		}
	}
	return ""
}

func sameState(a, b State) bool { return reflect.DeepEqual(a.Layers, b.Layers) }

// After each update from a stream every variance is positive and every number finite, or there was an error and
// the network is what it was.
func TestUpdatesAtExtremes(t *testing.T) {
	for trial := range check.Torture(t, 40, 200, 2600) {
		r := rand.New(random.Source("bnn", "extremes", trial))
		cfg := extremeConfig(r)
		n, err := New(cfg.config(), r)
		if err != nil {
			continue // variances overflow or underflow
		}
		name, next := extremeStream(r, cfg.Layers[0], cfg.Layers[len(cfg.Layers)-1])
		updates := pick(r, append(slices.Repeat([]int{400}, 39), 10_000)...)
		if cfg.Output == ADFExact {
			updates /= 20 // slow
		}
		x, before := make([]float64, cfg.Layers[0]), n.State()
		var p Prediction
		problem := wrong(before)
		for k := 0; k < updates && problem == ""; k++ {
			_, err := n.Observe(x, next(x))
			after := n.State()
			problem = wrong(after)
			if err != nil && !sameState(before, after) {
				problem = "changed in spite of the error " + err.Error()
			}
			if err := n.Predict(&p, x); err == nil && !kernel.Finite(p.P...) {
				problem += fmt.Sprintf("; predicts %v", p.P)
			}
			before = after
		}
		if problem != "" {
			t.Fatalf("trial %d: %+v, %s: after the example %g: %s", trial, cfg, name, x, problem)
		}
	}
}

// What is left of a variance may be nothing, beside components of h whose squares underflow.
func TestCarlsonUnderflow(t *testing.T) {
	w := newTriangles(1, 4)
	w.carlson([]float64{1, 0, 1e-170, 0}, 0)
	check.NearAll(t, "keep", w.keep, []float64{0, 1, 1, 1}, 0)
	check.NearAll(t, "mix", w.mix, []float64{0, 0, 0, 0}, 0)
}
