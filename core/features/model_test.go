package features

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/check"
)

// Features of standardised inputs have means around 0 and variances around 1.
func TestStandard(t *testing.T) {
	m := check.Must(New(Relu, 10, 400, 3))
	rnd, y := rand.New(rand.NewPCG(1, 2)), make([]float64, 400)
	var sum, squares float64
	for range 500 {
		x := make([]float64, 10)
		for i := range x {
			x[i] = rnd.NormFloat64()
		}
		check.OK(t, m.Standard(y, x))
		for _, v := range y {
			sum, squares = sum+v/500/400, squares+v*v/500/400
		}
	}
	check.Near(t, "mean", sum, 0, 0.1)
	check.Near(t, "mean square", squares, 1, 0.15)
}

// A model behind a map is the model on the features, and refuses what is no input of the map.
func TestModel(t *testing.T) {
	network := func() *bnn.Network { return check.Must(bnn.New(bnn.Default(6, 2), random.Source("features"))) }
	m, want := Model{check.Must(New(Relu, 3, 6, 3)), network()}, network()
	x, y := []float64{1, -2, 0.5}, make([]float64, 6)
	check.OK(t, m.Standard(y, x))
	check.Must(m.Observe(x, 1))
	check.Must(want.Observe(y, 1))
	var p, q bnn.Prediction
	check.OK(t, m.Predict(&p, x))
	check.OK(t, want.Predict(&q, y))
	if in, out := m.Shape(); !slices.Equal(p.P, q.P) || in != 3 || out != 2 {
		t.Errorf("%v of %d inputs and %d classes; want %v", p.P, in, out, q.P)
	}
	for _, x := range [][]float64{{1, 2}, {1, 2, math.Inf(1)}} {
		if err := m.Predict(&p, x); err == nil || !math.IsNaN(p.P[0]) {
			t.Errorf("%v: error %v, prediction %v", x, err, p.P)
		}
		if u, err := m.Observe(x, 1); err == nil || u.Action != bnn.Refused {
			t.Errorf("%v: error %v, update %+v", x, err, u)
		}
	}
	check.OK(t, m.Predict(&p, []float64{1, -2, 0.5}))
	if !slices.Equal(p.P, q.P) {
		t.Errorf("what was refused has changed the model: %v, want %v", p.P, q.P)
	}
}
