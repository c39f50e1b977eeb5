package figures

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestStyleOf(t *testing.T) {
	if a, b := StyleOf("adf_exact: not given"), StyleOf("adf-exact"); a.Color != b.Color || a.Marker != b.Marker {
		t.Errorf("styles %v and %v of one method", a, b)
	}
	marked := map[string]Style{} // of methods that lines with markers show together, which have no dashes
	for _, name := range []string{"joint", "joint_slope", "joint_slope_skip", "joint_slope_project", "joint_slope_fail"} {
		s := StyleOf(name)
		for of, other := range marked {
			if other.Color == s.Color && other.Marker == s.Marker {
				t.Errorf("%s and %s have one colour and marker", name, of)
			}
		}
		marked[name] = s
	}
	seen := map[string]string{}
	for _, family := range wellKnown {
		for _, line := range family {
			name := strings.Fields(line)[0]
			s := StyleOf(name)
			look := fmt.Sprint(s.Color, s.Marker, s.Dashes)
			if other, ok := seen[look]; ok {
				t.Errorf("%s and %s have one style", name, other)
			}
			seen[look] = name
		}
	}
	// Whoever else is in the figure, a well-known method keeps its style; the others
	// keep apart from all before them.
	var curves []Curve
	for i := range 30 {
		curves = append(curves, Curve{Name: fmt.Sprint("new ", i)})
	}
	s := stylesOf(append(curves, Curve{Name: "adf"}))
	if got := s.of["adf"]; got.Color != StyleOf("adf").Color || got.Marker != StyleOf("adf").Marker {
		t.Errorf("style %v", got)
	}
	pairs := map[string]bool{}
	for i := range 30 {
		style := s.of[fmt.Sprint("new ", i)]
		pairs[fmt.Sprint(style.Color, style.Marker)] = true
	}
	if len(pairs) != 30 {
		t.Errorf("%d styles of 30 names", len(pairs))
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"adf_exact": "ADF, exact", "adf-exact: 3 seeds": "ADF, exact: 3 seeds", "smooth": "ADF, smoothing", "my_own-rule": "my own rule",
		"$p_1$, slope-matched": "$p_1$, slope-matched", "monte-carlo": "Monte Carlo",
		"my-rule lambda=1e-3": "my-rule lambda=1e-3",
	} {
		if got := Words(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	chart := Chart{Curves: []Curve{{Name: "adf_exact"}, {Name: "true_rate", Kind: Reference}}}
	if got := texts(stylesOf(chart.Curves).keys()); !slices.Equal(got, []string{"ADF, exact", "true_rate"}) {
		t.Errorf("legend %q", got)
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
			for j, b := range append(colors[:i:i], white) {
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
