package figures

import (
	"testing"

	"closedform/internal/check"
)

// Neighbours share the text of an axis and a title, and stacked Y labels stand in one line.
func TestSharedText(t *testing.T) {
	x, wide := Axis{Label: "x", Max: 1}, Axis{Label: "x", Max: 99999}
	var p page
	for _, r := range [][][2]Axis{{{x, x}, {x, x}, {x, wide}}, {{x, wide}, {wide, wide}, {x, wide}}, {{x, x}}} {
		var row []panel
		for _, a := range r {
			row = append(row, panel{title: "t", x: a[0], y: a[1]})
		}
		p.rows = append(p.rows, row)
	}
	plots := p.plots()
	var bare []bool
	for i, r := range p.rows {
		for j := range r {
			bare = append(bare, plots[i][j].X.Label.Text == "", plots[i][j].Y.Label.Text == "")
		}
	}
	check.Equal(t, "bare x and y", bare, []bool{true, false, false, true, true, false, true, false, false, true, false, true, false, false})
	a, b := plots[0][0].Y, plots[1][0].Y
	check.Near(t, "labels from the axis", float64(a.Label.Padding+labelWidth(a)), float64(b.Label.Padding+labelWidth(b)), 1e-11)
	square, flat := Charts([][]Chart{{{X: x, Y: x}}}), Charts([][]Chart{{{X: x, Y: wide}}})
	if square.height-flat.height < 20 {
		t.Errorf("heights %v and %v: charts of one range are squares", square.height, flat.height)
	}
}
