package figures

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/plot"

	"closedform/internal/check"
)

func TestAxesFromData(t *testing.T) {
	const margin = 0.04
	log := func(label string) Axis { return Axis{Label: label, Log: true} }
	a := Chart{X: Axis{Label: "x"}, Y: log("y"), Curves: []Curve{
		{X: []float64{0, 1}, Y: []float64{1e-2, -1}, Low: []float64{1e-3, -2}, High: []float64{1, math.NaN()}},
		{X: []float64{-50, 50}, Y: []float64{1e-9, 1e9}, Kind: Reference},
	}}
	b := Chart{X: Axis{Label: "x"}, Y: log("y"), Curves: []Curve{{X: []float64{9, 10, math.Inf(1)}, Y: []float64{1, 10, 2}}}}
	other := Chart{X: Axis{Label: "other"}, Y: log("other"), Curves: []Curve{{X: []float64{7, 7}, Y: []float64{5, 5}}}}
	zero := Chart{Curves: []Curve{{X: []float64{0}, Y: []float64{math.NaN()}}}}
	only := Chart{Curves: []Curve{{X: []float64{2, 4}, Y: []float64{2, 4}, Kind: Reference}}}
	for _, test := range []struct {
		name         string
		got          Axis
		lo, hi, grow float64 // the ends without a margin, and whether there is one
	}{
		{"column", endsX([][]Chart{{a, b}, {other}, {b, a}}, 0, a.X), 0, 10, 1},
		{"column alone", endsX([][]Chart{{a, b}, {other}}, 0, a.X), 0, 1, 1},
		{"other label", endsX([][]Chart{{a, b}, {other}}, 0, other.X), 3.5, 10.5, 1},
		{"row", endsY([]Chart{a, b, other}, a.Y), 1e-3, 10, 1},
		{"row alone", endsY([]Chart{a, other}, a.Y), 1e-3, 1, 1},
		{"one value", endsY([]Chart{a, other}, other.Y), 2.5, 10, 1},
		{"zero", endsX([][]Chart{{zero}}, 0, zero.X), -1, 1, 1},
		{"nothing", endsY([]Chart{zero}, zero.Y), -1, 1, 1},
		{"references only", endsY([]Chart{only}, only.Y), 2, 4, 1},
		{"given", endsX([][]Chart{{a}}, 0, Axis{Min: 0, Max: 3}), 0, 3, 0},
	} {
		lo, hi := test.got.at(test.lo), test.got.at(test.hi)
		by := test.grow * margin * (hi - lo)
		if a := test.got; !scalar.EqualWithinAbs(a.at(a.Min), lo-by, 1e-12) || !scalar.EqualWithinAbs(a.at(a.Max), hi+by, 1e-12) {
			t.Errorf("%s: %+v, want %g and %g", test.name, a, lo-by, hi+by)
		}
	}
}

func labels(ticks []plot.Tick) (out []string) {
	for _, t := range ticks {
		if !t.IsMinor() {
			out = append(out, t.Label)
		}
	}
	return out
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		axis  Axis
		want  []string // the labels
		minor int
	}{
		{Axis{Min: -2, Max: 2}, []string{"−2", "−1", "0", "1", "2"}, 16},
		{Axis{Max: 1}, []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}, 15},
		{Axis{Max: 0.25}, []string{"0", "0.05", "0.10", "0.15", "0.20", "0.25"}, 20},
		{Axis{Min: -0.01, Max: 0.31}, []string{"0", "0.1", "0.2", "0.3"}, 12},
		{Axis{Max: 3e-5}, []string{"0", "1×10⁻⁵", "2×10⁻⁵", "3×10⁻⁵"}, 12},
		{Axis{Max: 2e6}, []string{"0", "0.5×10⁶", "1.0×10⁶", "1.5×10⁶", "2.0×10⁶"}, 16},
		{Axis{Min: -1e-3}, []string{"−0.0010", "−0.0008", "−0.0006", "−0.0004", "−0.0002", "0"}, 15},
		{Axis{Log: true, Min: 1e-3, Max: 1}, []string{"10⁻³", "10⁻²", "10⁻¹", "10⁰"}, 24},
		{Axis{Log: true, Min: 1.5e-4, Max: 0.04}, []string{"0.0002", "0.0005", "0.001", "0.002", "0.005", "0.01", "0.02"}, 14},
		{Axis{Log: true, Min: 0.5, Max: 200}, []string{"10⁰", "10¹", "10²"}, 22},
		{Axis{Log: true, Min: 1e-6, Max: 10}, []string{"10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"}, 4},
		{Axis{Log: true, Min: 1e-40, Max: 1e20}, []string{"10⁻³³", "10⁻²²", "10⁻¹¹", "10⁰", "10¹¹"}, 0},
		{Axis{Log: true, Min: 0.05, Max: 1.5}, []string{"0.05", "0.1", "0.2", "0.5", "1"}, 10},
		{Axis{Log: true, Min: 2, Max: 50}, []string{"2", "5", "10", "20", "50"}, 8},
		{Axis{Log: true, Min: 1e-6, Max: 2e-5}, []string{"1×10⁻⁶", "2×10⁻⁶", "5×10⁻⁶", "1×10⁻⁵", "2×10⁻⁵"}, 6},
		{Axis{Log: true, Min: 2, Max: 3}, []string{"2.0", "2.2", "2.4", "2.6", "2.8", "3.0"}, 15},
	} {
		ticks := test.axis.ticks(tickCount)
		if got := labels(ticks); !slices.Equal(got, test.want) || len(ticks)-len(got) != test.minor {
			t.Errorf("%+v: ticks %q and %d minor, want %q and %d", test.axis, got, len(ticks)-len(got), test.want, test.minor)
		}
	}
}

