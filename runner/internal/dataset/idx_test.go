package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
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

func zip(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

func readIDX(images, labels string) (*Examples, error) {
	return ReadIDX(strings.NewReader(images), strings.NewReader(labels), "im", "la")
}

// allocated returns the bytes allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestReadIDX(t *testing.T) {
	const n = 2500 // of 30 × 30: more than two blocks
	images, labels := idxImages(n, 30, 30), idxLabels(n)
	for name, c := range map[string][2]string{
		"plain":            {images, labels},
		"gzip":             {zip(images), zip(labels)},
		"one of each":      {zip(images), labels},
		"two gzip members": {zip(images[:1e6]) + zip(images[1e6:]), labels},
		"two dimensions":   {idx([]byte(images[16:]), 2050, n, 900), labels},
		"four dimensions":  {idx([]byte(images[16:]), 2052, n, 3, 10, 30), labels},
	} {
		e, err := ReadIDX(iotest.HalfReader(strings.NewReader(c[0])), strings.NewReader(c[1]), "im", "la")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e.Len() != n || e.Inputs() != 900 || !slices.Equal(e.Classes(), []string{"7", "10", "200"}) {
			t.Errorf("%s: %d examples, %d inputs, classes %q", name, e.Len(), e.Inputs(), e.Classes())
		}
		if got := e.Where(4); got != "im: image 5" {
			t.Errorf("%s: example 4 is from %q", name, got)
		}
		x := make([]float64, 900)
		for i := range n {
			e.Input(x, i)
			for j, v := range x {
				if v != float64(pixel(i, j)) {
					t.Fatalf("%s: pixel %d of image %d is %g, want %d", name, j, i, v, pixel(i, j))
				}
			}
			if want := []int{0, 2, 1}[i%3]; e.Class(i) != want {
				t.Fatalf("%s: image %d has class %d, want %d", name, i, e.Class(i), want)
			}
		}
	}
}

