package data

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"closedform/runner/dataset"
)

// readIDX reads images and their labels in the IDX format of the MNIST database
// (LeCun, Cortes and Burges), compressed by gzip or not: a big-endian magic number
// that says unsigned bytes and the number of dimensions, four bytes for the size of
// each, then the values, the last dimension running fastest. The inputs are the pixels,
// from 0 to 255; the classes are the labels that occur. Errors name the file.
func readIDX(images, labels []byte, imagesName, labelsName string) (*Examples, error) {
	pixels, size, err := readItems(images, 3)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", imagesName, err)
	}
	label, n, err := readItems(labels, 1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", labelsName, err)
	}
	if size[0] != n[0] {
		return nil, fmt.Errorf("%s has %d images and %s has %d labels; need as many", imagesName, size[0], labelsName, n[0])
	}
	return dataset.Images(imagesName, pixels, size[1]*size[2], label), nil
}

// maxValues is the most values that an IDX file may have, which may be packed.
const maxValues = 1 << 28

// readItems returns the bytes of an IDX file and the sizes of its dimensions, of which
// the first counts the items. Memory is taken as values come in, not as promised.
func readItems(content []byte, dims int) (items []byte, size []int, err error) {
	r, err := dataset.Unpack(bytes.NewReader(content))
	if err != nil {
		return nil, nil, fmt.Errorf("gzip: %w", err)
	}
	header := make([]uint32, 1+dims)
	if err := binary.Read(r, binary.BigEndian, header); err != nil {
		return nil, nil, fmt.Errorf("in the header: %w", err)
	}
	if want := uint32(0x800 + dims); header[0] != want {
		return nil, nil, fmt.Errorf("the magic number is %#08x; need %#08x, unsigned bytes of %d dimensions", header[0], want, dims)
	}
	total := 1
	for d, n := range header[1:] {
		if n == 0 || n > 1<<20 {
			return nil, nil, fmt.Errorf("dimension %d is %d; need from 1 to %d", d+1, n, 1<<20)
		}
		size = append(size, int(n))
		if total *= int(n); total > maxValues {
			return nil, nil, fmt.Errorf("the header promises more than %d values, which is the most", maxValues)
		}
	}
	items, err = io.ReadAll(io.LimitReader(r, int64(total)+1))
	if err == nil && len(items) != total {
		err = fmt.Errorf("the header promises %d", total)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%d bytes of values: %w", len(items), err)
	}
	return items, size, nil
}
