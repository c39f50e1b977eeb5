package figures

import "fmt"

// Curve is a named set of points in the plane of a chart or of a map, in the
// order in which a line joins them. The lines are straight on the page, also
// where an axis is logarithmic. A point with a coordinate that is not a number
// is a gap. So is one that is infinite, or not positive on a logarithmic axis;
// the legend counts these.
type Curve struct {
	// Name is the entry in the legend; without one there is none. Curves of
	// one name look alike in all panels of a figure.
	Name  string
	Style Style
	X, Y  []float64
	// Low and High, if given, are the ends of an interval about each Y: a band
	// in the colour of a Line, error bars of the other styles. A lower end
	// that is not positive reaches to the foot of a logarithmic axis; where an
	// end is not a number there is no interval. A Reference has none.
	Low, High []float64
	// Texts, if given, are words beside the points. They are for a few points:
	// each is put where it hides least of the others. The curves of a map have
	// neither intervals nor texts.
	Texts []string
}

// Style is the way in which a curve is drawn.
type Style int

const (
	// Marked is a line with markers. A curve of up to 16 points has one at
	// each, a longer one at those that stand apart.
	Marked Style = iota
	// Line is a line alone. Its dashes tell it from others in grey as well.
	Line
	// Scatter is a set of markers without a line.
	Scatter
	// Reference is a line to compare the data with: thin and grey beneath the
	// curves of a chart, white in a dark casing on a map. It does not widen
	// the axes of a chart.
	Reference
)

func (c Curve) check() {
	if len(c.X) != len(c.Y) {
		panic(fmt.Sprintf("figures: curve %q has %d X and %d Y", c.Name, len(c.X), len(c.Y)))
	}
	if c.Style < Marked || c.Style > Reference {
		panic(fmt.Sprintf("figures: curve %q has the unknown style %d", c.Name, c.Style))
	}
	if len(c.Low) != len(c.High) || c.Low != nil && len(c.Low) != len(c.Y) {
		panic(fmt.Sprintf("figures: curve %q has %d Low and %d High; it needs none or %d",
			c.Name, len(c.Low), len(c.High), len(c.Y)))
	}
	if c.Low != nil && c.Style == Reference {
		panic(fmt.Sprintf("figures: reference %q has Low and High", c.Name))
	}
	for i := range c.Low {
		if c.Low[i] > c.High[i] {
			panic(fmt.Sprintf("figures: curve %q: interval %d from %g to %g", c.Name, i, c.Low[i], c.High[i]))
		}
	}
	if c.Texts != nil && len(c.Texts) != len(c.Y) {
		panic(fmt.Sprintf("figures: curve %q has %d texts for %d points", c.Name, len(c.Texts), len(c.Y)))
	}
}

// looks gives every name of a curve a number, in the order of appearance; the
// references have numbers of their own.
type looks struct {
	number map[string]int
	named  []Curve // the first of every name, for the legend
}

// add gives a curve its look. It panics if a name stands for different styles
// or if there are more than limit looks.
func (l *looks) add(c Curve, limit int) {
	for _, known := range l.named {
		if known.Name == c.Name {
			if known.Style != c.Style {
				panic(fmt.Sprintf("figures: curve %q has two styles", c.Name))
			}
			return
		}
	}
	n := 0
	for _, known := range l.named {
		if (known.Style == Reference) == (c.Style == Reference) {
			n++
		}
	}
	if n >= limit {
		panic(fmt.Sprintf("figures: curve %q is one too many: there are looks for %d", c.Name, limit))
	}
	if l.number == nil {
		l.number = make(map[string]int)
	}
	l.number[c.Name] = n
	l.named = append(l.named, c)
}
