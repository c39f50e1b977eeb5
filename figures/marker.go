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

// markerShapes are the shapes of the classes: the number of corners (0 is a
// circle), the direction of the first one and the distance of the corners in
// radii.
var markerShapes = []struct {
	corners int
	turn    float64
	reach   vg.Length
}{
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

// drawMarker draws the marker of a class, counted from 0: dark outline within
// a white edge, so that it shows on any ground.
func drawMarker(dc draw.Canvas, at vg.Point, class int) {
	shape := markerShapes[class%len(markerShapes)]
	r := markerRadius * shape.reach
	var path vg.Path
	if shape.corners == 0 {
		path.Move(vg.Point{X: at.X + r, Y: at.Y})
		path.Arc(at, r, 0, 2*math.Pi)
	}
	corner := func(i int) vg.Point {
		sin, cos := math.Sincos(shape.turn + 2*math.Pi*float64(i)/float64(shape.corners))
		return vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
	}
	for i := range shape.corners {
		if i == 0 {
			// Begin within an edge: the PNG canvas does not join the ends.
			path.Move(corner(-1).Add(corner(0)).Scale(0.5))
		}
		path.Line(corner(i))
	}
	path.Close()
	dc.SetLineStyle(line(casingWidth, paper))
	dc.Stroke(path)
	dc.SetColor(markerFills[class%len(markerFills)])
	dc.Fill(path)
	dc.SetLineStyle(line(outlineWidth, ink))
	dc.Stroke(path)
}
