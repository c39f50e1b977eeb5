package figures

import (
	"fmt"
	"image/color"
	"math"
	"sync"

	"gonum.org/v1/plot/palette/moreland"
)

// A palette of 256 entries holds the colours of a scale, from its minimum to
// its maximum, and three colours for what lies outside.
const (
	shades = 253

	below  = shades     // less than the minimum
	above  = shades + 1 // greater than the maximum
	absent = shades + 2 // not a number
)

// anchors are colours from dark violet to yellow after the map viridis of
// S. van der Walt and N. Smith (2015).
var anchors = []color.Color{
	color.NRGBA{0x44, 0x01, 0x54, 0xff},
	color.NRGBA{0x47, 0x2d, 0x7b, 0xff},
	color.NRGBA{0x3b, 0x52, 0x8b, 0xff},
	color.NRGBA{0x2c, 0x72, 0x8e, 0xff},
	color.NRGBA{0x21, 0x91, 0x8c, 0xff},
	color.NRGBA{0x28, 0xae, 0x80, 0xff},
	color.NRGBA{0x5e, 0xc9, 0x62, 0xff},
	color.NRGBA{0xad, 0xdc, 0x30, 0xff},
	color.NRGBA{0xfd, 0xe7, 0x25, 0xff},
}

// colors returns the palette of maps. The lightness L* rises linearly along
// the scale, so that equal steps look equal, in grey print too. A value below
// is pink beside dark violet, one above is dark red beside yellow, so they
// stand out from their end of the scale in grey as well; no number is white.
var colors = sync.OnceValue(func() color.Palette {
	ramp, err := moreland.NewLuminance(anchors)
	if err != nil {
		panic(fmt.Sprintf("figures: colour map: %v", err))
	}
	ramp.SetMin(0)
	ramp.SetMax(1)
	var p color.Palette
	for _, c := range ramp.Palette(shades).Colors() {
		p = append(p, color.NRGBAModel.Convert(c))
	}
	return append(p,
		color.NRGBA{0xff, 0x7a, 0xc8, 0xff},
		color.NRGBA{0xb1, 0x00, 0x26, 0xff},
		paper)
})

// index returns the palette entry of a value.
func (s Scale) index(v float64) uint8 {
	switch {
	case math.IsNaN(v):
		return absent
	case v < s.Min:
		return below
	case v > s.Max:
		return above
	}
	return uint8(math.Round(s.extent().fraction(v) * (shades - 1)))
}
