package store

import (
	"fmt"
	"os"
	"path/filepath"
)

// Published is a results folder that another run has published, to be read.
type Published struct {
	dir  string
	sums checksums
}

// OpenPublished returns what was published in the folder dir. The error is
// fs.ErrNotExist if nothing was.
func OpenPublished(dir string) (*Published, error) {
	sums, err := readSums(dir)
	if err != nil {
		return nil, err
	}
	return &Published{dir, sums}, nil
}

// Sums returns the checksums of all files, by which one sees whether any of them
// has changed.
func (p *Published) Sums() []byte { return p.sums.format() }

// Read returns a file. It is an error if the file is not listed, not there, or not
// what was published.
func (p *Published) Read(name string) ([]byte, error) {
	sum, ok := p.sums[name]
	if !ok {
		return nil, fmt.Errorf("%s: %s does not list it", filepath.Join(p.dir, name), sumsFile)
	}
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		return nil, err
	}
	if sumOf(data) != sum {
		return nil, fmt.Errorf("%s: its checksum is not that of %s", filepath.Join(p.dir, name), sumsFile)
	}
	return data, nil
}
