package figures

import (
	"bytes"
	"math"
	"testing"
)

func testIntervals() []IntervalGroup {
	row := Interval{Key: "holds", Value: 1, Low: 0.5, High: 2, Threshold: 0.7, Above: true}
	open := row
	open.Key, open.Value = "open", 0.6
	return []IntervalGroup{{Title: "t", Note: "n", Intervals: []Interval{row, open}}, {Title: "u", Intervals: []Interval{row}}}
}

// The distance is more than 1 if the interval is on the right side, less than −1 if it is on
// the wrong one.
func TestIntervalDistance(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		v    Interval
		want float64
	}{
		{Interval{Value: 3, Low: 2, High: 5, Threshold: 1, Above: true}, 2},
		{Interval{Value: 3, Low: 2, High: 5, Threshold: 1}, -2},
		{Interval{Value: 3, Low: 2, High: 5, Threshold: 7}, 2},
		{Interval{Value: 3, Low: 2, High: 5, Threshold: 7, Above: true}, -2},
		{Interval{Value: 3, Low: 2, High: 5, Threshold: 4}, 0.5},
		{Interval{Value: 3, Low: 3, High: 3, Threshold: 4}, inf},
		{Interval{Value: 3, Low: -inf, High: inf, Threshold: 4}, 0},
		{Interval{Value: nan, High: 1}, nan},
		{Interval{Value: 1, Low: nan, High: nan}, nan},
	} {
		if got := c.v.distance(); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%+v: distance %g, want %g", c.v, got, c.want)
		}
	}
	for d, want := range map[float64]float64{-0.5: -0.5, 1: 1, 10: 2, -100: -3, inf: 4, -1e9: -4} {
		if got := distance(d); math.Abs(got-want) > 1e-12 {
			t.Errorf("distance %g at %g, want %g", d, got, want)
		}
	}
}

func TestIntervalsShowTheirNumbers(t *testing.T) {
	first := encode(t, Intervals(testIntervals()), "svg")
	for i, change := range []func(*IntervalGroup){
		func(g *IntervalGroup) { g.Intervals[0].Value = 1.5 }, func(g *IntervalGroup) { g.Intervals[0].Low = 0 },
		func(g *IntervalGroup) { g.Intervals[0].Threshold = 1.1 }, func(g *IntervalGroup) { g.Intervals[0].Above = false },
		func(g *IntervalGroup) { g.Intervals[0].Key = "open" }, func(g *IntervalGroup) { g.Intervals[0].Value = math.NaN() },
		func(g *IntervalGroup) { g.Title = "v" }, func(g *IntervalGroup) { g.Note = "m" },
	} {
		groups := testIntervals()
		change(&groups[1])
		if bytes.Equal(encode(t, Intervals(groups), "svg"), first) {
			t.Errorf("change %d is not seen", i)
		}
	}
}
