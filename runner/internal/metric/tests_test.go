package metric

import (
	"math"
	"testing"

	"closedform/internal/check"
)

// By hand; what is not a number counts among the tests.
func TestHolm(t *testing.T) {
	check.NearAll(t, "p", Holm([]float64{0.01, 0.04, 0.03, 0.005}), []float64{0.03, 0.06, 0.06, 0.02}, 1e-15)
	if all := Holm([]float64{math.NaN(), 0.01}); !math.IsNaN(all[0]) || all[1] != 0.02 {
		t.Errorf("with a gap %v", all)
	}
}

func TestTotalVariation(t *testing.T) {
	check.Near(t, "total variation", TotalVariation([]float64{1, 0, 0}, []float64{0.5, 0.2, 0.3}), 0.5, 1e-15)
}
