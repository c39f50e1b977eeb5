package figures

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Rank is the mean rank of a method over data sets, 1 the best.
type Rank struct {
	Name string
	Mean float64
}

const (
	rankSide = vg.Length(125) // for names, on each side
	rankRow  = vg.Length(11)
	barRow   = vg.Length(5)
)

// Ranks draws the diagram of critical differences of J. Demšar, "Statistical comparisons of
// classifiers over multiple data sets" (JMLR 7, 2006), as wide as a page: methods on the axis
// of their mean ranks, and bars that join those that do not differ significantly.
func Ranks(ranks []Rank, critical float64, label string) *Figure {
	ranks = slices.Clone(ranks)
	slices.SortStableFunc(ranks, func(a, b Rank) int {
		if a.Mean < b.Mean {
			return -1
		}
		return map[bool]int{true: 1}[a.Mean > b.Mean]
	})
	var (
		n      = len(ranks)
		groups = alike(ranks, critical)
		half   = (n + 1) / 2
		bars   = vg.Length(len(groups)+1) * barRow
		head   = 4 * rankRow // the critical difference, the label and the numbers of the axis
		height = head + bars + vg.Length(half)*rankRow + 2*pageEdge
		known  = new(styles)
	)
	require(n > 1 && critical > 0, "%d ranks with a critical difference of %g", n, critical)
	return &Figure{width: pageWidth, height: height, draw: func(c draw.Canvas) {
		at := func(rank float64) vg.Length {
			return rankSide + (pageWidth-2*rankSide)*vg.Length((rank-1)/float64(n-1))
		}
		axis, thin := c.Max.Y-head, line(hairline, black)
		middle := letters(textSize, text.XCenter, text.YBottom)
		c.StrokeLine2(thin, at(1), axis, at(float64(n)), axis)
		ticks := linearTicks(1, float64(n), tickCount)
		for i := 1; i <= n; i++ {
			length := tickLength / 2
			for _, t := range ticks {
				if t.Value == float64(i) && t.Label != "" {
					length = tickLength
					write(c, middle, vg.Point{X: at(t.Value), Y: axis + tickLength + 1}, t.Label)
				}
			}
			c.StrokeLine2(thin, at(float64(i)), axis, at(float64(i)), axis+length)
		}
		write(c, middle, vg.Point{X: c.Center().X, Y: axis + rankRow + tickLength}, label)
		ruler, end := axis+2.4*rankRow, 1+critical
		c.StrokeLine2(line(curveWidth, black), at(1), ruler, at(end), ruler)
		for _, x := range []float64{1, end} {
			c.StrokeLine2(line(curveWidth, black), at(x), ruler-2, at(x), ruler+2)
		}
		write(c, middle, vg.Point{X: at(1 + critical/2), Y: ruler + 2}, fmt.Sprintf("CD = %.1f", critical))
		for i, r := range ranks {
			sty, side, x, row := letters(textSize, text.XRight, text.YCenter), vg.Length(-1), rankSide, i
			if i >= half {
				sty, side, x, row = letters(textSize, text.XLeft, text.YCenter), 1, pageWidth-rankSide, n-1-i
			}
			y := axis - bars - (vg.Length(row)+0.5)*rankRow
			style := known.next(Curve{Name: r.Name})
			path := []vg.Point{{X: at(r.Mean), Y: axis}, {X: at(r.Mean), Y: y}, {X: x, Y: y}}
			c.StrokeLines(line(thinWidth, style.Color), path)
			c.DrawGlyph(style.glyph(markerRadius), path[0])
			write(c, sty, vg.Point{X: x + side*textGap, Y: y}, fmt.Sprintf("%s (%.1f)", Words(r.Name), r.Mean))
		}
		for i, g := range groups {
			y := axis - vg.Length(i+1)*barRow
			c.StrokeLine2(line(2.2, black), at(g[0])-2, y, at(g[1])+2, y)
		}
	}}
}

// alike returns the ends of the largest groups of ascending ranks of which the first and the
// last are less than the critical difference apart.
func alike(ranks []Rank, critical float64) (out [][2]float64) {
	last := math.Inf(-1)
	for i, r := range ranks {
		end := r.Mean
		for _, other := range ranks[i:] {
			if other.Mean-r.Mean < critical {
				end = other.Mean
			}
		}
		if end > r.Mean && end > last {
			out = append(out, [2]float64{r.Mean, end})
			last = end
		}
	}
	return out
}
