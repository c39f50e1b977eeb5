package figures

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Map is a scalar field on a rectangular grid. A value colours the points that are nearest to its grid point.
type Map struct {
	Title  string
	X, Y   []float64   // coordinates of the grid, ascending, two or more each
	Z      []float64   // Z[j*len(X)+i] is the value at (X[i], Y[j])
	Curves []Curve     // drawn over the field; the legend explains them
	Points [][]float64 // the examples seen so far, x and y of each
	Class  []int       // classes of the Points, from 0
}

// Row is a row of maps that share a scale, whose ends may come from their values. Values outside the scale,
// +Inf and NaN have special colours, which the legend explains.
type Row struct {
	Scale Axis
	Maps  []Map
}

// Labels are the axes and the words of a figure of maps. Empty ones have defaults.
type Labels struct {
	X, Y    Axis   // axes with the ends of the grids; default "$x_1$" and "$x_2$"
	Classes int    // number of classes in the legend, shown or not
	Below   string // what a value below the scale means; default "below scale"
	Tiles   bool   // whether each value of a grid of at most eight has its name and a tile of the same size
}

const (
	shades = 253
	cells  = 480 // number of pixels along each axis of a map
	tiles  = 8   // largest number of tiles along an axis
)

// Maps draws rows of maps on one page, with one colour bar for each row. Maps are square if both axes are
// the same, or if a row has many. The maps must not change until the last Encode.
func Maps(rows []Row, labels Labels) *Figure {
	var out page
	styles := styles{known: map[string]style{}, flags: map[color.Color]bool{}}
	x, y := cmp.Or(labels.X, Axis{Label: "$x_1$"}), cmp.Or(labels.Y, Axis{Label: "$x_2$"})
	for _, r := range rows {
		var values []float64
		for _, m := range r.Maps {
			values = append(values, m.Z...)
		}
		scale := r.Scale.spanning(values, 0)
		scale.check()
		var panels []panel
		for _, m := range r.Maps {
			x.Min, x.Max = m.X[0], m.X[len(m.X)-1]
			y.Min, y.Max = m.Y[0], m.Y[len(m.Y)-1]
			x, y := x, y
			if labels.Tiles {
				x, y = m.tile(x, y)
			}
			panels = append(panels, panel{m.Title, x, y, styles.mapPlotters(m, x, y, scale)})
		}
		out.rows, out.scales = append(out.rows, panels), append(out.scales, scale)
	}
	for class := range labels.Classes {
		m, fill := classMarker(class)
		out.explain(true, fmt.Sprint("class ", class+1), scatter(m, fill))
	}
	out.explainMaps(styles, labels.Below)
	return out.figure()
}

// tile moves a map without points to axes with tiles, and returns these.
func (m *Map) tile(x, y Axis) (Axis, Axis) {
	x, placesX := x.tiled(m.X)
	y, placesY := y.tiled(m.Y)
	m.X, m.Y, m.Curves = placesX(m.X), placesY(m.Y), slices.Clone(m.Curves)
	for i, c := range m.Curves {
		m.Curves[i].X, m.Curves[i].Y = placesX(c.X), placesY(c.Y)
	}
	return x, y
}

// mapPlotters returns the plotters of a map. A curve that lies outside has none, and no legend key.
func (s *styles) mapPlotters(m Map, x, y, scale Axis) []plot.Plotter {
	out := []plot.Plotter{s.picture(m, x, y, scale)}
	for _, c := range m.Curves {
		if !c.crosses(x, y) {
			continue
		}
		sty := s.style(c)
		for _, l := range []draw.LineStyle{sty.edge, sty.line} {
			for _, p := range c.pieces(x, y) {
				out = append(out, &plotter.Line{XYs: p, LineStyle: l})
			}
		}
	}
	for i, p := range m.Points {
		shape, fill := classMarker(m.Class[i])
		out = append(out, scatter(shape, fill, point(x, y, p[0], p[1])))
	}
	return out
}

// crosses reports whether a part of the curve is within the frame.
func (c Curve) crosses(x, y Axis) bool {
	left, right := x.ends()
	foot, top := y.ends()
	frame := box(vg.Length(left), vg.Length(foot), vg.Length(right-left), vg.Length(top-foot))
	canvas := draw.Canvas{Rectangle: frame}
	return slices.ContainsFunc(c.pieces(x, y), func(piece plotter.XYs) bool {
		var path []vg.Point
		for _, p := range piece {
			path = append(path, vg.Point{X: vg.Length(p.X), Y: vg.Length(p.Y)})
		}
		return len(canvas.ClipLinesXY(path)) > 0
	})
}

