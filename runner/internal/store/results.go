package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"closedform/runner/internal/table"
)

// Results is a results folder that a run has published, to be read.
type Results struct {
	dir  string
	sums checksums
}

// OpenResults returns what was published in the folder dir. The error is
// fs.ErrNotExist if nothing was.
func OpenResults(dir string) (*Results, error) {
	sums, err := readSums(dir)
	if err != nil {
		return nil, err
	}
	return &Results{dir, sums}, nil
}

// Sums returns the checksums of all files, by which one sees whether any of them
// has changed.
func (r *Results) Sums() []byte { return r.sums.format() }

// ErrNotCommitted is that of a packed table which was published, and is not there:
// a run makes it again.
var ErrNotCommitted = errors.New("not committed")

// Table returns a table as it was published. It is an error if it is not listed, not
// there, or not what was published.
func (r *Results) Table(name string) (*table.Table, error) {
	file := name + ".csv"
	if _, ok := r.sums[name+packed]; ok {
		file = name + packed
	}
	path := filepath.Join(r.dir, file)
	sum, listed := r.sums[file]
	if !listed && !Timed(file) {
		return nil, fmt.Errorf("%s: %s does not list it", path, sumsFile)
	}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && file != name+".csv":
		return nil, fmt.Errorf("%s: %w", file, ErrNotCommitted)
	case err != nil:
		return nil, err
	case listed && sumOf(data) != sum:
		return nil, fmt.Errorf("%s: its checksum is not that of %s", path, sumsFile)
	}
	return File{file, data}.Table()
}
