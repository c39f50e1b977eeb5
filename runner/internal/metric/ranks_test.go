package metric

import (
	"fmt"
	"math"
	"testing"

	check "closedform/internal/checktest"
)

func TestRanks(t *testing.T) {
	nan := math.NaN()
	check.Equal(t, "ranks", Ranks([]float64{3, 1, nan, 3 - 1e-14, math.Inf(1), nan}),
		[]float64{2.5, 1, 5.5, 2.5, 4, 5.5})
}

// Tabled values of the studentized range (Demšar 2006, Table 5, times √2).
func TestStudentizedRange(t *testing.T) {
	for k, want := range []float64{1: 0, 1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164} {
		check.Near(t, fmt.Sprint("k = ", k), StudentizedRange(k)/math.Sqrt2, want, 1e-3)
	}
}
