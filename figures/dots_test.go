package figures

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

// dotPlot has every kind of dot.
func dotPlot() DotPlot {
	inf, nan := math.Inf(1), math.NaN()
	return DotPlot{
		Names: []string{"one", "two", "three", "four"},
		Panels: []DotPanel{
			{Title: "a", Dots: []Dot{{0.5, 0.2, 0.8}, {0.1, -0.3, 0.5}, {inf, nan, nan}, {-7, -8, 3}}},
			{Title: "b", Dots: []Dot{{nan, nan, nan}, {0.2, nan, nan}, {-inf, nan, nan}, {0, -inf, inf}}},
			{Title: "c", Dots: []Dot{{1, 1, 1}, {0, 0, 0}, {2, 0, 4}, {-1, -1, 0}}},
		},
		Columns: 2, X: Axis{Label: "difference", Min: -1, Max: 1}, Key: "mean", Apart: "apart", Held: "held",
	}
}

// What is drawn follows the numbers, but for how far beyond the axis a dot lies.
func TestDotsShowTheirNumbers(t *testing.T) {
	first := encode(t, Dots(dotPlot()), "svg")
	for i, test := range []struct {
		change func(*DotPlot)
		seen   bool
	}{
		{func(d *DotPlot) { d.Panels[0].Dots[0].Value = 0.6 }, true},
		{func(d *DotPlot) { d.Panels[0].Dots[1].High = 0.6 }, true},
		{func(d *DotPlot) { d.Panels[0].Dots[2].Value = math.Inf(-1) }, true}, // the arrow is at the other end
		{func(d *DotPlot) { d.Panels[0].Dots[2].Value = math.NaN() }, true},
		{func(d *DotPlot) { d.Mark = 0.5 }, true},
		{func(d *DotPlot) { d.Names[3] = "five" }, true},
		{func(d *DotPlot) { slices.Reverse(d.Names) }, true},
		{func(d *DotPlot) { d.Panels[2].Title = "d" }, true},
		{func(d *DotPlot) { d.Panels[0].Dots[3].Value, d.Panels[0].Dots[3].Low = -70, -80 }, false},
	} {
		other := dotPlot()
		test.change(&other)
		if got := !bytes.Equal(encode(t, Dots(other), "svg"), first); got != test.seen {
			t.Errorf("change %d is seen: %v", i, got)
		}
	}
}

func TestDotApart(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		dot  Dot
		mark float64
		want bool
	}{
		{Dot{2, 1, 3}, 0, true},
		{Dot{2, 1, 3}, 4, true},
		{Dot{2, 1, 3}, 1, false},
		{Dot{2, nan, nan}, 0, false},
		{Dot{2, math.Inf(-1), math.Inf(1)}, 0, false},
		{Dot{2, 1, 3}, nan, true},
	} {
		if got := c.dot.apart(c.mark); got != c.want {
			t.Errorf("%v of %g: %v", c.dot, c.mark, got)
		}
	}
}

// The legend has the markers that are there, and no others.
func TestDotLegend(t *testing.T) {
	d := dotPlot()
	if got := texts(d.keys()); !slices.Equal(got, []string{"mean", "apart", "held", "beyond the axis"}) {
		t.Errorf("keys %q", got)
	}
	d.Panels = []DotPanel{{Dots: []Dot{{0.5, 0.4, 0.6}, {0.5, 0.4, 0.6}, {0.5, 0.4, 0.6}, {math.NaN(), 0, 0}}}}
	if got := texts(d.keys()); !slices.Equal(got, []string{"mean", "apart"}) {
		t.Errorf("keys %q", got)
	}
}

func testIntervals() []IntervalGroup {
	row := Interval{Text: "a", Note: "b", Key: "holds", Value: 1, Low: 0.5, High: 2, Threshold: 0.7, Above: true}
	open := row
	open.Key, open.Value, open.Above = "open", math.NaN(), false
	return []IntervalGroup{{Title: "t", Intervals: []Interval{row, open}}, {Title: "u", Intervals: []Interval{row}}}
}

func TestIntervalPlaces(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		v    Interval
		want [3]float64 // value, low, high
	}{
		{Interval{Value: 3, Low: 2, High: 5, Threshold: 1, Above: true}, [3]float64{0.5, 0.25, 1}},
		{Interval{Value: 3, Low: 2, High: 5, Threshold: 1}, [3]float64{-0.5, -0.25, -1}},
		{Interval{Value: -1, Low: -3, High: 1, Threshold: 0, Above: true}, [3]float64{-1. / 3, -1, 1. / 3}},
		{Interval{Value: 2, Low: -inf, High: inf, Threshold: 1, Above: true}, [3]float64{1, -1, 1}},
		{Interval{Threshold: 0, Above: true}, [3]float64{}},
		{Interval{Value: nan, High: 1}, [3]float64{nan, nan, nan}},
		{Interval{Low: nan, High: 1}, [3]float64{nan, nan, nan}},
	} {
		value, low, high := c.v.places()
		for i, got := range []float64{value, low, high} {
			if got != c.want[i] && !(math.IsNaN(got) && math.IsNaN(c.want[i])) {
				t.Errorf("%+v: %v %v %v, want %v", c.v, value, low, high, c.want)
			}
		}
	}
}

func TestIntervalsShowTheirNumbers(t *testing.T) {
	first := encode(t, Intervals(testIntervals()), "svg")
	for i, change := range []func(*Interval){
		func(v *Interval) { v.Value = 1.5 }, func(v *Interval) { v.Low = 0 }, func(v *Interval) { v.Threshold = 1 },
		func(v *Interval) { v.Above = false }, func(v *Interval) { v.Key = "open" }, func(v *Interval) { v.Text = "c" }, func(v *Interval) { v.Note = "c" },
	} {
		groups := testIntervals()
		change(&groups[1].Intervals[0])
		if bytes.Equal(encode(t, Intervals(groups), "svg"), first) {
			t.Errorf("change %d is not seen", i)
		}
	}
}
