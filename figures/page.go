package figures

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	pageEdge   = vg.Length(1.5)
	gap        = vg.Length(6)  // space between rows, beside a colour bar, and for half a tick label
	panelGap   = vg.Length(12) // space between columns of panels or keys, and height of a line of keys
	barWidth   = vg.Length(7)
	keyWidth   = vg.Length(17) // width of the picture of a legend key
	hairline   = vg.Length(0.5)
	tickLength = vg.Length(2.6)
	tickRoom   = vg.Length(18) // width that an X axis needs for each tick
	tickCount  = 5             // largest number of labelled ticks

	landscape = vg.Length(0.62) // ratio of height to width of a data area that is not square
	many      = 4               // number of columns beyond which data areas are square
)

type panel struct {
	title    string
	x, y     Axis
	plotters []plot.Plotter
}

// A page is rows of panels. It is as wide as a column of text if each row has one panel, else as a page. A
// panel does not repeat the text of an X axis that the panel below has, of a Y axis that the panel to the
// left has, and of a title that the panel above has.
type page struct {
	rows   [][]panel
	labels []string // lines of text below all panels
	scales []Axis   // scale of the colour bar of each row; nil: no colour bars
	keys   []key
}

func (p page) panel(i, j int) (out panel) {
	if i >= 0 && i < len(p.rows) && j >= 0 && j < len(p.rows[i]) {
		out = p.rows[i][j]
	}
	return out
}

func (p page) hasTitle(i, j int) bool { return p.panel(i, j).title != p.panel(i-1, j).title }
func (p page) hasX(i, j int) bool     { return p.panel(i, j).x != p.panel(i+1, j).x }
func (p page) hasY(i, j int) bool     { return p.panel(i, j).y != p.panel(i, j-1).y }

// margins returns the room left of each column, and above and below each row.
func (p page) margins(width vg.Length) (left, above, below []vg.Length) {
	for i, row := range p.rows {
		above, below = append(above, 0), append(below, tickLength)
		if i == 0 {
			above[i] = textHeight / 2 // space for a tick label at the end of the Y axis
		}
		for j, q := range row {
			if j == len(left) {
				left = append(left, 0)
			}
			if p.hasTitle(i, j) {
				above[i] = textHeight + 1
			}
			switch {
			case p.hasX(i, j) && q.x.Label != "":
				below[i] = tickLength + 2*textHeight
			case p.hasX(i, j):
				below[i] = max(below[i], tickLength+textHeight)
			}
			if p.hasY(i, j) {
				left[j] = min(max(left[j], q.y.room()), width/2)
			}
		}
	}
	return left, above, below
}

func (p page) figure() *Figure {
	aspect := vg.Length(1)
	for _, q := range slices.Concat(p.rows...) {
		q.x.check()
		q.y.check()
		if x, y := q.x, q.y; len(p.rows[0]) <= many &&
			(x.Min != y.Min || x.Max != y.Max || x.Log != y.Log || x.rows != y.rows) {
			aspect = landscape
		}
	}
	width, right := pageWidth, gap
	left, above, below := p.margins(width)
	for _, s := range p.scales {
		right = max(right, gap+barWidth+s.room())
	}
	if len(left) == 1 {
		width = columnWidth
	}
	columns, rows := vg.Length(len(left)), vg.Length(len(p.rows))
	wide := width - 2*pageEdge - right - (columns-1)*panelGap
	for _, room := range left {
		wide -= room
	}
	wide /= columns
	high := aspect * wide
	for _, row := range p.rows {
		high = max(high, textWidth(row[0].y.Label), textHeight*vg.Length(strings.Count(row[0].y.rows, "\n")))
	}
	foot, drawLegend := legend(p.keys, width-left[0]-2*pageEdge)
	height := 2*pageEdge + foot + textHeight*vg.Length(len(p.labels))
	for i := range p.rows {
		height += above[i] + below[i] + gap
	}
	high = min(high, max((pageHeight-height)/rows, high/2))
	height += rows * high

	return &Figure{width: width, height: height, draw: func(dc draw.Canvas) {
		y := height - pageEdge
		for i, row := range p.rows {
			x := pageEdge
			y -= above[i] + high
			for j, q := range row {
				x += left[j]
				c := draw.Canvas{Canvas: dc.Canvas, Rectangle: box(x, y, wide, high)}
				q.draw(c)
				if p.hasTitle(i, j) {
					write(c, vg.Point{X: c.Center().X, Y: c.Max.Y + 1}, 0.5, 0, q.title)
				}
				q.x.drawAcross(c, p.hasX(i, j))
				q.y.drawUp(c, -1, left[j], p.hasY(i, j))
				x += wide + panelGap
			}
			if p.scales != nil {
				c := draw.Canvas{Canvas: dc.Canvas, Rectangle: box(x-panelGap+gap, y, barWidth, high)}
				bar := &plotter.ColorBar{ColorMap: ramp(), Vertical: true, Colors: shades}
				panel{x: Axis{Max: 1}, y: Axis{Max: 1}, plotters: []plot.Plotter{bar}}.draw(c)
				p.scales[i].drawUp(c, +1, right-gap-barWidth, true)
			}
			y -= below[i] + gap
		}
		drawLegend(dc, pageEdge+left[0])
		for i, label := range p.labels {
			middle := vg.Point{X: (left[0] + width) / 2, Y: y + gap - textHeight*vg.Length(i)}
			write(dc, middle, 0.5, 1, label)
		}
	}}
}

