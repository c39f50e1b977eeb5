package variational

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"

	"closedform/baselines/mlp"
	"closedform/core/random"
	"closedform/internal/check"
)

// The gradient is that of the log density by the variables of the ascent, in which
// the curvature is not above 1.
func TestAscentGradient(t *testing.T) {
	x, class, _ := check.Clusters(12, 2, 3, "gradient")
	data, err := mlp.NewExamples(x, class, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(random.Source("point"))
	var unit scatter
	if err := unit.set(data, 3, curvature); err != nil {
		t.Fatal(err)
	}
	a := newAscent(3, 3, data, &unit)
	for range 3 {
		at, direction := make([]float64, 9), make([]float64, 9)
		for i := range at {
			at[i], direction[i] = rnd.NormFloat64(), rnd.NormFloat64()
		}
		value := func(t []float64) float64 { a.moveTo(t); return a.value }
		want := fd.Gradient(nil, value, at, &fd.Settings{Formula: fd.Central, Step: 1e-4})
		a.moveTo(at)
		if got := a.grad.RawMatrix().Data; !floats.EqualApprox(got, want, 1e-6) {
			t.Errorf("gradient %v, by differences %v", got, want)
		}
		floats.Scale(1/floats.Norm(direction, 2), direction)
		along := func(s float64) float64 { return value(floats.AddScaledTo(make([]float64, 9), at, s, direction)) }
		second := fd.Derivative(along, 0, &fd.Settings{Formula: fd.Central2nd, Step: 1e-3})
		if !(second < 0 && second > -1.001) {
			t.Errorf("curvature %g", -second)
		}
	}
}
