package data

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"closedform/internal/field"
	"closedform/runner/dataset"
)

// Files are the files of labelled examples: a table, perhaps with its classes in another, or IDX files.
type Files struct {
	File string `toml:"file,omitempty" json:"file,omitempty"` // a table in CSV or ARFF, packed by gzip or not
	dataset.Format
	Images string `toml:"images,omitempty" json:"images,omitempty"` // IDX file of images, in place of file
	// Labels is the file of the classes: of images in IDX, of a table another one; default a column of file.
	Labels string `toml:"labels,omitempty" json:"labels,omitempty"`

	Digests []string `toml:"-" json:"examples,omitempty"` // digests of the examples that Load has read
}

// Validate returns an error unless there is either a table or images with labels.
func (f Files) Validate() error {
	if f.File == "" && f.Images == "" {
		return field.Refuse(true, "file", nil, `one of file = "path.csv" and images = "path"`)
	}
	return (&Source{Files: f, TestFraction: 0.5}).Validate()
}

// Paths returns the paths of the files. Relative paths are in folder.
func (f Files) Paths(folder string) (paths []string) {
	for _, path := range []string{f.File, f.Images, f.Labels} {
		if path != "" && !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// Load reads all examples and sets Digests. Relative paths are in folder. Test examples get the inputs of the
// training examples, else training is nil. The error names the file and the line.
func (f *Files) Load(folder string, training *Examples) (e *Examples, err error) {
	paths := append(f.Paths(folder), "") // no labels
	if f.Images != "" {
		e, err = readIDX(paths[0], paths[1])
	} else {
		e, err = f.Format.Read(paths[0], paths[1], training)
	}
	if err != nil {
		return nil, err
	}
	f.Digests = []string{e.Digest()}
	return e, nil
}

// readIDX reads images and labels in the IDX format of the MNIST database (LeCun, Cortes and Burges),
// compressed by gzip or not: a big-endian magic number for unsigned bytes and the number of dimensions, four
// bytes for the size of each, then the values, the last dimension fastest. Inputs are pixels from 0 to 255;
// the classes are the labels that occur.
func readIDX(imagesFile, labelsFile string) (*Examples, error) {
	pixels, size, err := readItems(imagesFile, 3)
	if err != nil {
		return nil, err
	}
	labels, n, err := readItems(labelsFile, 1)
	if err != nil {
		return nil, err
	}
	if size[0] != n[0] {
		return nil, fmt.Errorf("%s has %d images and %s has %d labels; need as many",
			imagesFile, size[0], labelsFile, n[0])
	}
	return dataset.Images(imagesFile, pixels, size[1], size[2], labels), nil
}

// readItems reads an IDX file of bytes with the given number of dimensions, and their sizes.
func readItems(file string, dims int) (items []byte, size []int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	r, err := dataset.Unpack(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: gzip: %w", file, err)
	}
	if items, err = io.ReadAll(io.LimitReader(r, 1<<28)); err != nil {
		return nil, nil, fmt.Errorf("%s: after %d bytes: %w", file, len(items), err)
	}
	header := make([]uint32, 1+dims)
	n, err := binary.Decode(items, binary.BigEndian, header)
	if want := uint32(0x800 + dims); err != nil || header[0] != want {
		return nil, nil, fmt.Errorf("%s: the magic number is %#08x; need %#08x, unsigned bytes of %d dimensions",
			file, header[0], want, dims)
	}
	items = items[n:]
	total := 1.0
	for _, n := range header[1:] {
		size, total = append(size, int(n)), total*float64(n)
	}
	if total == 0 || total != float64(len(items)) {
		return nil, nil, fmt.Errorf("%s: %d values; the header says %v; need as many, and at least one",
			file, len(items), size)
	}
	return items, size, nil
}
