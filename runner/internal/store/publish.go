package store

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"closedform/runner/internal/table"
)

// File is a file to be published.
type File struct {
	Name string // without a folder
	Data []byte
}

// packed is the extension of packed tables.
const packed = ".csv.gz"

// TableName returns the name of the file of a table: NAME.csv, or NAME.csv.gz if it
// is packed.
func TableName(t *table.Table) string {
	if t.Packed {
		return t.Name + packed
	}
	return t.Name + ".csv"
}

// TableFile returns the table as a file. Equal tables are equal bytes.
func TableFile(t *table.Table) File {
	if !t.Packed {
		return File{TableName(t), t.CSV()}
	}
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // a known level
	z.Write(t.CSV())                                        // writing to a bytes.Buffer cannot fail
	z.Close()
	return File{TableName(t), buf.Bytes()}
}

// Table reads the table that the file holds.
func (f File) Table() (*table.Table, error) {
	name, data := strings.TrimSuffix(f.Name, ".csv"), f.Data
	if strings.HasSuffix(f.Name, packed) {
		var err error
		if data, err = unpack(data); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		name = strings.TrimSuffix(f.Name, packed)
	}
	return table.Read(name, bytes.NewReader(data))
}

// unpack returns the content of a compressed file.
func unpack(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// Publish makes the folder hold the results of a complete run. It removes the
// files of an earlier run that are not among these, then writes the files and
// run.json, and last SHA256SUMS. [Folder.Published] recognises the results by
// inputs, a line that stands for all that they follow from.
//
// A run that is killed in the middle leaves sums that do not match, and the
// next one that publishes leaves the folder as if nothing had happened.
func (f *Folder) Publish(inputs string, files []File, run *Run) error {
	provenance, err := run.json()
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	sums, seal := checksums{}, checksums{runFile: sumOf(provenance)}
	for _, file := range files {
		if err := checkName(file.Name); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
		if _, twice := seal[file.Name]; twice {
			return fmt.Errorf("publish: two files are named %s", file.Name)
		}
		seal[file.Name] = sumOf(file.Data)
		if !Timed(file.Name) {
			sums[file.Name] = seal[file.Name]
		}
	}
	seal[sumsFile] = sumOf(sums.format())
	// The seal names the files before the first of them is written, and the
	// old seal goes when all that it alone names are gone.
	if err := f.removeEarlier(seal); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	if err := f.write(f.seal(), append([]byte(inputs+"\n"), seal.format()...)); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	files = append(append([]File{}, files...), File{runFile, provenance}, File{sumsFile, sums.format()})
	return f.writeAll(files)
}

func (f *Folder) writeAll(files []File) error {
	for _, file := range files {
		if err := f.write(filepath.Join(f.dir, file.Name), file.Data); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
	}
	return nil
}

// removeEarlier removes the files that an earlier run published, or was killed
// while publishing, and that are not to stay. Lines that cannot be read, say the
// marks of a merge conflict, are about to be replaced and do not stand in the way.
func (f *Folder) removeEarlier(stay checksums) error {
	earlier, _ := filepath.Glob(filepath.Join(f.dir, timing+"*"))
	for _, path := range []string{filepath.Join(f.dir, sumsFile), f.seal()} {
		list, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		sums, _ := parseSums(list)
		for name := range sums {
			earlier = append(earlier, filepath.Join(f.dir, name))
		}
	}
	for _, path := range earlier {
		if _, ok := stay[filepath.Base(path)]; ok {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Published reports whether the folder holds, undamaged and complete, what
// was published from these inputs, so that nothing is left to do.
func (f *Folder) Published(inputs string) bool {
	seal, err := os.ReadFile(f.seal())
	if err != nil {
		return false
	}
	of, list, _ := strings.Cut(string(seal), "\n")
	sums, err := parseSums([]byte(list))
	if err != nil || of != inputs {
		return false
	}
	for name, sum := range sums {
		data, err := os.ReadFile(filepath.Join(f.dir, name))
		if err != nil || sumOf(data) != sum {
			return false
		}
	}
	return true
}

// seal returns the path of the file that ties all published files to the inputs.
// It is not part of the results: a clone without cells has no seal, and computes
// them.
func (f *Folder) seal() string { return filepath.Join(f.cells(), "published") }

// Replace writes some of the published files again, such as figures that were
// drawn anew, and last the sums.
func (f *Folder) Replace(files []File) error {
	sums, err := readSums(f.dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := checkName(file.Name); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
		if !Timed(file.Name) {
			sums[file.Name] = sumOf(file.Data)
		}
	}
	return f.writeAll(append(append([]File{}, files...), File{sumsFile, sums.format()}))
}
