package checkpoint

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"codeberg.org/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"
)

// archive hands out the entries of a file in their order.
type archive struct {
	files []*zip.File // that are still to be read
	size  int64       // of the file
}

// has tells whether the next entry has the name.
func (a *archive) has(name string) bool {
	return len(a.files) > 0 && a.files[0].Name == name+".npy"
}

func (a *archive) integer(name string) (i int64, err error) {
	err = a.read(name, &i, 8, func(uint64) (string, error) { return header("<i8", "()"), nil })
	return i, err
}

func (a *archive) text(name string) (s string, err error) {
	const perRune = 4 // UTF-32
	err = a.read(name, &s, perRune, func(runes uint64) (string, error) {
		return header(fmt.Sprint("<U", runes), "()"), nil
	})
	return s, err
}

// matrix returns a rows × cols matrix.
func (a *archive) matrix(name string, rows, cols int) (*mat.Dense, error) {
	var m mat.Dense
	err := a.read(name, &m, 8, func(numbers uint64) (string, error) {
		if rows < 1 || cols < 1 {
			return "", fmt.Errorf("has to be %d×%d", rows, cols)
		}
		// The product of what an altered configuration says may overflow.
		if over, n := bits.Mul64(uint64(rows), uint64(cols)); over != 0 || n != numbers {
			return "", fmt.Errorf("holds %d numbers; need %d×%d", numbers, rows, cols)
		}
		return header("<f8", fmt.Sprintf("(%d, %d)", rows, cols)), nil
	})
	return &m, err
}

// header returns the description of an array, but for the padding.
func header(descr, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
}

// read reads the next entry into dst. Its header must be the one that want
// returns for the number of its elements, of the given size each: package npy
// panics on a damaged header, and takes missing data for zeros.
func (a *archive) read(name string, dst any, elementSize uint64, want func(elements uint64) (string, error)) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("entry %s: %w", name, err)
		}
	}()
	if !a.has(name) {
		return errors.New("is missing or not in its place")
	}
	f := a.files[0]
	a.files = a.files[1:]
	if f.Method != zip.Store || f.UncompressedSize64 > uint64(a.size) {
		return errors.New("is compressed or longer than the file")
	}
	content, err := f.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	buffer := bufio.NewReader(content)
	got, err := peekHeader(buffer)
	if err != nil {
		return err
	}
	dataSize := f.UncompressedSize64 - uint64(prefixSize+len(got)) // zip reads no more than UncompressedSize64
	need, err := want(dataSize / elementSize)
	if err != nil {
		return err
	}
	line, ended := strings.CutSuffix(got, "\n")
	if line = strings.TrimRight(line, " "); !ended || line != need || dataSize%elementSize != 0 {
		return fmt.Errorf("is %q; need %q", line, need)
	}
	if err := npy.Read(buffer, dst); err != nil {
		return err
	}
	// At the end of the entry, its length and its check sum are compared.
	n, err := io.Copy(io.Discard, buffer)
	if err == nil && n > 0 {
		err = fmt.Errorf("%d bytes too many", n)
	}
	return err
}

// magic begins an array in version 2.0 of the .npy format, and prefixSize is its
// length with that of the header that follows.
const (
	magic      = "\x93NUMPY\x02\x00"
	prefixSize = len(magic) + 4
)

// peekHeader returns the header of an array and leaves it in the reader.
func peekHeader(r *bufio.Reader) (string, error) {
	prefix, err := r.Peek(prefixSize)
	if err != nil {
		return "", err
	}
	if string(prefix[:len(magic)]) != magic {
		return "", errors.New("no array in version 2.0 of the .npy format")
	}
	const longest = 1024 // npy makes them shorter than 150 bytes
	n := binary.LittleEndian.Uint32(prefix[len(magic):])
	if n > longest {
		return "", fmt.Errorf("header of %d bytes", n)
	}
	all, err := r.Peek(prefixSize + int(n))
	if err != nil {
		return "", err
	}
	return string(all[prefixSize:]), nil
}
