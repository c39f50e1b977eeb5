package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	markerRadius = vg.Length(2.3) // of a circle; the others have about its area
	outlineWidth = vg.Length(0.6)
	casingWidth  = vg.Length(1.7) // of the white edge and the dark outline in it
)

// A markerShape is a regular polygon: the number of corners (0 is a circle),
// the direction of the first one and the distance of the corners in radii.
type markerShape struct {
	corners int
	turn    float64
	reach   vg.Length
}

// markerShapes have about the same area.
var markerShapes = []markerShape{
	{0, 0, 1},
	{4, math.Pi / 4, 1.25},
	{3, math.Pi / 2, 1.45},
	{4, 0, 1.3},
	{3, -math.Pi / 2, 1.45},
}

// markerFills are told apart in grey as well: white, black and a mid orange,
// which the colour map of maps does not contain.
var markerFills = []color.Color{
	paper,
	ink,
	color.NRGBA{0xe6, 0x6a, 0x00, 0xff},
}

// maxClasses is the number of different markers: as the numbers of shapes and
// of fills have no common divisor, every shape meets every fill.
var maxClasses = len(markerShapes) * len(markerFills)

// path returns the outline of the shape about a point.
func (s markerShape) path(at vg.Point, radius vg.Length) vg.Path {
	r := radius * s.reach
	var path vg.Path
	if s.corners == 0 {
		path.Move(vg.Point{X: at.X + r, Y: at.Y})
		path.Arc(at, r, 0, 2*math.Pi)
	}
	corner := func(i int) vg.Point {
		sin, cos := math.Sincos(s.turn + 2*math.Pi*float64(i)/float64(s.corners))
		return vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
	}
	for i := range s.corners {
		if i == 0 {
			// Begin within an edge: the PNG canvas does not join the ends.
			path.Move(corner(-1).Add(corner(0)).Scale(0.5))
		}
		path.Line(corner(i))
	}
	path.Close()
	return path
}

// drawMarker draws the marker of a class, counted from 0: dark outline within
// a white edge, so that it shows on any ground.
func drawMarker(dc draw.Canvas, at vg.Point, class int) {
	path := markerShapes[class%len(markerShapes)].path(at, markerRadius)
	dc.SetLineStyle(line(casingWidth, paper))
	dc.Stroke(path)
	dc.SetColor(markerFills[class%len(markerFills)])
	dc.Fill(path)
	dc.SetLineStyle(line(outlineWidth, ink))
	dc.Stroke(path)
}
