package data

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

// idx returns an IDX file: its header of 4-byte numbers, then the values.
func idx(values []byte, header ...uint32) string {
	var b []byte
	for _, word := range header {
		b = binary.BigEndian.AppendUint32(b, word)
	}
	return string(append(b, values...))
}

// pixel is pixel j of image i in idxImages.
func pixel(i, j int) byte { return byte(37*i + 11*j + 255) }

func idxImages(n, height, width int) string {
	values := make([]byte, n*height*width)
	for k := range values {
		values[k] = pixel(k/(height*width), k%(height*width))
	}
	return idx(values, 2051, uint32(n), uint32(height), uint32(width))
}

// label is the label of image i in idxLabels.
func label(i int) int { return []int{7, 200, 10}[i%3] }

func idxLabels(n int) string {
	values := make([]byte, n)
	for i := range values {
		values[i] = byte(label(i))
	}
	return idx(values, 2049, uint32(n))
}

// read reads files of a folder with these contents.
func read(t *testing.T, dir, images, labels string) (*Examples, error) {
	return readIDX(check.Write(t, images, dir, "im"), check.Write(t, labels, dir, "la"))
}

// Whatever is in the files, it is refused or read without much memory.
func FuzzReadIDX(f *testing.F) {
	f.Add([]byte(idxImages(3, 2, 2)), []byte(idxLabels(3)), false)
	f.Add([]byte(idxImages(3, 2, 2)), []byte(check.Gzip(idxLabels(3))), true)
	f.Add([]byte(idx(nil, 2051, 1<<20, 1<<8, 1)), []byte{}, true)
	f.Fuzz(func(t *testing.T, images, labels []byte, packed bool) {
		if packed {
			images = []byte(check.Gzip(string(images)))
		}
		dir := t.TempDir()
		check.Frugal(t, func() {
			e, err := read(t, dir, string(images), string(labels))
			if err == nil && (e.Len() == 0 || e.Inputs() == 0 || len(e.Classes()) == 0) {
				t.Errorf("%d examples of %d inputs, classes %q", e.Len(), e.Inputs(), e.Classes())
			}
		})
	})
}

func TestReadIDX(t *testing.T) {
	const n = 2500 // of 30 × 30: more than two blocks
	images, labels, dir := idxImages(n, 30, 30), idxLabels(n), t.TempDir()
	for name, c := range map[string][2]string{
		"plain":            {images, labels},
		"gzip":             {check.Gzip(images), check.Gzip(labels)},
		"one of each":      {check.Gzip(images), labels},
		"two gzip members": {check.Gzip(images[:1e6]) + check.Gzip(images[1e6:]), labels},
	} {
		e := check.Must(read(t, dir, c[0], c[1]))
		check.Equal(t, name, []any{e.Len(), e.Inputs(), e.Classes()}, []any{n, 900, []string{"7", "10", "200"}})
		for i := range n {
			for j, v := range e.Input(i) {
				if v != float64(pixel(i, j)) || e.Class(i) != []int{0, 2, 1}[i%3] {
					t.Fatalf("%s: pixel %d of image %d of class %d is %g, want %d", name, j, i, e.Class(i), v, pixel(i, j))
				}
			}
		}
	}
}

func TestReadIDXErrors(t *testing.T) {
	images, labels, dir := idxImages(3, 2, 2), idxLabels(3), t.TempDir()
	zipped := check.Gzip(images)
	broken := []byte(zipped)
	broken[len(broken)-8] ^= 1 // of the checksum
	for name, c := range map[string]struct{ images, labels, want string }{
		"labels for images":      {idxLabels(30), labels, "im: the magic number is 0x00000801; need 0x00000803"},
		"images for labels":      {images, images, "la: the magic number is 0x00000803; need 0x00000801"},
		"short images":           {images[:27], labels, "im: 11 values; the header says [3 2 2]"},
		"short gzip":             {zipped[:len(zipped)-16], labels, "im: "},
		"short gzip trailer":     {zipped[:len(zipped)-1], labels, "im: after 28 bytes: unexpected EOF"},
		"only a gzip header":     {zipped[:5], labels, "im: gzip: "},
		"wrong checksum":         {string(broken), labels, "im: after 28 bytes: gzip: invalid checksum"},
		"bytes after the images": {images + "\x00", labels, "im: 13 values; the header says [3 2 2]"},
		"more images":            {images, idxLabels(2), "im has 3 images and DIR/la has 2 labels; need as many"},
		"no images":              {idxImages(0, 2, 2), idxLabels(0), "im: 0 values; the header says [0 2 2]; need"},
		"a header that promises": {idx(nil, 2051, 1<<20, 1<<20, 1<<20), labels, "im: 0 values; the header"},
		"a bomb":                 {check.Gzip(idx(make([]byte, 32<<20), 2051, 1, 1, 1)), labels, "im: 33554432 "},
	} {
		e, err := read(t, dir, c.images, c.labels)
		check.Refuses(t, name, err, filepath.Join(dir, strings.ReplaceAll(c.want, "DIR", dir)))
		check.True(t, e == nil, "%s: examples beside an error", name)
	}
}
