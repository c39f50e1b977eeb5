package figures

import (
	"image/color"
	"math"
	"testing"

	check "closedform/internal/checktest"
)

// flagged returns a small map with values that its scale cannot show.
func flagged() (Map, Axis) {
	nan, inf := math.NaN(), math.Inf(1)
	g := []float64{-2, 0, 2}
	z := []float64{-1e-9, -inf, 0, nan, 0.5, 1, 0.25, 0.75, 1.5}
	return Map{X: g, Y: g, Z: z}, Axis{Label: "variance", Max: 1}
}

// sweep is a map with logarithmic axes, a logarithmic scale, curves and gaps.
func sweep() (Map, Axis) {
	x, y := []float64{0.05, 0.2, 1.5}, []float64{1e-3, 1, 1e3, 1e4}
	z := []float64{1e-4, 1e-3, 1e-2, 0, 0.1, 1, math.NaN(), 0.5, 0.5, 1e-3, 1e-3, 2}
	return Map{X: x, Y: y, Z: z, Curves: []Curve{
		{Name: "slope", Kind: Line, X: x, Y: []float64{1e-2, 1, 10}},
		{Name: "boundary", Kind: Reference, X: []float64{0.01, 2}, Y: []float64{1, 1}},
		{Name: "best", X: []float64{0.1, 0.3, 9, -1}, Y: []float64{10, 100, 100, 1}},
	}}, Axis{Label: "error", Min: 1e-4, Max: 1, Log: true}
}

// Pixels of the picture have the colours of their values, the first row of the grid at the foot.
func TestMapColours(t *testing.T) {
	m := Map{X: []float64{0, 1}, Y: []float64{0, 1}, Z: []float64{0, 1, -1, 2}}
	img := decode(Maps([]Row{{Axis{Max: 1}, []Map{m}}}, Labels{}))
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	first, last := anchors[0].(color.NRGBA), anchors[len(anchors)-1].(color.NRGBA)
	for i, c := range []color.NRGBA{first, last, belowColor, aboveColor} {
		x, y := w/4+i%2*w/3, h*6/10-i/2*h/3
		got := img.At(x, y)
		check.True(t, near(got, c), "value %g at %d, %d of %d, %d: %v, want %v", m.Z[i], x, y, w, h, got, c)
	}
}

func TestMapLegend(t *testing.T) {
	m, s := flagged()
	field, scale := sweep()
	for _, test := range []struct {
		field Map
		scale Axis
		below string
		want  []string
	}{
		{m, s, "negative", []string{"negative", "above scale", "no value"}},
		{field, scale, "", []string{"slope", "boundary", "best", "below scale", "above scale", "no value"}},
	} {
		var got []string
		styles := styles{known: map[string]style{}, flags: map[color.Color]bool{}}
		styles.mapPlotters(test.field, Axis{Max: 1}, Axis{Max: 1}, test.scale)
		for _, k := range append(styles.keys, styles.flagKeys(test.below)...) {
			got = append(got, k.text)
		}
		check.Equal(t, "legend", got, test.want)
	}
}
