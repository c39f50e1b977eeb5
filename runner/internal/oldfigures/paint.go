package figures

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// barCap is the width of the end of an error bar.
const barCap = vg.Length(3.5)

// draw draws curves in layers, so that no line covers a marker.
func (p painter) draw(dc draw.Canvas, curves []Curve) {
	for _, c := range curves {
		if c.Style == Line && c.Low != nil {
			p.band(dc, c)
		}
	}
	for _, reference := range []bool{true, false} {
		for _, c := range curves {
			if (c.Style == Reference) == reference && c.Style != Scatter {
				p.lines(dc, c)
			}
		}
	}
	for _, c := range curves {
		if c.Style != Line && c.Low != nil {
			p.bars(dc, c)
		}
	}
	for _, c := range curves {
		p.markers(dc, c)
	}
	p.annotate(dc, curves)
}

// pieces returns the ranges of points that no gap divides.
func (p painter) pieces(c Curve) (out [][2]int) {
	begin := -1
	for i := range len(c.X) + 1 {
		ok := i < len(c.X) && p.shows(c.X[i], c.Y[i])
		if ok && begin < 0 {
			begin = i
		}
		if !ok && begin >= 0 {
			out = append(out, [2]int{begin, i})
			begin = -1
		}
	}
	return out
}

// lines joins the points of a curve. A point between two gaps becomes a dot.
func (p painter) lines(dc draw.Canvas, c Curve) {
	var lines [][]vg.Point
	for _, piece := range p.pieces(c) {
		var l []vg.Point
		for i := piece[0]; i < piece[1]; i++ {
			l = append(l, p.at(c.X[i], c.Y[i]))
		}
		if len(l) == 1 && c.Style != Marked && p.holds(c.X[piece[0]], c.Y[piece[0]]) {
			dc.SetColor(p.line(c).Color)
			dc.Fill(markerShapes[0].path(l[0], curveWidth))
		}
		lines = append(lines, l)
	}
	p.stroke(dc, c, lines)
}

// band fills the interval of a curve.
func (p painter) band(dc draw.Canvas, c Curve) {
	inside := draw.Canvas{Canvas: dc.Canvas, Rectangle: p.area}
	for _, piece := range p.pieces(c) {
		// Every stretch of its own, as an interval may be missing.
		for i := piece[0]; i+1 < piece[1]; i++ {
			if !hasInterval(c, i) || !hasInterval(c, i+1) {
				continue
			}
			b := inside.ClipPolygonXY([]vg.Point{
				p.at(c.X[i], c.Low[i]), p.at(c.X[i+1], c.Low[i+1]),
				p.at(c.X[i+1], c.High[i+1]), p.at(c.X[i], c.High[i]),
			})
			if len(b) > 2 {
				inside.FillPolygon(tint(p.line(c).Color), b)
			}
		}
	}
}

// hasInterval tells whether a point has an interval.
func hasInterval(c Curve, i int) bool { return c.Low[i] <= c.High[i] }

// bars draws the intervals of a curve as error bars.
func (p painter) bars(dc draw.Canvas, c Curve) {
	sty := line(hairline, p.line(c).Color)
	inside := draw.Canvas{Canvas: dc.Canvas, Rectangle: p.area}
	for i, x := range c.X {
		if !p.shows(x, c.Y[i]) || !hasInterval(c, i) {
			continue
		}
		lo, hi := p.at(x, c.Low[i]), p.at(x, c.High[i])
		lines := [][]vg.Point{{lo, hi}}
		for _, end := range []vg.Point{lo, hi} {
			lines = append(lines, []vg.Point{{X: end.X - barCap/2, Y: end.Y}, {X: end.X + barCap/2, Y: end.Y}})
		}
		inside.StrokeLines(sty, inside.ClipLinesXY(lines...)...)
	}
}

// Of a curve with more than fewPoints, a marker is left out if it is nearer
// than markerApart to the one before it.
const (
	fewPoints   = 16
	markerApart = vg.Length(9)
)

// markers draws the markers of a curve, whole also where they reach over the
// frame.
func (p painter) markers(dc draw.Canvas, c Curve) {
	if c.Style != Marked && c.Style != Scatter {
		return
	}
	last := vg.Point{X: vg.Length(math.Inf(-1))}
	for _, piece := range p.pieces(c) {
		// A point between two gaps has nothing but its marker.
		all := c.Style == Scatter || len(c.X) <= fewPoints || piece[1]-piece[0] == 1
		for i := piece[0]; i < piece[1]; i++ {
			if !p.holds(c.X[i], c.Y[i]) {
				continue
			}
			at := p.at(c.X[i], c.Y[i])
			if d := at.Sub(last); all || math.Hypot(float64(d.X), float64(d.Y)) >= float64(markerApart) {
				p.marker(dc, at, c)
				last = at
			}
		}
	}
}
