package bnn

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/internal/check"
)

// A restored network predicts and learns to the last bit as the original does.
func TestRestore(t *testing.T) {
	rnd := rand.New(random.Source("bnn", "state"))
	for _, cfg := range []spec{
		{Layers: []int{3, 4}, OnIndefinite: Project},
		{Layers: []int{3, 5, 4}, Bias: true, Output: ADF, Hidden: Smooth, PriorMeanVar: 2},
		{Layers: []int{3, 5, 6, 4}, Bias: true, Output: ADFExact, Hidden: Smooth, Covariance: []Covariance{Diagonal, Full, Diagonal}, PriorMeanVar: 2},
		{Layers: []int{3, 5, 4}, Output: ADF, Bias: true, Hidden: SmoothMean, Covariance: []Covariance{Diagonal, Shared}, Replications: []float64{3, 0.5}, PriorScale: []float64{2, 3}, PriorMeanVar: 1},
		{Layers: []int{3, 2, 4}, Output: Total, OnIndefinite: Project, Covariance: []Covariance{Diagonal}, Alpha: 0.1, Beta: 1.5, PriorMeanVar: 1},
	} {
		n := newNetwork(cfg)
		example := func() ([]float64, int) {
			return []float64{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}, rnd.IntN(4)
		}
		for range 50 {
			n.Observe(example())
		}
		s := n.State()
		restored := check.Must(Restore(s))
		if again := restored.State(); !reflect.DeepEqual(again, s) {
			t.Errorf("%+v: state %+v after Restore", s, again)
		}
		still := check.Must(Restore(s))
		for k := range 50 {
			x, class := example()
			want, errWant := n.Observe(x, class)
			got, errGot := restored.Observe(x, class)
			if !same(got.LogP, want.LogP) || !same(got.MinVariance, want.MinVariance) || got.Action != want.Action || (errGot == nil) != (errWant == nil) {
				t.Fatalf("step %d: %+v, %v; want %+v, %v", k, got, errGot, want, errWant)
			}
			var p, q Prediction
			predict(t, n, &p, x)
			predict(t, restored, &q, x)
			if !samePrediction(&q, &p) {
				t.Fatalf("step %d: prediction %v; want %v", k, q.P, p.P)
			}
		}
		if !reflect.DeepEqual(still.State(), s) {
			t.Error("what the network learns changes its state of before")
		}
		if learned := n.State(); reflect.DeepEqual(learned, s) || !reflect.DeepEqual(restored.State(), learned) {
			t.Error("nothing was learned, or not the same")
		}
		s.Config.Layers[0]++
		s.Config.Covariance[0], s.Config.Replications[0], s.Config.PriorVar[0] = "9", 9, 9
		if got := n.State().Config; !reflect.DeepEqual(got, still.State().Config) {
			t.Errorf("what is done to the state changes the network: %+v", got)
		}
	}
}

func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func TestRestoreRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		alter func(*State)
		want  string
	}{
		"configuration": {func(s *State) { s.Config.Layers = nil }, "layers: []"},
		"depth":         {func(s *State) { s.Layers = s.Layers[:1] }, "need 2"},
		"no means":      {func(s *State) { s.Layers[0].Mean = nil }, "layer 0: has no means"},
		"mean shape":    {func(s *State) { s.Layers[0].Mean = mat.NewDense(2, 3, nil) }, "has 2×3 means; need 3×3"},
		"mean":          {func(s *State) { s.Layers[1].Mean.Set(1, 2, math.NaN()) }, "layer 1: row 1 of the means holds NaN"},
		"root shape":    {func(s *State) { s.Layers[0].Spread = mat.NewDense(3, 3, nil) }, "has 3×3 roots; need 9×3"},
		"root":          {func(s *State) { s.Layers[0].Spread.Set(8, 0, math.Inf(1)) }, "row 8 of the roots holds +Inf"},
		"overflow":      {func(s *State) { s.Layers[0].Spread.Set(8, 0, 1e200) }, "covariance of neuron 2 overflows"},
		"shared":        {func(s *State) { s.Config.Covariance[0] = Shared }, "has 9×3 roots; need 3×3"},
		"variance":      {func(s *State) { s.Layers[1].Spread.Set(1, 0, -1e-300) }, "neuron 1 has the variance -1e-300"},
	} {
		s := newNetwork(spec{Layers: []int{2, 3, 2}, Bias: true, Covariance: []Covariance{Full, Diagonal}, Output: Joint, Hidden: Frozen, paper: true}).State()
		test.alter(&s)
		check.Refuses(t, name, check.Err(Restore(s)), test.want)
	}
}
