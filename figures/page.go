package figures

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A panel is a plot with a title and axes that may be those of its neighbours.
type panel struct {
	title    string
	x, y     Axis
	plotters []plot.Plotter
}

// A page is rows of panels, whose data areas have one size and stand in straight
// columns. An axis that is the same as that of the panel below it, or to its left,
// has no text of its own. A title that repeats the one above it in the column is
// left out.
type page struct {
	rows   [][]panel
	width  vg.Length                       // 0: that of a column for one panel in a row, of a page for more
	height func(width vg.Length) vg.Length // of a data area, by its width
	label  string                          // of X, for panels that have none of their own
	names  names                           // left of each row, in place of the ticks of Y
	keys   []key
	// margin is the room at the right edge of the page, and beside draws what
	// stands there beside a row, given the data area of its last panel.
	margin vg.Length
	beside func(area draw.Canvas, row int)
}

// names are those of the rows of dots. They stand outside the panels that plot.Align aligns, whose widths it
// would get wrong where names are wider than a column of the page. What is longer than half of the page is cut off.
type names []plot.Tick

// Ticks implements plot.Ticker.
func (n names) Ticks(_, _ float64) []plot.Tick { return n }

// room is the width of the names as plots draw them.
func (n names) room() vg.Length {
	if n == nil {
		return 0
	}
	sty := letters(textSize, 0, 0)
	width := sty.Width(" ")
	for _, t := range n {
		width = max(width, sty.Width(" ")+sty.Width(t.Label))
	}
	return width
}

const (
	panelGap = vg.Length(9)
	rowGap   = vg.Length(6)

	landscape = vg.Length(0.62) // height by width of a data area that is no square
)

// at returns the panel at a row and a column, an empty one if there is none.
func (p page) at(i, j int) (out panel) {
	if i >= 0 && i < len(p.rows) && j >= 0 && j < len(p.rows[i]) {
		out = p.rows[i][j]
	}
	return out
}

// figure lays the page out: first to see how wide the data areas are, then with
// ticks and a height that suit them.
func (p page) figure() *Figure {
	var (
		plots = p.plots()
		tiles = draw.Tiles{
			Rows: len(plots), Cols: len(plots[0]), PadX: panelGap, PadY: rowGap,
			PadLeft: pageEdge + min(p.names.room(), cmp.Or(p.width, pageWidth)/2), PadRight: pageEdge + p.margin, PadTop: pageEdge, PadBottom: pageEdge,
		}
		width  = cmp.Or(p.width, pageWidth)
		height = width
		area   vg.Rectangle
		foot   legend
		labels = letters(textSize, text.XCenter, text.YTop)
	)
	if p.width == 0 && tiles.Cols == 1 {
		width, height = columnWidth, columnWidth
	}
	for range 2 {
		dc := draw.Canvas{Rectangle: box(0, 0, width, height)}
		area = plots[0][0].DataCanvas(plot.Align(plots, tiles, dc)[0][0]).Rectangle
		size := area.Size()
		foot = newLegend(p.keys, width-area.Min.X-pageEdge)
		bottom := pageEdge + foot.height()
		if p.label != "" {
			bottom += labels.Height(p.label)
		}
		n := vg.Length(len(plots))
		height += bottom - tiles.PadBottom + n*(p.height(size.X)-size.Y)
		height -= min(max(height-pageHeight, 0), n*p.height(size.X)/2)
		tiles.PadBottom = bottom
		for i, row := range p.rows {
			for j, q := range row {
				plots[i][j].X.Tick.Marker = plot.ConstantTicks(q.x.fitting(size.X))
			}
		}
	}
	return &Figure{width: width, height: height, draw: func(dc draw.Canvas) {
		canvases := plot.Align(plots, tiles, dc)
		for i, row := range p.rows {
			var last draw.Canvas
			for j := range row {
				plt, c := *plots[i][j], canvases[i][j]
				if j == 0 && p.names != nil {
					plt.Y.Tick.Label.Font.Size = textSize
					c.Min.X -= p.names.room()
				}
				plt.Draw(c)
				last = plt.DataCanvas(c)
			}
			if p.beside != nil {
				p.beside(last, i)
			}
		}
		foot.draw(dc, area.Min.X)
		write(dc, labels, vg.Point{X: (area.Min.X + width) / 2, Y: tiles.PadBottom}, p.label)
	}}
}

