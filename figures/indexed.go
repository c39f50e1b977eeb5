package figures

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"slices"

	"gonum.org/v1/plot/vg/vgimg"
)

// palettePNG writes a canvas as a PNG file with a palette.
type palettePNG struct{ *vgimg.Canvas }

// WriteTo implements [io.WriterTo].
func (p palettePNG) WriteTo(w io.Writer) (int64, error) {
	var file bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&file, indexed(p.Image().(*image.RGBA))); err != nil {
		return 0, err
	}
	return file.WriteTo(w)
}

// indexed returns an opaque image with a palette of at most 256 colours, which makes a PNG file a
// third as large: the most frequent ones, of those that agree in the upper five bits of each
// channel the most frequent. Where there are more, the last 64 are a grid of all colours. Each
// colour becomes the nearest of these.
func indexed(img *image.RGBA) *image.Paletted {
	count := map[color.RGBA]int{}
	for i := 0; i < len(img.Pix); i += 4 {
		count[color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255}]++
	}
	cell := func(c color.RGBA) [3]uint8 { return [3]uint8{c.R >> 3, c.G >> 3, c.B >> 3} }
	type group struct {
		pixels int
		colour color.RGBA // the most frequent
	}
	groups := map[[3]uint8]group{}
	order := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var cells [][3]uint8
	for _, c := range order {
		k := cell(c)
		g, there := groups[k]
		if !there {
			g.colour = c
			cells = append(cells, k)
		}
		g.pixels += count[c]
		groups[k] = g
	}
	slices.SortStableFunc(cells, func(a, b [3]uint8) int { return groups[b].pixels - groups[a].pixels })
	var palette color.Palette
	kept := len(cells)
	if kept > 256 {
		kept = 256 - 64
	}
	for _, k := range cells[:kept] {
		palette = append(palette, groups[k].colour)
	}
	for i := range min(64, len(cells)-kept) {
		palette = append(palette, color.RGBA{uint8(i/16) * 85, uint8(i/4%4) * 85, uint8(i%4) * 85, 255})
	}
	index := map[[3]uint8]uint8{}
	for i, k := range cells {
		if i >= kept {
			i = palette.Index(groups[k].colour)
		}
		index[k] = uint8(i)
	}
	out := image.NewPaletted(img.Bounds(), palette)
	for i := range out.Pix {
		out.Pix[i] = index[cell(color.RGBA{img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], 255})]
	}
	return out
}
