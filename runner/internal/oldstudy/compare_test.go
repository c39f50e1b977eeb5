package study

import (
	"math"
	"slices"
	"testing"
)

// Tabled values of the studentized range (Demšar 2006, Table 5, times √2).
func TestStudentizedRange(t *testing.T) {
	for k, want := range map[int]float64{1: 0, 2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164} {
		if got := studentizedRange(k) / math.Sqrt2; !(math.Abs(got-want) <= 1e-3) {
			t.Errorf("k = %d: %g, want %g", k, got, want)
		}
	}
}

func TestRanked(t *testing.T) {
	x := []float64{3, 1, math.NaN(), 3, math.Inf(1), math.NaN()}
	if got, want := ranked(x), []float64{2.5, 1, 5.5, 2.5, 4, 5.5}; !slices.Equal(got, want) {
		t.Errorf("ranks %v, want %v", got, want)
	}
}
