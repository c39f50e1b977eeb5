package dataset

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
)

// LoadIDX reads two files as ReadIDX does.
func LoadIDX(images, labels string) (*Examples, error) {
	i, err := os.Open(images)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer i.Close()
	l, err := os.Open(labels)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer l.Close()
	return ReadIDX(i, l, images, labels)
}

// ReadIDX reads images and their labels in the IDX format of the MNIST database
// (LeCun, Cortes and Burges), compressed by gzip or not: big-endian, two bytes 0,
// a byte for the type of the values, one for the number of dimensions, four for
// each dimension, then the values, the last dimension running fastest. Images
// have unsigned bytes and two dimensions or more, the first of which counts them;
// labels have unsigned bytes and one dimension. The inputs are the pixels, from 0
// to 255, kept in a byte each. The classes are the labels that occur.
//
// It is an error, which names the file, if a file is of another type, ends too
// early or too late, or has no values, or if there are not as many labels as
// images. No header is believed: memory is taken as the values come in.
func ReadIDX(images, labels io.Reader, imagesName, labelsName string) (*Examples, error) {
	im, err := newIDXFile(images, imagesName, "images")
	if err != nil {
		return nil, err
	}
	la, err := newIDXFile(labels, labelsName, "labels")
	if err != nil {
		return nil, err
	}
	if im.count != la.count {
		return nil, fmt.Errorf("dataset: %s has %d images and %s has %d labels; need as many", imagesName, im.count, labelsName, la.count)
	}
	pixels, err := im.read()
	if err != nil {
		return nil, err
	}
	label, err := la.read()
	if err != nil {
		return nil, err
	}
	e := &Examples{table: pixels, row: upTo(im.count), class: make([]int, im.count)}
	for i := range e.class {
		e.class[i] = int(label.bytes(i)[0])
	}
	for k := range math.MaxUint8 + 1 {
		e.classes = append(e.classes, strconv.Itoa(k))
	}
	return e.renumbered(e.present())
}

// The most images or labels, and the most pixels of an image.
const (
	maxItems  = math.MaxInt32
	maxPixels = 1 << 22
)

// idxFile is an IDX file of which the header has been read.
type idxFile struct {
	name  string
	items string // "images" or "labels"
	r     io.Reader
	count int // of items
	size  int // bytes of an item
}

func newIDXFile(r io.Reader, name, items string) (*idxFile, error) {
	f := &idxFile{name: name, items: items, size: 1}
	buffered := bufio.NewReaderSize(r, 1<<16)
	f.r = buffered
	if magic, _ := buffered.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, f.headerError(wholeGzip(err))
		}
		f.r = gzipReader{z}
	}
	magic, err := f.word()
	if err != nil {
		return nil, err
	}
	dims := magic & 0xff
	if magic>>8 != unsigned || items == "labels" && dims != 1 || items == "images" && dims < 2 {
		need := "2049, unsigned bytes of 1 dimension"
		if items == "images" {
			need = "2051, unsigned bytes of 3 dimensions (2 or more)"
		}
		return nil, fmt.Errorf("dataset: %s: the magic number is %s; %s need %s", name, describe(magic), items, need)
	}
	count, err := f.word()
	if err != nil {
		return nil, err
	}
	if count == 0 || count > maxItems {
		return nil, fmt.Errorf("dataset: %s: %d %s; need from 1 to %d", name, count, items, maxItems)
	}
	f.count = int(count)
	for d := uint32(2); d <= dims; d++ {
		n, err := f.word()
		if err != nil {
			return nil, err
		}
		if n == 0 || n > uint32(maxPixels/f.size) {
			return nil, fmt.Errorf("dataset: %s: dimension %d is %d; need at least 1, and at most %d pixels an image", name, d, n, maxPixels)
		}
		f.size *= int(n)
	}
	return f, nil
}

// word returns the next number of the header.
func (f *idxFile) word() (uint32, error) {
	var b [4]byte
	if _, err := io.ReadFull(f.r, b[:]); err != nil {
		return 0, f.headerError(err)
	}
	return binary.BigEndian.Uint32(b[:]), nil
}

func (f *idxFile) headerError(err error) error {
	return fmt.Errorf("dataset: %s: in the header: %w", f.name, ended(err))
}

// read returns the items, after which the file must end.
func (f *idxFile) read() (*byteTable, error) {
	t := &byteTable{file: f.name, width: f.size, perBlock: max(1, blockSize/f.size)}
	for done := 0; done < f.count; {
		items := min(t.perBlock, f.count-done)
		block := make([]byte, items*f.size)
		n, err := io.ReadFull(f.r, block)
		if err != nil {
			return nil, fmt.Errorf("dataset: %s: after %d of %d %s: %w", f.name, done+n/f.size, f.count, f.items, ended(err))
		}
		t.blocks = append(t.blocks, block)
		done += items
	}
	var extra [1]byte
	switch _, err := io.ReadFull(f.r, extra[:]); err {
	case io.EOF:
		return t, nil
	case nil:
		return nil, fmt.Errorf("dataset: %s: there are bytes after the last of %d %s", f.name, f.count, f.items)
	default:
		return nil, fmt.Errorf("dataset: %s: after the last of %d %s: %w", f.name, f.count, f.items, err)
	}
}

var errEnds = errors.New("the file ends")

// ended says in words that a file ends too early.
func ended(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errEnds
	}
	return err
}

// gzipReader tells an end of the compressed data, which is always too early,
// from an end of what was compressed.
type gzipReader struct{ *gzip.Reader }

func (z gzipReader) Read(p []byte) (int, error) {
	n, err := z.Reader.Read(p)
	return n, wholeGzip(err)
}

var errGzipEnds = errors.New("the compressed data end too early")

func wholeGzip(err error) error {
	if err == io.ErrUnexpectedEOF {
		return errGzipEnds
	}
	return err
}

// unsigned is what precedes the number of dimensions in the magic number of
// unsigned bytes.
const unsigned = 0x08

var idxTypes = map[uint32]string{
	unsigned: "unsigned bytes",
	0x09:     "signed bytes",
	0x0b:     "integers of 2 bytes",
	0x0c:     "integers of 4 bytes",
	0x0d:     "floating-point numbers of 4 bytes",
	0x0e:     "floating-point numbers of 8 bytes",
}

// describe returns a magic number and what it means.
func describe(magic uint32) string {
	what, ok := idxTypes[magic>>8]
	if !ok {
		return fmt.Sprintf("%#08x, which is not of an IDX file", magic)
	}
	noun := "dimensions"
	if magic&0xff == 1 {
		noun = "dimension"
	}
	return fmt.Sprintf("%d, %s of %d %s", magic, what, magic&0xff, noun)
}
