package figures

import (
	"fmt"
	"image/color"
	"testing"

	check "closedform/internal/checktest"
)

// No two curves of a figure have one colour and marker, and no two of ten one colour. A group has its colour,
// whatever else is there, unless that is taken.
func TestStyles(t *testing.T) {
	s, own, pairs := styles{of: map[string]style{}}, map[color.NRGBA]bool{}, map[string]bool{}
	for i := range len(colors) * len(shapes) {
		name := fmt.Sprint(i)
		s.add(Curve{Name: name, Group: 3 * (i % 2)})
		sty := s.of[name]
		if pairs[fmt.Sprint(sty.color, sty.marker)] = true; i < len(colors) {
			own[sty.color] = true
		}
	}
	check.Equal(t, "colours of ten curves", len(own), len(colors))
	check.Equal(t, "colour of the group", s.of["1"].color, colors[2])
	check.Equal(t, "styles of many curves", len(pairs), len(colors)*len(shapes))
}
