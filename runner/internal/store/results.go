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
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // a known level
	t.WriteCSV(z)                                           // writing to a bytes.Buffer cannot fail
	z.Close()
	return File{TableName(t), buf.Bytes()}
}

// Table reads the table that the file holds.
func (f File) Table() (*table.Table, error) {
	name, _, _ := strings.Cut(f.Name, ".")
	if !strings.HasSuffix(f.Name, packed) {
		return table.Read(name, bytes.NewReader(f.Data))
	}
	z, err := gzip.NewReader(bytes.NewReader(f.Data))
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	unpacked, err := io.ReadAll(io.LimitReader(z, mostUnpacked+1))
	if err == nil && len(unpacked) > mostUnpacked {
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

const (
	tampered = "tampered" // it is not what its checksum says
	absent   = "absent"   // it is listed and not there
)

// read returns a published file and its problem, if any. A file that is not listed is empty.
func (r *Results) read(name string) (data []byte, problem string, err error) {
	sum, listed := r.sums[name]
	if !listed {
		return nil, "", nil
	}
	data, err = os.ReadFile(filepath.Join(r.dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, absent, nil
	case err == nil && sumOf(data) != sum:
		problem = tampered
	}
	return data, problem, err
}

// Differing returns the names of the files that do not match their checksums, sorted.
// Files that are not committed may be missing.
func (r *Results) Differing() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		switch _, problem, err := r.read(name); {
		case problem == absent && committed(name):
			names = append(names, name+" (lost)")
		case problem == tampered || err != nil:
			names = append(names, name)
		}
	}
	return names
}

// committed reports whether a published file is committed, by its name: large files and
// figures other than PNG are not.
func committed(name string) bool {
	return !slices.Contains([]string{".gz", ".svg", ".pdf", ".npz"}, filepath.Ext(name))
}

// Tables returns all tables but packed ones, in the order of their names.
func (r *Results) Tables() (table.Set, error) {
	return r.tables(slices.Sorted(maps.Keys(r.sums)))
}

func (r *Results) tables(files []string) (tables table.Set, err error) {
	for _, file := range files {
		name, ok := strings.CutSuffix(filepath.Base(file), ".csv")
		if !ok {
			continue
		}
		t, err := r.Table(name)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// MeasuredTimes returns the tables of measured times in a results folder, in the order of their
// names. There may be no folder yet.
func MeasuredTimes(dir string) (table.Set, error) {
	files := slices.DeleteFunc(list(dir, ".csv"), func(path string) bool { return !measured(filepath.Base(path)) })
	return (&Results{dir: dir}).tables(files)
}

// ErrNotCommitted is the error of a published table that is packed and missing: a run makes it
// again.
var ErrNotCommitted = errors.New("which is not committed")

// Table returns a published table. It is an error if SHA256SUMS does not list it, if it is
// missing, or if it does not match its checksum.
func (r *Results) Table(name string) (*table.Table, error) {
	file := name + packed
	if r.sums[file] == "" {
		file = name + ".csv"
	}
	path, sum := filepath.Join(r.dir, file), r.sums[file]
	if sum == "" && !Timed(file) {
		return nil, fmt.Errorf("%s: %s does not list it", path, sumsFile)
	}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(file, packed):
		return nil, fmt.Errorf("%s, %w", file, ErrNotCommitted)
	case err != nil:
		return nil, err
	case sum != "" && sumOf(data) != sum:
		return nil, fmt.Errorf("%s: its checksum is not that of %s", path, sumsFile)
	}
	return File{file, data}.Table()
}
