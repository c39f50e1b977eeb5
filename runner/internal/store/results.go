package store

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"closedform/runner/internal/table"
)

// File is a published file.
type File struct {
	Name string // without a folder
	Data []byte
}

const (
	packed       = ".csv.gz" // the extension of packed tables
	mostUnpacked = 1 << 28   // bytes of one
)

// TableName returns the name of the file of a table: NAME.csv, or NAME.csv.gz if it
// is packed.
func TableName(t *table.Table) string {
	if t.Packed {
		return t.Name + packed
	}
	return t.Name + ".csv"
}

// Tables of more rows are rounded; their means have all digits.
const (
	manyRows = 500
	digits   = 10
)

// TableFile returns the table as a file. Equal tables are equal bytes.
func TableFile(t *table.Table) File {
	if t.Len() > manyRows {
		t = t.Rounded(digits)
	}
	if !t.Packed {
		return File{TableName(t), t.CSV()}
	}
	return File{TableName(t), Pack(t)}
}

// Pack returns the table as CSV packed by gzip.
func Pack(t *table.Table) []byte {
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // a known level
	t.WriteCSV(z)                                           // writing to a bytes.Buffer cannot fail
	z.Close()
	return buf.Bytes()
}

// Table reads the table that the file holds.
func (f File) Table() (*table.Table, error) {
	name, _, _ := strings.Cut(f.Name, ".")
	if !strings.HasSuffix(f.Name, packed) {
		return table.Read(name, bytes.NewReader(f.Data))
	}
	var unpacked []byte
	z, err := gzip.NewReader(bytes.NewReader(f.Data))
	if err == nil {
		unpacked, err = io.ReadAll(io.LimitReader(z, mostUnpacked+1))
	}
	if len(unpacked) > mostUnpacked {
		err = fmt.Errorf("more than %d bytes when unpacked", mostUnpacked)
	}
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	return table.Read(name, bytes.NewReader(unpacked))
}

// Results is a published results folder, for reading.
type Results struct {
	dir  string
	sums checksums
}

// OpenResults opens the published results in the folder dir. The error is
// fs.ErrNotExist if nothing is published.
func OpenResults(dir string) (*Results, error) {
	sums, err := readSums(dir)
	return &Results{dir, sums}, err
}

// Sums returns SHA256SUMS, the checksums of all files.
func (r *Results) Sums() []byte { return r.sums.format() }

// Differing returns the names of the committed files that do not match their checksums, sorted.
func (r *Results) Differing() []string {
	sums := maps.Clone(r.sums)
	maps.DeleteFunc(sums, func(name, _ string) bool { return !committed(name) })
	return sums.differing(r.dir)
}

// committed reports whether a published file is committed, by its name: large files and
// figures other than PNG are not.
func committed(name string) bool {
	return !slices.Contains([]string{".gz", ".pdf", ".npz"}, filepath.Ext(name))
}

// ErrNotCommitted is the error of a published table that is packed and missing, or that of an older run: a run
// makes it again.
var ErrNotCommitted = errors.New("which is not committed")

// Table returns a published table. It is an error if SHA256SUMS does not list it, if it is
// missing, or if it does not match its checksum.
func (r *Results) Table(name string) (*table.Table, error) {
	file := name + packed
	if r.sums[file] == "" {
		file = name + ".csv"
	}
	path, sum := filepath.Join(r.dir, file), r.sums[file]
	if sum == "" {
		return nil, fmt.Errorf("%s: %s does not list it", path, sumsFile)
	}
	data, err := os.ReadFile(path)
	other := sum != "" && sumOf(data) != sum
	switch {
	case strings.HasSuffix(file, packed) && (errors.Is(err, fs.ErrNotExist) || err == nil && other):
		return nil, fmt.Errorf("%s, %w", file, ErrNotCommitted)
	case err != nil:
		return nil, err
	case other:
		return nil, fmt.Errorf("%s: its checksum is not that of %s", path, sumsFile)
	}
	return File{file, data}.Table()
}