func TestReadIDXErrors(t *testing.T) {
	images, labels := idxImages(3, 2, 2), idxLabels(3)
	zipped := zip(images)
	broken := []byte(zipped)
	broken[len(broken)-8] ^= 1 // of the checksum
	corrupt := []byte(zipped)
	corrupt[10] |= 7 // a block of the type that does not exist
	const imagesNeed = "; images need 2051, unsigned bytes of 3 dimensions (2 or more)"
	const labelsNeed = "; labels need 2049, unsigned bytes of 1 dimension"
	for name, c := range map[string]struct{ images, labels, want string }{
		"labels for images":        {labels, labels, "im: the magic number is 2049, unsigned bytes of 1 dimension" + imagesNeed},
		"images for labels":        {images, images, "la: the magic number is 2051, unsigned bytes of 3 dimensions" + labelsNeed},
		"signed bytes":             {idx(nil, 0x903), labels, "im: the magic number is 2307, signed bytes of 3 dimensions" + imagesNeed},
		"floating point":           {idx(nil, 0xd03), labels, "im: the magic number is 3331, floating-point numbers of 4 bytes of 3 dimensions" + imagesNeed},
		"no dimension":             {idx(nil, 0x800), labels, "im: the magic number is 2048, unsigned bytes of 0 dimensions" + imagesNeed},
		"little-endian":            {idx(nil, 0x03080000), labels, "im: the magic number is 0x03080000, which is not of an IDX file" + imagesNeed},
		"another format":           {"\x89PNG\r\n", labels, "im: the magic number is 0x89504e47, which is not of an IDX file" + imagesNeed},
		"text for labels":          {images, "label\n", "la: the magic number is 0x6c616265, which is not of an IDX file" + labelsNeed},
		"no images file":           {"", labels, "im: in the header: the file ends"},
		"no labels file":           {images, "", "la: in the header: the file ends"},
		"one byte":                 {"\x00", labels, "im: in the header: the file ends"},
		"a short header":           {images[:15], labels, "im: in the header: the file ends"},
		"only a header":            {images[:16], labels, "im: after 0 of 3 images: the file ends"},
		"short images":             {images[:27], labels, "im: after 2 of 3 images: the file ends"},
		"short labels":             {images, labels[:10], "la: after 2 of 3 labels: the file ends"},
		"an image of two thirds":   {images[:24], labels, "im: after 2 of 3 images: the file ends"},
		"short images in gzip":     {zip(images[:27]), labels, "im: after 2 of 3 images: the file ends"},
		"short gzip":               {zipped[:len(zipped)-16], labels, "im: after 2 of 3 images: the compressed data end too early"},
		"short gzip trailer":       {zipped[:len(zipped)-1], labels, "im: after the last of 3 images: the compressed data end too early"},
		"short gzip header":        {zipped[:5], labels, "im: in the header: the compressed data end too early"},
		"only a gzip header":       {zipped[:10], labels, "im: in the header: the compressed data end too early"},
		"gzip without a member":    {"\x1f\x8b\x00" + images, labels, "im: in the header: gzip: invalid header"},
		"wrong checksum":           {string(broken), labels, "im: after the last of 3 images: gzip: invalid checksum"},
		"corrupt gzip":             {string(corrupt), labels, "im: in the header: flate: corrupt input before offset 1"},
		"bytes after the images":   {images + "\x00", labels, "im: there are bytes after the last of 3 images"},
		"bytes after the labels":   {images, labels + "\x00", "la: there are bytes after the last of 3 labels"},
		"bytes in the gzip":        {zip(images + "\x00"), labels, "im: there are bytes after the last of 3 images"},
		"bytes after the gzip":     {zipped + "surplus bytes", labels, "im: after the last of 3 images: gzip: invalid header"},
		"more images":              {images, idxLabels(2), "im has 3 images and la has 2 labels; need as many"},
		"more labels":              {images, idxLabels(4), "im has 3 images and la has 4 labels; need as many"},
		"no images":                {idxImages(0, 2, 2), idxLabels(0), "im: 0 images; need from 1 to 2147483647"},
		"no labels":                {images, idxLabels(0), "la: 0 labels; need from 1 to 2147483647"},
		"too many images":          {idx(nil, 2051, 1<<31, 2, 2), labels, "im: 2147483648 images; need from 1 to 2147483647"},
		"no pixels":                {idx(nil, 2051, 3, 2, 0), labels, "im: dimension 3 is 0; need at least 1, and at most 4194304 pixels an image"},
		"a dimension too large":    {idx(nil, 2051, 3, 1<<32-1, 2), labels, "im: dimension 2 is 4294967295; need at least 1, and at most 4194304 pixels an image"},
		"too many pixels":          {idx(nil, 2051, 3, 1<<16, 1<<16), labels, "im: dimension 3 is 65536; need at least 1, and at most 4194304 pixels an image"},
		"one pixel too many":       {idx(nil, 2051, 3, 1<<11, 1<<11+1), labels, "im: dimension 3 is 2049; need at least 1, and at most 4194304 pixels an image"},
		"a header that promises":   {idx(nil, 2051, 1<<31-1, 28, 28), idx(nil, 2049, 1<<31-1), "im: after 0 of 2147483647 images: the file ends"},
		"one that promises pixels": {idx(nil, 2051, 1<<31-1, 1<<11, 1<<11), idx(nil, 2049, 1<<31-1), "im: after 0 of 2147483647 images: the file ends"},
		"labels that are promised": {idx(make([]byte, 3), 2051, 3, 1, 1), idx([]byte{1, 2}, 2049, 3), "la: after 2 of 3 labels: the file ends"},
	} {
		before := allocated()
		e, err := readIDX(c.images, c.labels)
		if got := allocated() - before; got > 6<<20 {
			t.Errorf("%s: %d bytes allocated", name, got)
		}
		refuses(t, name, err, "dataset: "+c.want)
		if e != nil {
			t.Errorf("%s: examples beside an error", name)
		}
	}
	fire := errors.New("disk on fire")
	_, err := ReadIDX(io.MultiReader(strings.NewReader(images[:20]), iotest.ErrReader(fire)), strings.NewReader(labels), "im", "la")
	refuses(t, "a reader that fails", err, "dataset: im: after 1 of 3 images: disk on fire")
	if !errors.Is(err, fire) {
		t.Error("the error of the reader is not wrapped")
	}
}

