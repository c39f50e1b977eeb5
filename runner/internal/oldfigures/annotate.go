package figures

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// textSpots are the places of a text about its point, from the best to the
// worst: the direction of its middle.
var textSpots = []vg.Point{
	{X: 1}, {X: 1, Y: 1}, {X: 1, Y: -1}, {Y: 1}, {Y: -1}, {X: -1}, {X: -1, Y: 1}, {X: -1, Y: -1},
}

// A note is a text that has its place.
type note struct {
	text string
	box  vg.Rectangle
}

// notes places the texts beside their points. One after the other goes where
// it hides least of the markers, the lines and the texts before it.
func (p painter) notes(curves []Curve) (out []note) {
	var taken []vg.Rectangle // with what no text should overlap
	for _, c := range curves {
		if c.Texts == nil && c.Style != Marked && c.Style != Scatter {
			continue
		}
		for i, x := range c.X {
			if p.holds(x, c.Y[i]) {
				taken = append(taken, around(p.at(x, c.Y[i]), 2.6*c.radius(), 2.6*c.radius()))
			}
		}
	}
	lines := p.samples(curves)
	sty := words(textSize, text.XCenter, text.YCenter)
	for _, c := range curves {
		for i, s := range c.Texts {
			if s == "" || !p.holds(c.X[i], c.Y[i]) {
				continue
			}
			box := p.spot(p.at(c.X[i], c.Y[i]), sty.Width(s), textSize, c.radius(), taken, lines)
			out = append(out, note{s, box})
			taken = append(taken, box)
		}
	}
	return out
}

// annotate writes the texts beside their points.
func (p painter) annotate(dc draw.Canvas, curves []Curve) {
	for _, n := range p.notes(curves) {
		dc.FillText(words(textSize, text.XCenter, text.YCenter), middle(n.box), n.text)
	}
}

// spot returns the best place of a text of some size beside a point.
func (p painter) spot(at vg.Point, width, height, radius vg.Length, taken []vg.Rectangle, lines []vg.Point) (best vg.Rectangle) {
	least := math.Inf(1)
	for i, d := range textSpots {
		gap := radius + 1.5
		if d.X != 0 && d.Y != 0 {
			gap = radius
		}
		box := around(at.Add(vg.Point{X: d.X * (width/2 + gap), Y: d.Y * (height/2 + gap)}), width, height)
		// What sticks out of the area is worse than any overlap, and an
		// overlap is worse than a line behind the text.
		cost := 0.1*float64(i) + 10*(float64(width*height)-overlap(box, p.area))
		for _, t := range taken {
			cost += overlap(box, t)
		}
		for _, l := range lines {
			if l.X > box.Min.X && l.X < box.Max.X && l.Y > box.Min.Y && l.Y < box.Max.Y {
				cost += float64(sampleStep)
			}
		}
		if cost < least {
			least, best = cost, box
		}
	}
	return best
}

// sampleStep is the distance of the points that stand for a line.
const sampleStep = vg.Length(0.7)

// samples returns points along the lines and error bars of curves.
func (p painter) samples(curves []Curve) (out []vg.Point) {
	inside := draw.Canvas{Rectangle: p.area}
	add := func(from, to vg.Point) {
		for _, l := range inside.ClipLinesXY([]vg.Point{from, to}) {
			d := l[1].Sub(l[0])
			n := math.Ceil(math.Hypot(float64(d.X), float64(d.Y)) / float64(sampleStep))
			for k := range int(n) {
				out = append(out, l[0].Add(d.Scale(vg.Length((float64(k)+0.5)/n))))
			}
		}
	}
	for _, c := range curves {
		if c.Style != Line {
			for i := range c.Low {
				if p.shows(c.X[i], c.Y[i]) && hasInterval(c, i) {
					add(p.at(c.X[i], c.Low[i]), p.at(c.X[i], c.High[i]))
				}
			}
		}
		if c.Style == Scatter {
			continue
		}
		for _, piece := range p.pieces(c) {
			for i := piece[0] + 1; i < piece[1]; i++ {
				add(p.at(c.X[i-1], c.Y[i-1]), p.at(c.X[i], c.Y[i]))
			}
		}
	}
	return out
}

func around(at vg.Point, width, height vg.Length) vg.Rectangle {
	half := vg.Point{X: width / 2, Y: height / 2}
	return vg.Rectangle{Min: at.Sub(half), Max: at.Add(half)}
}

// overlap returns the common area of two rectangles.
func overlap(a, b vg.Rectangle) float64 {
	w := min(a.Max.X, b.Max.X) - max(a.Min.X, b.Min.X)
	h := min(a.Max.Y, b.Max.Y) - max(a.Min.Y, b.Min.Y)
	return float64(max(w, 0) * max(h, 0))
}
