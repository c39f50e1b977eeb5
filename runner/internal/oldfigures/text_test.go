package figures

import (
	"slices"
	"testing"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

func TestRuns(t *testing.T) {
	for _, test := range []struct {
		line string
		want []run
	}{
		{"class 1", []run{{text: "class 1"}}},
		{"$μ(y₁)$, p²", []run{
			{text: "μ", italic: true},
			{text: "("},
			{text: "y", italic: true},
			{text: "1", script: -1},
			{text: "), p"},
			{text: "2", script: +1},
		}},
		{"10⁻⁵", []run{{text: "10"}, {text: "−5", script: +1}}},
		{"$zᵢ$", []run{{text: "z", italic: true}, {text: "i", italic: true, script: -1}}},
		{"$Σ_y$, $Σ_{zy}a^2n$", []run{
			{text: "Σ", italic: true},
			{text: "y", italic: true, script: -1},
			{text: ", "},
			{text: "Σ", italic: true},
			{text: "zy", italic: true, script: -1},
			{text: "a", italic: true},
			{text: "2", script: +1},
			{text: "n", italic: true},
		}},
		{"a_b{c}^d", []run{{text: "a_b{c}^d"}}},
		{"", nil},
	} {
		if got := runs(test.line); !slices.Equal(got, test.want) {
			t.Errorf("runs(%q) = %+v, want %+v", test.line, got, test.want)
		}
	}
}

func TestScriptsHaveLetters(t *testing.T) {
	for _, pair := range [][2]string{{superscripts, superLetters}, {subscripts, subLetters}} {
		if a, b := []rune(pair[0]), []rune(pair[1]); len(a) != len(b) {
			t.Errorf("%d scripts, %d letters", len(a), len(b))
		}
	}
}

// TestFontHasLetters checks that labels of statistics contain no empty boxes.
func TestFontHasLetters(t *testing.T) {
	for _, line := range []string{"μσλρβγκΣΔ−×≤≥∞±()0123456789+ijkn", "$μσλρβγκxyzk$"} {
		parts, _ := set(line, words(labelSize, 0, 0).Font)
		for _, p := range parts {
			var buf sfnt.Buffer
			for _, r := range p.text {
				if g, err := p.face.Face.GlyphIndex(&buf, r); err != nil || g == 0 {
					t.Errorf("no letter %q in %s: %v", r, p.face.Name(), err)
				}
			}
		}
	}
}

// TestWidth uses that all digits of the font are half an em wide.
func TestWidth(t *testing.T) {
	sty := words(10, text.XLeft, text.YBottom)
	got := float64(sty.Width("23$₄$"))
	if want := 10 * (2 + scriptSize) / 2; !scalar.EqualWithinAbs(got, want, 1e-9) {
		t.Errorf("width %g, want %g", got, want)
	}
}

// TestOutline checks the bounding box of a letter against the font: capital H
// of Liberation Serif is 1341 units high and stands on the base line.
func TestOutline(t *testing.T) {
	face := fonts().Lookup(words(20.48, 0, 0).Font, 20.48)
	lo, hi := vg.Length(1e9), vg.Length(-1e9)
	for _, c := range outline(face, vg.Point{X: 3, Y: 100}, "H") {
		if c.Type != vg.CloseComp {
			lo, hi = min(lo, c.Pos.Y), max(hi, c.Pos.Y)
		}
	}
	if !scalar.EqualWithinAbs(float64(lo), 100, 1e-9) || !scalar.EqualWithinAbs(float64(hi), 113.41, 1e-9) {
		t.Errorf("H reaches from %g to %g, want 100 to 113.41", lo, hi)
	}
}
