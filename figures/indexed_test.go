package figures

import (
	"image"
	"image/color"
	"testing"
)

// Of more than 256 colours the frequent ones stay as they are, and no other is far off.
func TestIndexed(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	frequent := color.RGBA{12, 34, 56, 255}
	for y := range 64 {
		for x := range 64 {
			c := color.RGBA{uint8(4 * x), uint8(4 * y), 100, 255}
			if x < 8 {
				c = frequent
			}
			img.SetRGBA(x, y, c)
		}
	}
	out := indexed(img)
	if len(out.Palette) != 256 || out.At(3, 3) != frequent {
		t.Fatalf("%d colours, %v where %v is", len(out.Palette), out.At(3, 3), frequent)
	}
	for y := range 64 {
		for x := range 64 {
			a, b := img.RGBAAt(x, y), out.At(x, y).(color.RGBA)
			r, g, bl := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
			if r*r+g*g+bl*bl > 3*43*43 {
				t.Fatalf("%v became %v", a, b)
			}
		}
	}
}
