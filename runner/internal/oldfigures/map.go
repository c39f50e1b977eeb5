package figures

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Map is one panel: a scalar field on a rectangular grid. The panel shows the
// area from the first to the last coordinate; a value colours the points that
// are nearest to its grid point.
type Map struct {
	Title    string
	X, Y     []float64 // ascending, two or more each
	Z        []float64 // Z[j*len(X)+i] is the value at (X[i], Y[j])
	Points   []Point   // the examples seen so far; those outside are counted in the legend
	Boundary []Segment // the true boundary of the classes
	Curves   []Curve   // drawn over the field; the legend explains them
	// LogX and LogY make an axis logarithmic; its coordinates are positive.
	LogX, LogY bool
}

// Point is an example of a class. Classes are counted from 0.
type Point struct {
	X, Y  float64
	Class int
}

// Segment is a straight line.
type Segment struct{ X0, Y0, X1, Y1 float64 }

// Scale gives values their colours. Values outside it, and those that are no
// numbers, get colours of their own, which the legend explains and counts.
type Scale struct {
	Label    string // the quantity and its unit
	Min, Max float64
	Log      bool // equal steps of colour are equal ratios; Min is positive
}

func (m Map) extentX() extent { return extent{m.X[0], m.X[len(m.X)-1], m.LogX} }
func (m Map) extentY() extent { return extent{m.Y[0], m.Y[len(m.Y)-1], m.LogY} }

func (m Map) check() {
	if len(m.Z) != len(m.X)*len(m.Y) {
		panic(fmt.Sprintf("figures: map has %d values, not %d×%d", len(m.Z), len(m.X), len(m.Y)))
	}
	for _, axis := range [][]float64{m.X, m.Y} {
		if len(axis) < 2 {
			panic(fmt.Sprintf("figures: map has %d coordinates along an axis; it needs 2", len(axis)))
		}
		for i, v := range axis {
			if math.IsNaN(v) || math.IsInf(v, 0) || i > 0 && !(v > axis[i-1]) {
				panic(fmt.Sprintf("figures: coordinate %d, %g, does not ascend", i, v))
			}
		}
	}
	m.extentX().check("axis")
	m.extentY().check("axis")
	for _, c := range m.Curves {
		c.check()
		if c.Low != nil || c.Texts != nil {
			panic(fmt.Sprintf("figures: curve %q of a map has an interval or texts", c.Name))
		}
	}
	for _, p := range m.Points {
		if p.Class < 0 || p.Class >= maxClasses {
			panic(fmt.Sprintf("figures: class %d: there are markers for 0 to %d", p.Class, maxClasses-1))
		}
	}
}

// holds tells whether a point lies in the area of the map.
func (m Map) holds(p Point) bool { return m.window().holds(p.X, p.Y) }

// window returns the plane of the map without a place on the page.
func (m Map) window() window { return window{x: m.extentX(), y: m.extentY()} }

// oversample is the number of pixels of the image between neighbours of a
// grid, along each axis: even, so that half a cell is whole pixels.
const oversample = 2

// image returns the field in the colours of the scale, for the area between
// the outer grid points: a cell at the border is a half.
func (m Map) image(s Scale) *image.Paletted {
	cols, rows := nearest(m.X, m.LogX), nearest(m.Y, m.LogY)
	img := image.NewPaletted(image.Rect(0, 0, len(cols), len(rows)), colors())
	for r, j := range rows {
		y := len(rows) - 1 - r // images run downwards
		for x, i := range cols {
			img.SetColorIndex(x, y, s.index(m.Z[j*len(m.X)+i]))
		}
	}
	return img
}

// nearest returns for every pixel along an axis the index of the grid point
// nearest to its middle, as lengths on the page.
func nearest(axis []float64, log bool) []int {
	if log {
		axis = slices.Clone(axis)
		for i, v := range axis {
			axis[i] = math.Log(v)
		}
	}
	last := len(axis) - 1
	out := make([]int, last*oversample)
	for p := range out {
		t := (float64(p) + 0.5) / float64(len(out))
		v := axis[0]*(1-t) + axis[last]*t
		i := sort.SearchFloat64s(axis[1:last], v) + 1 // axis[i-1] < v ≤ axis[i]
		if v-axis[i-1] < axis[i]-v {
			i--
		}
		out[p] = i
	}
	return out
}

// draw draws the field with its boundary, curves and points, without axes.
func (m Map) draw(dc draw.Canvas, area vg.Rectangle, s Scale, known *looks) {
	dc.DrawImage(area, m.image(s))
	w := m.window()
	w.area = area
	var lines [][2]vg.Point
	for _, b := range m.Boundary {
		lines = append(lines, [2]vg.Point{w.at(b.X0, b.Y0), w.at(b.X1, b.Y1)})
	}
	drawBoundary(draw.Canvas{Canvas: dc.Canvas, Rectangle: area}, lines)
	frame(dc, area)
	for _, p := range m.Points {
		if m.holds(p) {
			drawMarker(dc, w.at(p.X, p.Y), p.Class)
		}
	}
	painter{window: w, looks: known, onMap: true}.draw(dc, m.Curves)
}

const (
	boundaryWidth  = vg.Length(0.7)
	boundaryCasing = vg.Length(1.7)
)

// drawBoundary draws white lines in a dark casing, so that they show on any
// ground. They are filled as bands, which can be cut sharply at the edge of
// the canvas.
func drawBoundary(dc draw.Canvas, lines [][2]vg.Point) {
	for _, pen := range []struct {
		width vg.Length
		color color.Color
	}{{boundaryCasing, ink}, {boundaryWidth, paper}} {
		for _, l := range lines {
			if b := band(l[0], l[1], pen.width); b != nil {
				if b = dc.ClipPolygonXY(b); len(b) > 2 {
					dc.FillPolygon(pen.color, b)
				}
			}
		}
	}
}

// band returns the corners of a line of some width, longer by half a width at
// both ends, or nil if the line has no length.
func band(p, q vg.Point, width vg.Length) []vg.Point {
	d := q.Sub(p)
	length := vg.Length(math.Hypot(float64(d.X), float64(d.Y)))
	if length == 0 {
		return nil
	}
	d = d.Scale(width / 2 / length)
	n := vg.Point{X: -d.Y, Y: d.X}
	p, q = p.Sub(d), q.Add(d)
	return []vg.Point{p.Add(n), q.Add(n), q.Sub(n), p.Sub(n)}
}
