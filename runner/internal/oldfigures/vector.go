package figures

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// A pen is the part of the drawing state that Push saves.
type pen struct {
	color  color.Color
	width  vg.Length
	dash   []vg.Length
	offset vg.Length
}

// pens is the stack of drawing states of the vector formats.
type pens []pen

func (p pens) top() *pen { return &p[len(p)-1] }

// SetLineWidth implements vg.Canvas.
func (p pens) SetLineWidth(w vg.Length) { p.top().width = w }

// SetLineDash implements vg.Canvas.
func (p pens) SetLineDash(pattern []vg.Length, offset vg.Length) {
	p.top().dash, p.top().offset = pattern, offset
}

// SetColor implements vg.Canvas.
func (p pens) SetColor(c color.Color) { p.top().color = c }

func (p *pens) push() { *p = append(*p, *p.top()) }
func (p *pens) pop()  { *p = (*p)[:len(*p)-1] }

// rgb returns the components of an opaque colour. Nil is black.
func rgb(c color.Color) (r, g, b uint8) {
	if c == nil {
		return 0, 0, 0
	}
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	if n.A != 0xff {
		panic(fmt.Sprintf("figures: colour %v is not opaque", c))
	}
	return n.R, n.G, n.B
}

// number writes a length in points to a hundredth, the shortest way.
func number[T ~float64](x T) string { return round(float64(x), 100) }

// factor writes an element of a transformation.
func factor(x float64) string { return round(x, 1e6) }

func round(x, unit float64) string {
	x = math.Round(x*unit) / unit
	if x == 0 {
		x = 0 // not -0
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// walk breaks a path into the operations move 'M', line 'L', cubic curve 'C'
// and close 'Z', which both vector formats have.
func walk(path vg.Path, emit func(op byte, pts ...vg.Point)) {
	var at vg.Point // where the pen stands
	for _, s := range path {
		switch s.Type {
		case vg.MoveComp:
			emit('M', s.Pos)
		case vg.LineComp:
			emit('L', s.Pos)
		case vg.CurveComp:
			if len(s.Control) == 2 {
				emit('C', s.Control[0], s.Control[1], s.Pos)
				break
			}
			// A parabola is a cubic whose controls stand at two thirds.
			q := s.Control[0]
			emit('C',
				at.Add(q.Sub(at).Scale(2./3)),
				s.Pos.Add(q.Sub(s.Pos).Scale(2./3)),
				s.Pos)
		case vg.ArcComp:
			at = arc(s, emit)
			continue
		case vg.CloseComp:
			emit('Z')
			continue
		}
		at = s.Pos
	}
}

// arc approximates a circular arc by cubics of at most a quarter turn, whose
// error is 3e-4 of the radius, and returns its end.
func arc(s vg.PathComp, emit func(op byte, pts ...vg.Point)) vg.Point {
	on := func(a float64) (p, tangent vg.Point) {
		sin, cos := math.Sincos(a)
		r := s.Radius
		return vg.Point{X: s.Pos.X + r*vg.Length(cos), Y: s.Pos.Y + r*vg.Length(sin)},
			vg.Point{X: -r * vg.Length(sin), Y: r * vg.Length(cos)}
	}
	n := int(math.Ceil(math.Abs(s.Angle) / (math.Pi / 2)))
	p, tp := on(s.Start)
	emit('L', p)
	for i := range n {
		step := s.Angle / float64(n)
		k := vg.Length(4. / 3 * math.Tan(step/4))
		q, tq := on(s.Start + step*float64(i+1))
		emit('C', p.Add(tp.Scale(k)), q.Sub(tq.Scale(k)), q)
		p, tp = q, tq
	}
	return p
}