// picture returns the field as an image on an even grid. Grids may be uneven and axes logarithmic, for which
// gonum's HeatMap has no images. Each image of a figure has another width.
func (s *styles) picture(m Map, x, y, scale Axis) plot.Plotter {
	lo, hi := scale.ends()
	colors := ramp().Palette(shades).Colors()
	values := make([]color.Color, len(m.Z))
	for k, z := range m.Z {
		switch {
		case math.IsNaN(z):
			values[k] = noColor
		case z < scale.Min:
			values[k] = belowColor
		case math.IsInf(z, 1):
			values[k] = infiniteColor
		case z > scale.Max:
			values[k] = aboveColor
		default:
			values[k] = colors[int((scale.coordinate(z)-lo)/(hi-lo)*(shades-1)+0.5)]
		}
		s.flags[values[k]] = true
	}
	s.images++
	columns, rows := x.nearest(m.X, cells+s.images), y.nearest(m.Y, cells)
	img := image.NewRGBA(image.Rect(0, 0, len(columns), cells))
	for i, column := range columns {
		for j, row := range rows {
			c := values[row*len(m.X)+column]
			if c == infiniteColor && (i+j)%32 < 3 { // a hatch line
				c = hatchColor
			}
			img.Set(i, cells-1-j, c)
		}
	}
	left, right := x.ends()
	foot, top := y.ends()
	return plotter.NewImage(img, left, foot, right, top)
}

// nearest returns, for each cell of a picture along the axis, the index of the nearest grid point.
func (a Axis) nearest(grid []float64, cells int) (out []int) {
	var coordinates []float64
	for _, v := range grid {
		coordinates = append(coordinates, a.coordinate(v))
	}
	lo, hi := a.ends()
	for cell := range cells {
		middle := lo + (hi-lo)*(float64(cell)+0.5)/float64(cells)
		out = append(out, floats.NearestIdx(coordinates, middle))
	}
	return out
}

// explainMaps adds legend keys for the curves and the special colours of maps.
func (p *page) explainMaps(s styles, below string) {
	p.keys = append(p.keys, s.keys...)
	area := func(c color.Color) *plotter.Polygon {
		return &plotter.Polygon{Color: c, LineStyle: line(hairline, black)}
	}
	p.explain(s.flags[belowColor], cmp.Or(below, "below scale"), area(belowColor))
	p.explain(s.flags[aboveColor], "above scale", area(aboveColor))
	p.explain(s.flags[infiniteColor], "infinite", area(infiniteColor), hatch{})
	p.explain(s.flags[noColor], "no value", area(noColor))
}

// hatch is the pattern of infinite values in the legend.
type hatch struct{}

// Thumbnail implements plot.Thumbnailer.
func (hatch) Thumbnail(c *draw.Canvas) {
	step := c.Size().X / 3
	for x := c.Min.X; x < c.Max.X-1; x += step {
		c.StrokeLine2(line(hairline, hatchColor), x, c.Max.Y, x+step, c.Min.Y)
	}
}

// classFills distinguish the markers of classes, in grey as well, and are no colours of maps. As the numbers
// of fills and shapes have no common divisor, every shape meets every fill.
var classFills = []color.NRGBA{white, black, rgb(0xe66a00)}

func classMarker(class int) (marker, color.Color) {
	m := shapes[class%len(shapes)]
	m.outline = black
	return m, classFills[class%len(classFills)]
}

// anchors are colours after the map viridis of S. van der Walt and N. Smith (2015).
var anchors = []color.Color{
	rgb(0x440154), rgb(0x472d7b), rgb(0x3b528b), rgb(0x2c728e), rgb(0x21918c),
	rgb(0x28ae80), rgb(0x5ec962), rgb(0xaddc30), rgb(0xfde725),
}

// The colours of values below and above a scale stand out from their end of it, in grey as well.
// That of infinite values is hatched.
var (
	belowColor, aboveColor, noColor = rgb(0xff7ac8), rgb(0xb10026), rgb(0xbdbdbd)
	infiniteColor, hatchColor       = white, black
)

// ramp returns the colours of maps from 0 to 1, with a lightness L* that rises linearly.
func ramp() palette.ColorMap {
	out, _ := moreland.NewLuminance(anchors) // no error: the lightness rises
	out.SetMax(1)
	return out
}
