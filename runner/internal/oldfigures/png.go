package figures

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"math"

	"golang.org/x/image/draw"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// pngCanvas is a canvas for Portable Network Graphics.
type pngCanvas struct{ *vgimg.Canvas }

var _ encoder = pngCanvas{}

func newPNG(width, height vg.Length) pngCanvas {
	return pngCanvas{vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
}

// FillString implements vg.Canvas with the same outlines as the other formats.
func (c pngCanvas) FillString(face font.Face, pt vg.Point, line string) {
	c.Fill(outline(face, pt, line))
}

// DrawImage implements vg.Canvas without smoothing. It does not follow
// rotations and the like.
func (c pngCanvas) DrawImage(rect vg.Rectangle, img image.Image) {
	height := c.Image().Bounds().Dy()
	r := image.Rect(pixel(rect.Min.X), height-pixel(rect.Max.Y), pixel(rect.Max.X), height-pixel(rect.Min.Y))
	draw.NearestNeighbor.Scale(c.Image(), r, img, img.Bounds(), draw.Src, nil)
}

func pixel(l vg.Length) int { return int(math.Round(l.Dots(dpi))) }

func (c pngCanvas) encode() ([]byte, error) {
	var buf bytes.Buffer
	if err := png.Encode(&buf, c.Image()); err != nil {
		return nil, fmt.Errorf("figures: png: %w", err)
	}
	return withResolution(buf.Bytes()), nil
}

// withResolution adds the chunk that tells programs how large a pixel is; the
// standard library writes none. It stands behind the header chunk.
func withResolution(file []byte) []byte {
	const (
		header    = 8 + 4 + 4 + 13 + 4 // signature; length, name, data and checksum of IHDR
		perMetre  = dpi * 10000 / 254  // pixels
		unitMetre = 1
	)
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, unitMetre)

	out := bytes.Clone(file[:header])
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, file[header:]...)
}
