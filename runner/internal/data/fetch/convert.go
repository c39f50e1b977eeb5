package fetch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/png"
	"regexp"
	"slices"
	"strings"

	"closedform/runner/internal/store"
)

func (f setFile) convert(published []byte) ([]byte, error) {
	switch {
	case f.Fashion != "":
		return fashion(published, f.Fashion == "images")
	case f.Header == "" && strings.HasSuffix(f.Path, ".gz") && !bytes.HasPrefix(published, []byte("\x1f\x8b")):
		return store.Pack(published), nil
	case f.Header == "":
		return published, nil
	}
	var table strings.Builder
	for line := range strings.Lines(string(published)) {
		cells := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
		if len(cells) > 0 {
			table.WriteString(strings.Join(cells, ",") + "\n")
		}
	}
	text := table.String()
	for pair := range slices.Chunk(f.Replace, 2) {
		pattern, err := regexp.Compile("(?m)" + pair[0])
		if err != nil {
			return nil, err
		}
		text = pattern.ReplaceAllString(text, pair[len(pair)-1])
	}
	return []byte(f.Header + "\n" + text), nil
}

// fashion cuts the images, or their labels, from the picture in the publisher's documentation, square tiles,
// row by row, three rows per class, into a gzip file in the IDX format.
func fashion(picture []byte, images bool) ([]byte, error) {
	const tile, tiles, classRows = 28, 30, 3
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("PNG: %w", err)
	}
	header, pixels := []uint32{0x801, tiles * tiles}, 1
	if images {
		header, pixels = []uint32{0x803, tiles * tiles, tile, tile}, tile*tile
	}
	out, _ := binary.Append(nil, binary.BigEndian, header) // no error: its size is fixed
	for i := range tiles * tiles * pixels {
		t, pixel := i/pixels, i%pixels
		value := byte(t / tiles / classRows)
		if images {
			grey, _, _, _ := img.At(t%tiles*tile+pixel%tile, t/tiles*tile+pixel/tile).RGBA()
			value = byte(grey >> 8)
		}
		out = append(out, value)
	}
	return store.Pack(out), nil
}
