package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"testing"

	"closedform/internal/check"
)

// No two curves of a figure have one colour and marker; those of a group have one colour, whatever
// else is there, and those without a group have different ones while there are any.
func TestStyles(t *testing.T) {
	var curves []Curve
	for i := range 5 {
		curves = append(curves, Curve{Name: fmt.Sprint("own ", i)}, Curve{Name: fmt.Sprint("group ", i), Group: 3}, Curve{Name: fmt.Sprint("pair ", i), Group: 9 + i%2})
	}
	of, pairs := stylesOf(curves).of, map[string]bool{}
	own := map[color.NRGBA]bool{}
	for i := range 5 {
		check.Equal(t, "colours of groups", []any{of[fmt.Sprint("group ", i)].color, of[fmt.Sprint("pair ", i)].color}, []any{colors[2], colors[8+i%2]})
		own[of[fmt.Sprint("own ", i)].color] = true
	}
	for _, s := range of {
		pairs[fmt.Sprint(s.color, s.marker)] = true
	}
	check.Equal(t, "colours and styles", []any{len(own), len(pairs)}, []any{5, 15})
	var many []Curve
	for i := range Groups * len(shapes) {
		many = append(many, Curve{Name: fmt.Sprint(i), Group: 1 + i%3})
	}
	pairs = map[string]bool{}
	for _, s := range stylesOf(many).of {
		pairs[fmt.Sprint(s.color, s.marker)] = true
	}
	if len(pairs) != len(many) {
		t.Errorf("%d styles of %d curves", len(pairs), len(many))
	}
}

// Full protanopia, deuteranopia and tritanopia are simulated in linear RGB (G. Machado,
// M. Oliveira and L. Fernandes, 2009): the colours differ visibly in CIE Lab.
func TestColorsForColourBlind(t *testing.T) {
	for name, m := range map[string][3][3]float64{
		"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	} {
		for i, a := range colors {
			for j, b := range append(slices.Clone(colors[:i]), white) {
				p, q := lab(a, m), lab(b, m)
				if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); !(d > 8) {
					t.Errorf("%s: colours %d and %d are %.1f apart", name, i, j, d)
				}
			}
		}
	}
}

// lab returns CIE Lab of a colour as seen through a matrix in linear RGB.
func lab(c color.NRGBA, m [3][3]float64) (out [3]float64) {
	var rgb, xyz [3]float64
	for i, v := range []uint8{c.R, c.G, c.B} {
		rgb[i] = float64(v) / 255
		if rgb[i] <= 0.04045 {
			rgb[i] /= 12.92
		} else {
			rgb[i] = math.Pow((rgb[i]+0.055)/1.055, 2.4)
		}
	}
	toXYZ := [3][3]float64{{0.4339, 0.3762, 0.1899}, {0.2127, 0.7152, 0.0721}, {0.0178, 0.1095, 0.8727}} // white is 1
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				xyz[i] += toXYZ[i][j] * m[j][k] * rgb[k]
			}
		}
		xyz[i] = math.Cbrt(max(xyz[i], 0))
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}
