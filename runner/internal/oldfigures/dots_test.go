package figures

import (
	"bytes"
	"math"
	"testing"
)

// dotPlot has every kind of dot.
func dotPlot() DotPlot {
	inf, nan := math.Inf(1), math.NaN()
	return DotPlot{
		Names: []string{"one", "two", "three", "four"},
		Panels: []DotPanel{
			{Title: "a", Dots: []Dot{{0.5, 0.2, 0.8}, {0.1, -0.3, 0.5}, {inf, nan, nan}, {-7, -8, 3}}},
			{Title: "b", Dots: []Dot{{nan, nan, nan}, {0.2, nan, nan}, {-inf, nan, nan}, {0, -inf, inf}}},
			{Title: "c", Dots: []Dot{{1, 1, 1}, {0, 0, 0}, {2, 0, 4}, {-1, -1, 0}}},
		},
		Columns: 2, X: Axis{Label: "difference", Min: -1, Max: 1}, Key: "mean", Apart: "apart", Held: "held",
	}
}

func TestDotPlot(t *testing.T) {
	d := dotPlot()
	for _, format := range formats {
		a := encode(t, d.Figure(), format)
		if !bytes.Equal(a, encode(t, d.Figure(), format)) {
			t.Errorf("%s differs the second time", format)
		}
	}
	first := encode(t, d.Figure(), "svg")
	for _, change := range []func(*DotPlot){
		func(d *DotPlot) { d.Panels[0].Dots[0].Value = 0.6 },
		func(d *DotPlot) { d.Panels[0].Dots[1].High = 0.6 },
		func(d *DotPlot) { d.Panels[0].Dots[2].Value = math.Inf(-1) }, // the arrow is at the other end
		func(d *DotPlot) { d.Panels[0].Dots[2].Value = math.NaN() },
		func(d *DotPlot) { d.Mark = 0.5 },
		func(d *DotPlot) { d.Names[3] = "five" },
		func(d *DotPlot) { d.Panels[2].Title = "d" },
	} {
		other := dotPlot()
		change(&other)
		if bytes.Equal(encode(t, other.Figure(), "svg"), first) {
			t.Error("a change is not to be seen")
		}
	}
	// How far beyond the axis a dot lies is not seen.
	d = dotPlot()
	d.Panels[0].Dots[3].Value, d.Panels[0].Dots[3].Low = -70, -80
	if !bytes.Equal(encode(t, d.Figure(), "svg"), first) {
		t.Error("a dot beyond the axis has a place")
	}
	if wide := dotPlot().Figure(); !(wide.width > DotPlot{Names: d.Names, Panels: d.Panels, Columns: 1, X: d.X}.Figure().width) {
		t.Error("one column is as wide as two")
	}
}

func TestDotApart(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		dot  Dot
		mark float64
		want bool
	}{
		{Dot{2, 1, 3}, 0, true},
		{Dot{2, 1, 3}, 4, true},
		{Dot{2, 1, 3}, 1, false},
		{Dot{2, nan, nan}, 0, false},
		{Dot{2, math.Inf(-1), math.Inf(1)}, 0, false},
		{Dot{2, 1, 3}, nan, true},
	} {
		if got := c.dot.apart(c.mark); got != c.want {
			t.Errorf("%v of %g: %v", c.dot, c.mark, got)
		}
	}
}

// The legend has the signs that are there, and no others.
func TestDotLegend(t *testing.T) {
	d := dotPlot()
	if n := len(d.legend()); n != 4 {
		t.Errorf("%d entries", n)
	}
	d.Panels = []DotPanel{{Dots: []Dot{{0.5, 0.4, 0.6}, {0.5, 0.4, 0.6}, {0.5, 0.4, 0.6}, {math.NaN(), 0, 0}}}}
	d.Columns = 1
	if l := d.legend(); len(l) != 2 || l[1].text != "apart" {
		t.Errorf("%d entries", len(l))
	}
}

func TestDotPlotPanics(t *testing.T) {
	for name, change := range map[string]func(*DotPlot){
		"no names":         func(d *DotPlot) { d.Names = nil },
		"no panels":        func(d *DotPlot) { d.Panels = nil },
		"no columns":       func(d *DotPlot) { d.Columns = 0 },
		"too many columns": func(d *DotPlot) { d.Columns = 4 },
		"no axis":          func(d *DotPlot) { d.X = Axis{} },
		"a dot too few":    func(d *DotPlot) { d.Panels[1].Dots = d.Panels[1].Dots[1:] },
		"outside":          func(d *DotPlot) { d.Panels[0].Dots[0].Value = 3 },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: it is drawn", name)
				}
			}()
			d := dotPlot()
			change(&d)
			d.Figure()
		}()
	}
}