// Every range gets a readable number of ticks within it, with different labels that keep apart along the axis.
func FuzzTicks(f *testing.F) {
	f.Add(0.05, 1.5, true)
	f.Add(1e-300, 1e300, true)
	f.Add(9.9, 10.1, true)
	f.Add(5e-324, 1.0, true)
	f.Add(-1234.0, 56789.0, false)
	f.Add(0.0, 1e-4, false)
	f.Fuzz(func(t *testing.T, lo, hi float64, log bool) {
		a := Axis{Log: log, Min: lo, Max: hi}
		if !(hi-lo > 1e-3*max(math.Abs(lo), math.Abs(hi))) || math.IsInf(hi-lo, 0) || math.IsNaN(hi-lo) || log && !(lo > 0) || !log && hi-lo < 1e-290 {
			t.Skip()
		}
		length := a.at(hi) - a.at(lo)
		for _, tick := range a.ticks(tickCount) {
			if !(tick.Value >= a.at(lo)-1e-6*length && tick.Value <= a.at(hi)+1e-6*length) {
				t.Errorf("%+v: tick at %g", a, tick.Value)
			}
		}
		got := labels(a.ticks(tickCount))
		if n := len(slices.Compact(slices.Clone(got))); n != len(got) || n < 2 || n > 8 {
			t.Errorf("%+v: labels %q", a, got)
		}
		end := math.Inf(-1)
		for _, tick := range a.fitting(150) {
			if tick.IsMinor() {
				continue
			}
			x, half := 150*(tick.Value-a.at(lo))/length, float64(letters(textSize, 0, 0).Width(tick.Label))/2
			if x-half < end+3.9 {
				t.Errorf("%+v: label %q begins at %.1f, the one before it ends at %.1f", a, tick.Label, x-half, end)
			}
			end = x + half
		}
	})
}

func TestPieces(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	c := Curve{X: []float64{1, 2, 3, 4, 5, 6, 7, 8}, Y: []float64{nan, 1, 2, inf, 3, 0, nan, 5}}
	c.Low, c.High = []float64{0, 0, 1, 0, nan, 0, 0, 4}, []float64{9, 2, 3, 9, 9, 0, 9, 6}
	for _, test := range []struct {
		y    Axis
		c    Curve
		want string // where the pieces are
	}{
		{Axis{Max: 10}, c, "2 3 | 5 6 | 8 | "},
		{Axis{Max: 10}, c.covered(), "2 3 | 6 | 8 | "},
		{Axis{Min: 0.1, Max: 10, Log: true}, c, "2 3 | 5 | 8 | "},
		{Axis{Min: 0.1, Max: 10, Log: true}, c.covered(), "2 3 | 8 | "},
	} {
		got := ""
		for _, p := range test.c.pieces(Axis{Max: 10}, test.y) {
			for _, at := range p.at {
				got += fmt.Sprint(at.X, " ")
			}
			got += "| "
		}
		check.Equal(t, fmt.Sprintf("log %v: pieces", test.y.Log), got, test.want)
	}
	// On a logarithmic axis, an interval from 0 reaches below the foot.
	log := Axis{Min: 0.1, Max: 10, Log: true}
	p := c.pieces(Axis{Max: 10}, log)[0]
	if p.at[0].Y-p.ends[0].Low > log.at(0.1)-0.5 || !scalar.EqualWithinAbs(p.at[1].Y-p.ends[1].Low, 0, 1e-12) {
		t.Errorf("intervals %+v", p.ends)
	}
}

// A scale has two ends also where there is one value, or none.
func TestSpanning(t *testing.T) {
	for _, c := range []struct {
		log       bool
		z         []float64
		low, high float64
	}{
		{false, []float64{2, 1, math.NaN(), math.Inf(1)}, 1, 2},
		{true, []float64{2, 1, 0, -1, math.Inf(1)}, 1, 2},
		{true, []float64{0.01, 0.01}, 0.005, 0.02},
		{false, []float64{0, 0}, -1, 1},
		{false, []float64{1e20}, 0.5e20, 1.5e20},
		{true, []float64{math.NaN(), math.Inf(1), 0}, 0.5, 2},
		{false, []float64{math.NaN(), math.Inf(1)}, -1, 1},
	} {
		if s := (Axis{Log: c.log}).Spanning(c.z); s.Min != c.low || s.Max != c.high {
			t.Errorf("%v: scale from %g to %g, want %g to %g", c.z, s.Min, s.Max, c.low, c.high)
		}
	}
}
