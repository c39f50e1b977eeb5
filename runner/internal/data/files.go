package data

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/config"
)

// Files are the files of labelled examples: a CSV file, or IDX files of images and labels.
type Files struct {
	File string `toml:"file,omitempty" json:"file,omitempty"`
	dataset.Format
	Images string `toml:"images,omitempty" json:"images,omitempty"`
	Labels string `toml:"labels,omitempty" json:"labels,omitempty"`

	Digests []string `toml:"-" json:"examples,omitempty"` // of the examples that Load has read
}

// Validate returns an error unless there is either a CSV file or images with labels.
func (f Files) Validate() error {
	if f.File == "" && f.Images == "" {
		return field.Errorf("file", `missing; allowed: one of file = "path.csv" and images = "path"`)
	}
	return Source{Files: f, TestFraction: 0.5}.Validate()
}

// Paths returns the paths of the files. Relative ones are in the folder.
func (f Files) Paths(folder string) []string {
	var out []string
	for _, path := range []string{f.File, f.Images, f.Labels} {
		if path != "" && !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		if path != "" {
			out = append(out, path)
		}
	}
	return out
}

// Load reads all examples and sets Digests. Relative paths are in the folder. Test examples for
// others, like, have their inputs. The error has the name of the file, and the line.
func (f *Files) Load(folder string, like *Examples) (*Examples, error) {
	e, err := f.read(folder, like)
	if err != nil {
		return nil, err
	}
	f.Digests = []string{e.Digest()}
	return e, nil
}

func (f *Files) read(folder string, like *Examples) (*Examples, error) {
	paths := f.Paths(folder)
	var contents [][]byte
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		contents = append(contents, content)
	}
	if f.Images != "" {
		return readIDX(contents[0], contents[1], paths[0], paths[1])
	}
	table, err := dataset.ParseTable(contents[0], paths[0], f.Layout)
	if err != nil {
		return nil, err
	}
	return f.Format.Examples(table, like)
}

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

// readItems returns the bytes of an IDX file and the sizes of its dimensions, of which
// the first counts the items.
func readItems(content []byte, dims int) (items []byte, size []int, err error) {
	r, err := dataset.Unpack(bytes.NewReader(content))
	if err != nil {
		return nil, nil, fmt.Errorf("gzip: %w", err)
	}
	if items, err = io.ReadAll(io.LimitReader(r, 1<<28)); err != nil {
		return nil, nil, fmt.Errorf("after %d bytes: %w", len(items), err)
	}
	header := make([]uint32, 1+dims)
	n, err := binary.Decode(items, binary.BigEndian, header)
	if want := uint32(0x800 + dims); err != nil || header[0] != want {
		return nil, nil, fmt.Errorf("the magic number is %#08x; need %#08x, unsigned bytes of %d dimensions", header[0], want, dims)
	}
	items = items[n:]
	total := 1.0
	for _, n := range header[1:] {
		size, total = append(size, int(n)), total*float64(n)
	}
	if total == 0 || total != float64(len(items)) {
		return nil, nil, fmt.Errorf("%d values; the header says %v; need as many, and at least one", len(items), size)
	}
	return items, size, nil
}

// Named is a table [[set]].
type Named struct {
	Name string `toml:"name" allowed:"a text"`
	Source
	Splits int `toml:"splits,omitzero"` // with how many of the seeds it is learned, at most; 0: all
}

// Validate returns the first error that can be seen without opening a file.
func (n Named) Validate() error {
	return cmp.Or(field.Within("splits", n.Splits, 0, config.MaxTrain), n.Source.Validate())
}

// Sources are the tables [[set]] of a manifest.
type Sources struct {
	Sets []Named `toml:"set" allowed:"at least one table headed [[set]]"`
}

// Paths returns the paths of all files. Relative ones are in the folder.
func (s Sources) Paths(folder string) (files []string) {
	for _, set := range s.Sets {
		files = append(files, set.Paths(folder)...)
	}
	return files
}

// About says what the files have, in lines.
func (s Sources) About() (lines []string) {
	for _, set := range s.Sets {
		lines = append(lines, set.About()...)
	}
	return lines
}

// Load reads the files. The error names the place in the manifest.
func (s Sources) Load(m *config.Manifest) error {
	for i := range s.Sets {
		if err := m.Locate("set."+s.Sets[i].Name, s.Sets[i].Load(m.Folder)); err != nil {
			return err
		}
	}
	return nil
}
