package fetch

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"image/color"
	"image/png"
)

// cut returns the images or the labels of a grey PNG picture made of square tiles
// as a gzip file in the IDX format. The tiles are images row by row from the top
// left, and each class, counted from 0, has ClassRows rows of them.
func (s *Source) cut(half string, picture []byte) ([]byte, error) {
	size, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("PNG: %w", err)
	}
	columns, rows := size.Width/s.Tile, size.Height/s.Tile
	if columns == 0 || rows == 0 || size.Width%s.Tile != 0 || size.Height%s.Tile != 0 || size.Width > 1<<14 || size.Height > 1<<14 {
		return nil, fmt.Errorf("picture: %d×%d pixels; need tiles of %d×%d, and at most 16384×16384", size.Width, size.Height, s.Tile, s.Tile)
	}
	if rows%s.ClassRows != 0 || rows/s.ClassRows > 256 {
		return nil, fmt.Errorf("picture: %d rows of tiles; need %d per class, and at most 256 classes", rows, s.ClassRows)
	}
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("PNG: %w", err)
	}
	// The third byte of the magic number says unsigned bytes, the fourth how many
	// dimensions follow, all big-endian.
	var idx []byte
	if half == "labels" {
		idx = binary.BigEndian.AppendUint32(idx, 0x801)
		idx = binary.BigEndian.AppendUint32(idx, uint32(rows*columns))
	} else {
		idx = binary.BigEndian.AppendUint32(idx, 0x803)
		for _, n := range []int{rows * columns, s.Tile, s.Tile} {
			idx = binary.BigEndian.AppendUint32(idx, uint32(n))
		}
	}
	for tile := range rows * columns {
		if half == "labels" {
			idx = append(idx, byte(tile/columns/s.ClassRows))
			continue
		}
		left, top := img.Bounds().Min.X+tile%columns*s.Tile, img.Bounds().Min.Y+tile/columns*s.Tile
		for pixel := range s.Tile * s.Tile {
			x, y := left+pixel%s.Tile, top+pixel/s.Tile
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			if c.R != c.G || c.R != c.B || c.A != 255 {
				return nil, fmt.Errorf("picture: pixel (%d, %d) is not grey and opaque", x, y)
			}
			idx = append(idx, c.R)
		}
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(idx); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
