package figures

import "math"

// missing counts the points of curves that a page does not show, although they
// have coordinates.
type missing struct{ infinite, negative, outside int }

// count adds the curves of a panel. A reference may go on for ever; so may
// lines without markers, which are seen to leave the panel.
func (m *missing) count(w window, curves []Curve) {
	for _, c := range curves {
		if c.Style == Reference {
			continue
		}
		for i, x := range c.X {
			y := c.Y[i]
			switch {
			case math.IsNaN(x) || math.IsNaN(y):
			case math.IsInf(x, 0) || math.IsInf(y, 0):
				m.infinite++
			case !w.shows(x, y):
				m.negative++
			case c.Style != Line && !w.holds(x, y):
				m.outside++
			}
		}
	}
}

// entries are the notes in the legend, for panels that are called maps, charts.
func (m missing) entries(panels string) (out []entry) {
	for _, note := range []struct {
		n    int
		text string
	}{
		{m.infinite, " at infinity, not shown"},
		{m.negative, " ≤ 0, not shown on a logarithmic axis"},
		{m.outside, " outside the " + panels},
	} {
		if note.n > 0 {
			out = append(out, entry{text: plural(note.n, "point") + note.text})
		}
	}
	return out
}