func TestLoadIDX(t *testing.T) {
	dir := t.TempDir()
	images, labels := filepath.Join(dir, "images"), filepath.Join(dir, "labels.gz") // gzip and not: names do not tell
	for path, text := range map[string]string{images: zip(idxImages(4, 2, 3)), labels: idxLabels(4)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e, err := LoadIDX(images, labels)
	if err != nil {
		t.Fatal(err)
	}
	if e.Len() != 4 || e.Inputs() != 6 || e.Where(3) != images+": image 4" {
		t.Errorf("%d examples, %d inputs, the last from %s", e.Len(), e.Inputs(), e.Where(3))
	}
	_, err = LoadIDX(images+"x", labels)
	refuses(t, "no images", err, "dataset: open "+images+"x: no such file or directory")
	_, err = LoadIDX(images, labels+"x")
	refuses(t, "no labels", err, "dataset: open "+labels+"x: no such file or directory")
}

// A byte is kept in a byte.
func TestIDXIsKeptTightly(t *testing.T) {
	const n, size = 5000, 28 * 28
	images, labels := idxImages(n, 28, 28), idxLabels(n)
	before := allocated()
	e, err := readIDX(images, labels)
	if err != nil {
		t.Fatal(err)
	}
	if got, limit := allocated()-before, uint64(n*(size+40)+1<<18); got > limit {
		t.Errorf("%d bytes allocated for %d images, need at most %d", got, n, limit)
	}
	s, err := e.Scaler(Global)
	if err != nil {
		t.Fatal(err)
	}
	before = allocated()
	s.Apply(e)
	if got := allocated() - before; got > 1<<12 {
		t.Errorf("%d bytes allocated to scale them", got)
	}
}

func FuzzReadIDX(f *testing.F) {
	images, labels := idxImages(3, 2, 2), idxLabels(3)
	f.Add([]byte(images), []byte(labels))
	f.Add([]byte(zip(images)), []byte(zip(labels)))
	f.Add([]byte(images[:20]), []byte(labels))
	f.Add([]byte(idx(nil, 2051, 1<<31-1, 1<<11, 1<<11)), []byte(idx(nil, 2049, 1<<31-1)))
	f.Add([]byte(zip(images)[:30]), []byte(labels))
	f.Fuzz(func(t *testing.T, images, labels []byte) {
		before := allocated()
		e, err := ReadIDX(bytes.NewReader(images), bytes.NewReader(labels), "im", "la")
		// One block may be in vain; gzip makes a byte of at most 1032.
		if got := allocated() - before; got > 6<<20+1100*uint64(len(images)+len(labels)) {
			t.Fatalf("%d bytes allocated for %d", got, len(images)+len(labels))
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "dataset: im") && !strings.HasPrefix(err.Error(), "dataset: la") {
				t.Fatalf("error %v", err)
			}
			return
		}
		if images[0] == 0 && len(images) != 4+4*int(images[3])+e.Len()*e.Inputs() {
			t.Fatalf("%d examples of %d inputs in %d bytes", e.Len(), e.Inputs(), len(images))
		}
		x := make([]float64, e.Inputs())
		for i := range e.Len() {
			e.Input(x, i)
			for _, v := range x {
				if !(v >= 0 && v <= 255) {
					t.Fatalf("image %d has the pixel %g", i, v)
				}
			}
			if k := e.Class(i); k < 0 || k >= len(e.Classes()) {
				t.Fatalf("image %d has class %d", i, k)
			}
		}
	})
}

func BenchmarkReadIDX(b *testing.B) {
	images, labels := idxImages(10000, 28, 28), idxLabels(10000)
	for name, text := range map[string]string{"plain": images, "gzip": zip(images)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(images)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := readIDX(text, labels); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkInput(b *testing.B) {
	e, err := readIDX(idxImages(1000, 28, 28), idxLabels(1000))
	if err != nil {
		b.Fatal(err)
	}
	x := make([]float64, e.Inputs())
	for _, kind := range []Scaling{None, Standard} {
		s, err := e.Scaler(kind)
		if err != nil {
			b.Fatal(err)
		}
		scaled := s.Apply(e)
		b.Run(string(kind), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				scaled.Input(x, i%1000)
			}
		})
	}
}
