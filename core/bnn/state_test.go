package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// A restored network predicts and learns to the last bit as the original does.
func TestRestore(t *testing.T) {
	rnd := rand.New(random.Source("bnn", "state"))
	for _, cfg := range networks() {
		n := newNetwork(cfg)
		example := func() ([]float64, int) { return normals(rnd, 13), rnd.IntN(3) }
		for range 50 {
			n.Observe(example())
		}
		s := n.State()
		restored, still := check.Must(Restore(s)), check.Must(Restore(s))
		for k := range 50 {
			x, class := example()
			want, errWant := n.Observe(x, class)
			got, errGot := restored.Observe(x, class)
			if fmt.Sprint(got, errGot) != fmt.Sprint(want, errWant) {
				t.Fatalf("step %d: %+v, %v; want %+v, %v", k, got, errGot, want, errWant)
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

func TestRestoreRefuses(t *testing.T) {
	for want, alter := range map[string]func(*State){
		"Layers: []":                          func(s *State) { s.Config.Layers = nil },
		"need 2":                              func(s *State) { s.Layers = s.Layers[:1] },
		"layer 0: need means of 3×3":          func(s *State) { s.Layers[0].Mean = nil },
		"need means of 2×4 and spread of 2×4": func(s *State) { s.Layers[1].Mean = mat.NewDense(2, 3, nil) },
		"layer 1: row 1 of the means":         func(s *State) { s.Layers[1].Mean.Set(1, 2, math.NaN()) },
		"and spread of 9×3":                   func(s *State) { s.Layers[0].Spread = mat.NewDense(3, 3, nil) },
		"layer 0: row 8 of the spread":        func(s *State) { s.Layers[0].Spread.Set(8, 0, math.Inf(1)) },
		"layer 0: row 7 of the spread":        func(s *State) { s.Layers[0].Spread.Set(7, 0, 1e200) },
		"and spread of 3×3":                   func(s *State) { s.Config.Covariance[0] = Shared },
		"layer 1: row 1 of the spread":        func(s *State) { s.Layers[1].Spread.Set(1, 0, -1e-300) },
	} {
		s := newNetwork(spec{Layers: []int{2, 3, 2}, Bias: true, Covariance: []Covariance{Full, Diagonal}}).State()
		alter(&s)
		check.Refuses(t, want, check.Err(Restore(s)), want)
	}
}
