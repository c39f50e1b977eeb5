package figures

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/plot/vg"
)

func TestLogTicks(t *testing.T) {
	for _, test := range []struct {
		lo, hi float64
		want   []string // the labels
		minor  int
	}{
		{1e-3, 1, []string{"10⁻³", "10⁻²", "10⁻¹", "10⁰"}, 24},
		{0.1, 10, []string{"10⁻¹", "10⁰", "10¹"}, 16},
		{0.5, 200, []string{"10⁰", "10¹", "10²"}, 22},
		{1e-6, 10, []string{"10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"}, 4},
		{1e-40, 1e20, []string{"10⁻⁴⁰", "10⁻²⁰", "10⁰", "10²⁰"}, 0},
		{0.05, 1.5, []string{"0.05", "0.1", "0.2", "0.5", "1"}, 10},
		{2, 50, []string{"2", "5", "10", "20", "50"}, 8},
		{1e-6, 2e-5, []string{"1×10⁻⁶", "2×10⁻⁶", "5×10⁻⁶", "1×10⁻⁵", "2×10⁻⁵"}, 6},
		{2, 3, []string{"2.0", "2.2", "2.4", "2.6", "2.8", "3.0"}, 0},
	} {
		var got []string
		minor := 0
		last := math.Inf(-1)
		for _, tick := range logTicks(test.lo, test.hi, tickCount) {
			if tick.minor {
				minor++
			}
			if tick.label != "" {
				got = append(got, tick.label)
			}
			if !(tick.at > last && tick.at >= test.lo*(1-1e-9) && tick.at <= test.hi*(1+1e-9)) {
				t.Errorf("[%g, %g]: tick at %g after %g", test.lo, test.hi, tick.at, last)
			}
			last = tick.at
		}
		if !slices.Equal(got, test.want) || minor != test.minor {
			t.Errorf("[%g, %g]: ticks %q and %d minor, want %q and %d",
				test.lo, test.hi, got, minor, test.want, test.minor)
		}
	}
}

// FuzzLogTicks checks that every range gets a readable number of ticks within
// it, with different labels.
func FuzzLogTicks(f *testing.F) {
	f.Add(0.05, 1.5)
	f.Add(1e-300, 1e300)
	f.Add(9.9, 10.1)
	f.Add(5e-324, 1.0)
	f.Fuzz(func(t *testing.T, lo, hi float64) {
		if !(lo > 0) || math.IsInf(hi, 0) || !(hi/lo > 1.001) {
			t.Skip()
		}
		seen := map[string]bool{}
		for _, tick := range logTicks(lo, hi, tickCount) {
			if !(tick.at > 0 && tick.at >= lo*(1-1e-6) && tick.at <= hi*(1+1e-6)) {
				t.Errorf("[%g, %g]: tick at %g", lo, hi, tick.at)
			}
			if tick.label == "" {
				continue
			}
			if seen[tick.label] {
				t.Errorf("[%g, %g]: two ticks %q", lo, hi, tick.label)
			}
			seen[tick.label] = true
		}
		if len(seen) < 2 || len(seen) > 8 {
			t.Errorf("[%g, %g]: %d labels", lo, hi, len(seen))
		}
	})
}

func TestFraction(t *testing.T) {
	for _, test := range []struct {
		e       extent
		v, want float64
	}{
		{extent{-2, 6, false}, 0, 0.25},
		{extent{-2, 6, false}, 8, 1.25},
		{extent{1e-3, 10, true}, 1e-3, 0},
		{extent{1e-3, 10, true}, 10, 1},
		{extent{1e-3, 10, true}, 0.1, 0.5},
		{extent{1e-300, 1e300, true}, 1, 0.5},
		{extent{1e-3, 10, true}, 0, math.Inf(-1)},
		{extent{1e-3, 10, true}, -5, math.Inf(-1)},
	} {
		if got := test.e.fraction(test.v); got != test.want && !scalar.EqualWithinAbs(got, test.want, 1e-14) {
			t.Errorf("%+v: fraction(%g) = %g, want %g", test.e, test.v, got, test.want)
		}
	}
}

// TestWindowIsFinite checks that what lies far outside still has a place.
func TestWindowIsFinite(t *testing.T) {
	w := window{extent{1, 2, true}, extent{-1e-300, 1e-300, false}, box(10, 10, 50, 40)}
	for _, v := range []float64{-1, 0, 5e-324, 1e300, math.Inf(1), math.Inf(-1)} {
		if p := w.at(v, v); !(math.Abs(float64(p.X)) < 1e9 && math.Abs(float64(p.Y)) < 1e9) {
			t.Errorf("%g is at %v", v, p)
		}
	}
}

// TestTickLabelsKeepApart checks horizontal axes of several lengths.
func TestTickLabelsKeepApart(t *testing.T) {
	sty := words(tickSize, 0, 0)
	for _, e := range []extent{
		{0, 1e-4, false}, {-1234, 56789, false}, {2, 50, true}, {1e-6, 2e-5, true}, {1e-30, 1, true}, {10, 20, true},
	} {
		for _, length := range []float64{60, 100, 200} {
			end, labels := math.Inf(-1), 0
			for _, tick := range (edge{e, ""}).xTicks(vg.Length(length)) {
				if tick.label == "" {
					continue
				}
				labels++
				x, half := length*e.fraction(tick.at), float64(sty.Width(tick.label))/2
				if x-half < end+3.9 {
					t.Errorf("%+v on %g: label %q begins at %.1f, the one before it ends at %.1f", e, length, tick.label, x-half, end)
				}
				end = x + half
			}
			if labels == 0 {
				t.Errorf("%+v on %g: no labels", e, length)
			}
		}
	}
}
