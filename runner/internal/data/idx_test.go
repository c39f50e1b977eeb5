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

// Three images of 2 × 2 pixels, and their labels.
var (
	idxImages = idx([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 127, 255}, 2051, 3, 2, 2)
	idxLabels = idx([]byte{7, 200, 10}, 2049, 3)
)

// read reads files of a folder with these contents.
func read(t *testing.T, dir, images, labels string) (*Examples, error) {
	return readIDX(check.Write(t, images, dir, "im"), check.Write(t, labels, dir, "la"))
}

// Whatever is in the files, it is refused or read without much memory.
func FuzzReadIDX(f *testing.F) {
	f.Add([]byte(idxImages), []byte(idxLabels), false)
	f.Add([]byte(idxImages), []byte(check.Gzip(idxLabels)), true)
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
	images, labels, dir := idxImages, idxLabels, t.TempDir()
	want := Set{X: [][]float64{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 127, 255}}, Class: []int{0, 2, 1}}
	for name, c := range map[string][2]string{
		"plain":            {images, labels},
		"gzip":             {check.Gzip(images), check.Gzip(labels)},
		"one of each":      {check.Gzip(images), labels},
		"two gzip members": {check.Gzip(images[:20]) + check.Gzip(images[20:]), labels},
	} {
		e := check.Must(read(t, dir, c[0], c[1]))
		check.Equal(t, name, examples(e), want)
		check.Equal(t, name, e.Classes(), []string{"7", "10", "200"})
	}
}

func TestReadIDXErrors(t *testing.T) {
	images, labels, dir := idxImages, idxLabels, t.TempDir()
	zipped := check.Gzip(images)
	broken := []byte(zipped)
	broken[len(broken)-8] ^= 1 // of the checksum
	for name, c := range map[string]struct{ images, labels, want string }{
		"labels for images":      {idx(make([]byte, 30), 2049, 30), labels, "im: the magic number is 0x00000801; need"},
		"images for labels":      {images, images, "la: the magic number is 0x00000803; need 0x00000801"},
		"short images":           {images[:27], labels, "im: 11 values; the header says [3 2 2]"},
		"short gzip":             {zipped[:len(zipped)-16], labels, "im: "},
		"short gzip trailer":     {zipped[:len(zipped)-1], labels, "im: after 28 bytes: unexpected EOF"},
		"only a gzip header":     {zipped[:5], labels, "im: gzip: "},
		"wrong checksum":         {string(broken), labels, "im: after 28 bytes: gzip: invalid checksum"},
		"bytes after the images": {images + "\x00", labels, "im: 13 values; the header says [3 2 2]"},
		"more images":            {images, idx([]byte{7, 8}, 2049, 2), "im has 3 images and DIR/la has 2 labels"},
		"no images":              {idx(nil, 2051, 0, 2, 2), idx(nil, 2049, 0), "im: 0 values; the header says [0 2 2]"},
		"a header that promises": {idx(nil, 2051, 1<<20, 1<<20, 1<<20), labels, "im: 0 values; the header"},
		"a bomb":                 {check.Gzip(idx(make([]byte, 32<<20), 2051, 1, 1, 1)), labels, "im: 33554432 "},
	} {
		e, err := read(t, dir, c.images, c.labels)
		check.Refuses(t, name, err, filepath.Join(dir, strings.ReplaceAll(c.want, "DIR", dir)))
		check.True(t, e == nil, "%s: examples beside an error", name)
	}
}