func (q panel) draw(c draw.Canvas) {
	plt := plot.New()
	plt.X.Min, plt.X.Max = q.x.ends()
	plt.Y.Min, plt.Y.Max = q.y.ends()
	for _, p := range q.plotters {
		p.Plot(c, plt)
	}
	c.SetLineStyle(line(hairline, black))
	c.Stroke(c.Rectangle.Path())
}

// room returns the width of a vertical axis with its text.
func (a Axis) room() (room vg.Length) {
	for _, t := range a.ticks(tickCount) {
		room = max(room, textWidth(t.Label))
	}
	if a.Label != "" {
		room += textHeight + textGap
	}
	return room + tickLength + textGap
}

func (a Axis) drawAcross(c draw.Canvas, text bool) {
	lo, hi := a.ends()
	free, end := c.Min.X-panelGap/2, c.Max.X+panelGap/2 // left and right bound of the next label
	ticks := a.ticks(min(tickCount, max(1, int(c.Size().X/tickRoom))))
	slices.SortFunc(ticks, func(s, t plot.Tick) int { return cmp.Compare(s.Value, t.Value) })
	for _, t := range ticks {
		x, half := c.X((t.Value-lo)/(hi-lo)), textWidth(t.Label)/2+1
		mark(c, t, x, c.Min.Y, 0, -1)
		if x = min(max(x, c.Min.X-panelGap/2+half), end-half); text && !t.IsMinor() && x-half >= free {
			write(c, vg.Point{X: x, Y: c.Min.Y - tickLength}, 0.5, 1, t.Label)
			free = x + half
		}
	}
	if text {
		write(c, vg.Point{X: c.Center().X, Y: c.Min.Y - tickLength - textHeight}, 0.5, 1, a.Label)
	}
}

// drawUp draws an axis beside a data area, to the left (−1) or the right (+1). Names of rows have no ticks.
func (a Axis) drawUp(c draw.Canvas, side, room vg.Length, text bool) {
	edge := c.Center().X + side*c.Size().X/2
	lo, hi := a.ends()
	for _, t := range a.ticks(tickCount) {
		y := c.Y((t.Value - lo) / (hi - lo))
		if a.rows == "" {
			mark(c, t, edge, y, side, 0)
		}
		if text {
			write(c, vg.Point{X: edge + side*(tickLength+textGap), Y: y}, (1-side)/2, 0.5, t.Label)
		}
	}
	if text {
		c.Push()
		c.Translate(vg.Point{X: edge + side*(room-textHeight/2), Y: c.Center().Y})
		c.Rotate(math.Pi / 2)
		write(c, vg.Point{}, 0.5, 0.5, a.Label)
		c.Pop()
	}
}

func mark(c draw.Canvas, t plot.Tick, x, y, dx, dy vg.Length) {
	length := tickLength
	if t.IsMinor() {
		length /= 2
	}
	c.StrokeLine2(line(hairline, black), x, y, x+dx*length, y+dy*length)
}

type key struct {
	text   string
	thumbs []plot.Thumbnailer
}

// explain adds a legend key for what is shown.
func (p *page) explain(shown bool, text string, thumbs ...plot.Thumbnailer) {
	if shown {
		p.keys = append(p.keys, key{text, thumbs})
	}
}

// legend returns the height of a legend in some columns within a width, and the function that draws it.
func legend(keys []key, width vg.Length) (height vg.Length, draws func(c draw.Canvas, left vg.Length)) {
	extent := vg.Length(1) // width of a column of keys
	for _, k := range keys {
		extent = max(extent, keyWidth+textGap+textWidth(k.text)+panelGap)
	}
	columns := max(1, int((width+panelGap)/extent))
	lines := (len(keys) + columns - 1) / columns
	return vg.Length(lines) * panelGap, func(c draw.Canvas, left vg.Length) {
		for i, k := range keys {
			x := left + extent*vg.Length(i%columns)
			y := pageEdge + panelGap*(vg.Length(lines-i/columns)-0.5)
			picture := draw.Canvas{Canvas: c.Canvas, Rectangle: box(x, y-gap/2, keyWidth, gap)}
			for _, t := range k.thumbs {
				t.Thumbnail(&picture)
			}
			write(c, vg.Point{X: picture.Max.X + textGap, Y: y}, 0, 0.5, k.text)
		}
	}
}
