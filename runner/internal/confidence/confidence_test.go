package confidence

import (
	"math"
	"testing"

	"closedform/internal/check"
)

// p is the share of the reference of the same group, the example itself included.
func TestCombine(t *testing.T) {
	by := func(values ...float64) map[Score][]float64 {
		return map[Score][]float64{Density: values, Ridge: values}
	}
	reference := Examples{by(3, 1, 2, 9), []int{0, 0, 0, 1}}
	got := Examples{by(2.5, 0, 2, 8), []int{0, 0, 0, 1}}.Combine([]Score{Density, Ridge}, reference)
	check.NearAll(t, "combined", got, []float64{2 * math.Log(3./4), 2 * math.Log(1./4), 2 * math.Log(3./4), 2 * math.Log(1./2)}, 1e-12)
}
