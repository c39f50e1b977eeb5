package figures

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A tick is a marked place on an axis.
type tick struct {
	at    float64
	label string
	minor bool // shorter
}

// ticks returns the multiples of a round step (1, 2 or 5 times a power of
// ten) in [lo, hi]: about n of them, the ends included if they are multiples.
func ticks(lo, hi float64, n int) []tick {
	const slack = 1e-9 // in steps, for ends that are multiples but for rounding
	least := (hi - lo) / float64(n)
	exp := int(math.Floor(math.Log10(least)))
	digits := []float64{1, 2, 5, 10}
	i := 0
	for i < 3 && digits[i]*math.Pow10(exp) < least*(1-slack) {
		i++
	}
	step := digits[i] * math.Pow10(exp)
	if digits[i] == 10 {
		exp++
	}
	power := 0 // of ten, where decimals would be too long
	if p := math.Floor(math.Log10(max(math.Abs(lo), math.Abs(hi)))); p < -3 || p > 4 {
		power = int(p)
	}
	decimals := max(0, power-exp)
	var out []tick
	for k := math.Ceil(lo/step - slack); k <= math.Floor(hi/step+slack); k++ {
		out = append(out, tick{at: k * step, label: decimal(k*step, decimals, power)})
	}
	return out
}

// decimal writes v with a true minus sign, as a multiple of a power of ten if
// that is not 0.
func decimal(v float64, decimals, power int) string {
	s := strconv.FormatFloat(v/math.Pow10(power), 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return "0"
	}
	if power != 0 {
		s += "×10" + superscript(power)
	}
	return strings.ReplaceAll(s, "-", "−")
}

// superscript writes an exponent.
func superscript(n int) string {
	return strings.NewReplacer(
		"-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
		"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹",
	).Replace(strconv.Itoa(n))
}

// widest returns the width of the widest label.
func widest(ts []tick) vg.Length {
	sty := words(tickSize, text.XLeft, text.YBottom)
	var w vg.Length
	for _, t := range ts {
		w = max(w, sty.Width(t.label))
	}
	return w
}

// A side is an edge of a data area.
type side int

const (
	bottom side = iota
	left
	right
)

// An axis is one scaled edge of a data area.
type axis struct {
	side side
	edge
	ticks []tick
	// bare leaves out all text; ticks remain.
	bare bool
	// room is the width that is kept for the tick labels of a vertical axis,
	// so that the labels of stacked axes stand in one line.
	room vg.Length
}

// draw draws the axis around a data area.
func (a axis) draw(dc draw.Canvas, area vg.Rectangle) {
	var (
		size = area.Size()
		// One path for all ticks keeps the vector formats small.
		marks vg.Path
		// Text begins this far from the area.
		off = tickLength + textGap
		// at returns the point a fraction along the axis and outwards of it.
		at func(along float64, out vg.Length) vg.Point
		// The styles of tick labels and of the axis label, and the distance
		// of the latter.
		numbers, name text.Style
		far           vg.Length
	)
	switch a.side {
	case bottom:
		at = func(t float64, out vg.Length) vg.Point {
			return vg.Point{X: area.Min.X + size.X*vg.Length(t), Y: area.Min.Y - out}
		}
		numbers = words(tickSize, text.XCenter, text.YTop)
		name = words(labelSize, text.XCenter, text.YTop)
		off = tickLength + 1 // a line of text brings space of its own
		far = off + numbers.Height("0")
	case left:
		at = func(t float64, out vg.Length) vg.Point {
			return vg.Point{X: area.Min.X - out, Y: area.Min.Y + size.Y*vg.Length(t)}
		}
		numbers = words(tickSize, text.XRight, text.YCenter)
		name = upright(words(labelSize, text.XCenter, text.YBottom))
		far = off + a.room + textGap
	case right:
		at = func(t float64, out vg.Length) vg.Point {
			return vg.Point{X: area.Max.X + out, Y: area.Min.Y + size.Y*vg.Length(t)}
		}
		numbers = words(tickSize, text.XLeft, text.YCenter)
		name = upright(words(labelSize, text.XCenter, text.YTop))
		far = off + a.room + textGap
	}
	for _, t := range a.ticks {
		along, length := a.fraction(t.at), tickLength
		if t.minor {
			length = minorTick
		}
		marks.Move(at(along, 0))
		marks.Line(at(along, length))
		if !a.bare && t.label != "" {
			dc.FillText(numbers, at(along, off), t.label)
		}
	}
	dc.SetLineStyle(line(hairline, ink))
	dc.Stroke(marks)
	if !a.bare {
		dc.FillText(name, at(0.5, far), a.label)
	}
}

// frame draws the outline of a data area.
func frame(dc draw.Canvas, area vg.Rectangle) {
	dc.SetLineStyle(line(hairline, ink))
	dc.Stroke(area.Path())
}
