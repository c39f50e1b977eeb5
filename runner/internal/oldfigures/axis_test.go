package figures

import (
	"math"
	"slices"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		lo, hi float64
		want   []string
	}{
		{-2, 2, []string{"−2", "−1", "0", "1", "2"}},
		{0, 1, []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{0, 0.25, []string{"0", "0.05", "0.10", "0.15", "0.20", "0.25"}},
		{-0.01, 0.31, []string{"0", "0.1", "0.2", "0.3"}},
		{0, 3e-5, []string{"0", "1×10⁻⁵", "2×10⁻⁵", "3×10⁻⁵"}},
		{0, 2e6, []string{"0", "0.5×10⁶", "1.0×10⁶", "1.5×10⁶", "2.0×10⁶"}},
		{-1e-3, 0, []string{"−0.0010", "−0.0008", "−0.0006", "−0.0004", "−0.0002", "0"}},
		{0.3, 0.9, []string{"0.4", "0.6", "0.8"}},
	} {
		ts := ticks(test.lo, test.hi, 5)
		var got []string
		for _, tick := range ts {
			got = append(got, tick.label)
			if !(tick.at >= test.lo-1e-9*(test.hi-test.lo) && tick.at <= test.hi+1e-9*(test.hi-test.lo)) {
				t.Errorf("[%g, %g]: tick at %g", test.lo, test.hi, tick.at)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("[%g, %g]: ticks %q, want %q", test.lo, test.hi, got, test.want)
		}
	}
}

// TestTicksAnyRange checks that every range gets a readable number of ticks
// with different labels.
func TestTicksAnyRange(t *testing.T) {
	for e := -12.; e < 12; e += 0.37 {
		for _, lo := range []float64{0, -0.3, 0.4} {
			w := math.Pow(10, e)
			ts := ticks(lo*w, w, 5)
			if len(ts) < 2 || len(ts) > 7 {
				t.Errorf("[%g, %g]: %d ticks", lo*w, w, len(ts))
			}
			for i := 1; i < len(ts); i++ {
				if ts[i].label == ts[i-1].label {
					t.Errorf("[%g, %g]: two ticks %q", lo*w, w, ts[i].label)
				}
			}
		}
	}
}
