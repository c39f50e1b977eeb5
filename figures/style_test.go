package figures

import (
	"fmt"
	"image/color"
	"testing"

	check "closedform/internal/checktest"
)

// No two curves of a figure have one colour and marker; those of a group have one colour, whatever
// else is there, and those without a group have different ones while there are any.
func TestStyles(t *testing.T) {
	s, own, pairs := styles{of: map[string]style{}}, map[color.NRGBA]bool{}, map[string]bool{}
	for i := range 5 {
		s.add(Curve{Name: fmt.Sprint("own ", i)}, Curve{Name: fmt.Sprint("group ", i), Group: 3})
		own[s.of[fmt.Sprint("own ", i)].color] = true
		check.Equal(t, "colour of the group", s.of[fmt.Sprint("group ", i)].color, colors[2])
	}
	check.Equal(t, "colours of curves without a group", len(own), 5)
	for i := range Groups*len(shapes) - 10 {
		s.add(Curve{Name: fmt.Sprint(i), Group: 1 + i%3})
	}
	for _, sty := range s.of {
		pairs[fmt.Sprint(sty.color, sty.marker)] = true
	}
	check.Equal(t, "styles of many curves", len(pairs), Groups*len(shapes))
}