// plots returns the plots of the panels, with nil where there is none.
func (p page) plots() [][]*plot.Plot {
	out := make([][]*plot.Plot, len(p.rows))
	columns := len(slices.MaxFunc(p.rows, func(a, b []panel) int { return len(a) - len(b) }))
	widest := make([]vg.Length, columns) // tick label of Y
	for i, row := range p.rows {
		out[i] = make([]*plot.Plot, columns)
		for j, q := range row {
			plt := newPlot(q.x, q.y)
			if p.names != nil {
				plt.Y.Tick.Marker, plt.Y.Tick.Length = p.names, 0
				withoutText(&plt.Y)
			}
			if p.at(i+1, j).x == q.x {
				withoutText(&plt.X)
			}
			if p.at(i, j-1).y == q.y {
				withoutText(&plt.Y)
			}
			addWithin(plt, q.plotters...)
			plt.Add(frame{})
			if q.title != "" && q.title != p.at(i-1, j).title {
				plt.Add(title(q.title))
			}
			widest[j] = max(widest[j], labelWidth(plt.Y))
			out[i][j] = plt
		}
	}
	// So the labels of stacked axes stand in one line.
	for i := range p.rows {
		for j := range p.rows[i] {
			out[i][j].Y.Label.Padding += widest[j] - labelWidth(out[i][j].Y)
		}
	}
	return out
}

// newPlot returns a plot without content between two axes.
func newPlot(x, y Axis) *plot.Plot {
	plt := plot.New()
	plt.TextHandler = typeset
	plt.BackgroundColor = nil
	for a, of := range map[*plot.Axis]Axis{&plt.X: x, &plt.Y: y} {
		a.Min, a.Max = of.at(of.Min), of.at(of.Max)
		a.Padding, a.Width = 0, 0 // The frame is the line of the axis.
		a.Label.Text, a.Label.Padding = of.Label, 1
		a.Label.TextStyle = letters(textSize, text.XCenter, text.YBottom)
		a.Tick.Label = letters(textSize, a.Tick.Label.XAlign, a.Tick.Label.YAlign)
		a.Tick.LineStyle, a.Tick.Length = line(hairline, black), tickLength
		a.Tick.Marker = plot.ConstantTicks(of.ticks(tickCount))
	}
	return plt
}

// withoutText leaves the ticks of an axis.
func withoutText(a *plot.Axis) {
	a.Label.Text = ""
	a.Tick.Label.Font.Size = 0
}

// labelWidth returns the width of the widest tick label of an axis.
func labelWidth(a plot.Axis) (width vg.Length) {
	for _, t := range a.Tick.Marker.Ticks(a.Min, a.Max) {
		width = max(width, a.Tick.Label.Width(t.Label))
	}
	return width
}

// addWithin adds plotters that neither take room beyond the data area nor change its ends.
func addWithin(plt *plot.Plot, plotters ...plot.Plotter) {
	for _, p := range plotters {
		plt.Add(struct{ plot.Plotter }{p})
	}
}

// frame is a plotter of the outline of a data area.
type frame struct{}

// Plot implements plot.Plotter.
func (frame) Plot(c draw.Canvas, _ *plot.Plot) {
	c.SetLineStyle(line(hairline, black))
	c.Stroke(c.Rectangle.Path())
}

// title is a plotter of a text above the middle of a data area.
type title string

// Plot implements plot.Plotter.
func (t title) Plot(c draw.Canvas, _ *plot.Plot) {
	write(c, letters(textSize, text.XCenter, text.YBottom), vg.Point{X: c.Center().X, Y: c.Max.Y + 1}, string(t))
}

// GlyphBoxes implements plot.GlyphBoxer: it keeps room for the title.
func (t title) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	sty := letters(textSize, text.XCenter, text.YBottom)
	return []plot.GlyphBox{{Y: 1, Rectangle: box(0, 0, 0, 1+sty.Height(string(t)))}}
}
