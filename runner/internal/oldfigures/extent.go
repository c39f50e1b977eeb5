package figures

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
)

// An extent is the range of an axis or of a scale. Lengths along it are in
// proportion to the values or, if log is set, to their logarithms.
type extent struct {
	lo, hi float64
	log    bool
}

// check panics unless values can be told apart along the extent.
func (e extent) check(what string) {
	if !(e.lo < e.hi) || math.IsInf(e.hi-e.lo, 0) {
		panic(fmt.Sprintf("figures: %s from %g to %g", what, e.lo, e.hi))
	}
	if e.log && !(e.lo > 0) {
		panic(fmt.Sprintf("figures: logarithmic %s from %g; it needs to be positive", what, e.lo))
	}
}

// fraction returns how far v lies on the way from lo, which is 0, to hi, which
// is 1. On a logarithmic extent all v ≤ 0 are infinitely far below.
func (e extent) fraction(v float64) float64 {
	if !e.log {
		return (v - e.lo) / (e.hi - e.lo)
	}
	if v <= 0 {
		return math.Inf(-1)
	}
	return (math.Log(v) - math.Log(e.lo)) / (math.Log(e.hi) - math.Log(e.lo))
}

// shows tells whether the extent has a place for v, perhaps beyond its ends.
func (e extent) shows(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!e.log || v > 0)
}

func (e extent) holds(v float64) bool { return v >= e.lo && v <= e.hi }

// ticks returns about n labelled ticks.
func (e extent) ticks(n int) []tick {
	if e.log {
		return logTicks(e.lo, e.hi, n)
	}
	return ticks(e.lo, e.hi, n)
}

// An edge is what an axis of a panel says. Axes with equal edges can do with
// the text of one of them.
type edge struct {
	extent
	label string
}

// yTicks returns the ticks of a vertical edge.
func (e edge) yTicks() []tick { return e.ticks(tickCount) }

// xTicks returns the ticks of a horizontal edge of some length: as many as
// have room for their labels side by side.
func (e edge) xTicks(length vg.Length) []tick {
	const apart = vg.Length(4)
	sty := words(tickSize, 0, 0)
	for n := tickCount; ; n-- {
		ts := e.ticks(n)
		fits := true
		end := vg.Length(math.Inf(-1))
		for _, t := range ts {
			if t.label == "" {
				continue
			}
			x, half := length*vg.Length(e.fraction(t.at)), sty.Width(t.label)/2
			fits = fits && x-half >= end+apart
			end = x + half
		}
		if fits || n == 1 {
			return ts
		}
	}
}

// overhang returns how far the tick labels of a horizontal edge, however many
// it may have, reach beyond its ends.
func (e edge) overhang(length vg.Length) (before, after vg.Length) {
	sty := words(tickSize, 0, 0)
	for n := range tickCount {
		for _, t := range e.ticks(n + 1) {
			x, half := length*vg.Length(e.fraction(t.at)), sty.Width(t.label)/2
			before = max(before, half-x)
			after = max(after, x+half-length)
		}
	}
	return before, after
}

// A window shows a part of the plane in a data area.
type window struct {
	x, y extent
	area vg.Rectangle
}

// at returns the place of a point. Points far outside, which are not seen,
// are moved to a distance where lengths are still exact.
func (w window) at(x, y float64) vg.Point {
	const far = 1e6
	size := w.area.Size()
	return vg.Point{
		X: w.area.Min.X + size.X*vg.Length(min(max(w.x.fraction(x), -far), far)),
		Y: w.area.Min.Y + size.Y*vg.Length(min(max(w.y.fraction(y), -far), far)),
	}
}

// shows tells whether a point has a place in the plane of the window.
func (w window) shows(x, y float64) bool { return w.x.shows(x) && w.y.shows(y) }

// holds tells whether a point lies in the data area.
func (w window) holds(x, y float64) bool { return w.x.holds(x) && w.y.holds(y) }
