package figures

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	mapGap     = vg.Length(12) // between neighbouring panels
	rowGap     = vg.Length(11)
	titleSpace = vg.Length(13)
	pageEdge   = vg.Length(1.5)
	labelApart = vg.Length(4) // between the tick labels of neighbours
	tickCount  = 5
)

// A panel is a data area with its axes and a title.
type panel struct {
	title string
	x, y  edge
	draw  func(dc draw.Canvas, area vg.Rectangle)
}

// A sheet is a page of rows of panels, whose data areas have one size and
// stand in straight columns. An axis that is the same as that of the panel
// below it, or to its left, has no text of its own. A title that repeats the
// one above it in the column is left out.
type sheet struct {
	rows   [][]panel
	aspect vg.Length // height of the data areas in their width
	// margin is the room at the right edge of the page, and beside draws what
	// stands there beside a row, given the data area of the last column.
	margin vg.Length
	beside func(dc draw.Canvas, row int, area vg.Rectangle)
	legend []entry
	powers bool // a vertical axis of the first row may say 10ⁿ
}

// has tells whether there is a panel at a row and a column.
func (s sheet) has(i, j int) bool { return i >= 0 && i < len(s.rows) && j >= 0 && j < len(s.rows[i]) }

// bareX and bareY tell whether the text of an axis is that of a neighbour.
func (s sheet) bareX(i, j int) bool {
	return s.has(i+1, j) && s.rows[i+1][j].x == s.rows[i][j].x
}

func (s sheet) bareY(i, j int) bool {
	return s.has(i, j-1) && s.rows[i][j-1].y == s.rows[i][j].y
}

// repeated tells whether a panel has no title or that of the one above it.
func (s sheet) repeated(i, j int) bool {
	title := s.rows[i][j].title
	return title == "" || s.has(i-1, j) && s.rows[i-1][j].title == title
}

// titled tells whether a row needs space for titles.
func (s sheet) titled(i int) bool {
	for j := range s.rows[i] {
		if !s.repeated(i, j) {
			return true
		}
	}
	return false
}

// lineHeight is that of the name of an axis.
func lineHeight() vg.Length { return words(labelSize, text.XLeft, text.YBottom).Height("x") }

// figure lays the page out.
func (s sheet) figure() *Figure {
	columns := 0
	for _, r := range s.rows {
		columns = max(columns, len(r))
	}
	width := down(min(pageWidth, columnWidth*vg.Length(columns)))

	// The room for tick labels beside a column is that of the panel that needs
	// most.
	room := make([]vg.Length, columns)
	for i, r := range s.rows {
		for j, p := range r {
			if !s.bareY(i, j) {
				room[j] = max(room[j], widest(p.y.yTicks()))
			}
		}
	}
	name := lineHeight()
	leftEdge := up(room[0] + tickLength + 2*textGap + name + pageEdge)
	gap := make([]vg.Length, columns) // to the left of a column; unused for the first
	var gaps vg.Length
	for j := 1; j < columns; j++ {
		gap[j] = s.gap(j)
		if room[j] > 0 {
			gap[j] += room[j] + tickLength + textGap + name
		}
		gaps += gap[j]
	}
	side := down((width - leftEdge - s.margin - gaps) / vg.Length(columns))
	height := down(side * s.aspect)
	x := make([]vg.Length, columns)
	var past vg.Length
	for j := range x {
		if j > 0 {
			past += up(side + gap[j])
		}
		x[j] = leftEdge + past
	}

	key := newLegend(s.legend, width-leftEdge-pageEdge)
	foot := tickLength + 1 + words(tickSize, 0, 0).Height("0") + name
	y := foot + pageEdge
	if len(key) > 0 {
		y += key.height() + textGap
	}
	y = up(y)

	// From the bottom up, so that every data area stands on whole dots.
	floor := make([]vg.Length, len(s.rows))
	for i := len(s.rows) - 1; i >= 0; i-- {
		floor[i] = y
		y += height
		if s.titled(i) {
			y += up(titleSpace)
		}
		if i > 0 {
			y += up(rowGap)
			if s.textBelow(i - 1) {
				y += up(foot)
			}
		}
	}
	if !s.titled(0) {
		// Half a tick label reaches above the panel, an exponent farther.
		if s.powers {
			y += up(0.75 * tickSize)
		} else {
			y += up(tickSize / 2)
		}
	}

	return &Figure{width: width, height: up(y), draw: func(dc draw.Canvas) {
		for i, r := range s.rows {
			for j, p := range r {
				area := box(x[j], floor[i], side, height)
				p.draw(dc, area)
				axis{side: bottom, edge: p.x, ticks: p.x.xTicks(side), bare: s.bareX(i, j)}.draw(dc, area)
				axis{side: left, edge: p.y, ticks: p.y.yTicks(), bare: s.bareY(i, j), room: room[j]}.draw(dc, area)
				if !s.repeated(i, j) {
					drawTitle(dc, area, p.title)
				}
			}
			if s.beside != nil {
				s.beside(dc, i, box(x[columns-1], floor[i], side, height))
			}
		}
		key.draw(dc, vg.Point{X: leftEdge, Y: pageEdge + key.height()})
	}}
}

// gap returns the least distance of a column from the one to its left, so that
// the tick labels below them keep apart.
func (s sheet) gap(j int) vg.Length {
	gap := mapGap
	for i := range s.rows {
		if s.has(i, j) {
			_, after := s.rows[i][j-1].x.overhang(narrow)
			before, _ := s.rows[i][j].x.overhang(narrow)
			gap = max(gap, after+before+labelApart)
		}
	}
	return gap
}

// narrow is a width at which gaps are found before that of the areas is known:
// labels reach no farther beyond a wider one.
const narrow = vg.Length(90)

// textBelow tells whether an axis of a row, with a panel below it, has text.
func (s sheet) textBelow(i int) bool {
	for j := range s.rows[i] {
		if s.has(i+1, j) && !s.bareX(i, j) {
			return true
		}
	}
	return false
}

func drawTitle(dc draw.Canvas, area vg.Rectangle, title string) {
	at := vg.Point{X: middle(area).X, Y: area.Max.Y + textGap}
	dc.FillText(words(labelSize, text.XCenter, text.YBottom), at, title)
}

// box returns a rectangle by its lower left corner and its size.
func box(x, y, width, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}
}
