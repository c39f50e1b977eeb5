package store

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"closedform/runner/dataset"
	"closedform/runner/internal/table"
)

// File is a published file.
type File struct {
	Name string // file name, without a folder
	Data []byte
}

const (
	packed        = ".csv.gz" // the extension of packed tables
	mostCommitted = 600_000   // largest size of a committed table, in bytes of CSV; larger ones are packed
)

// TableFile returns the file of a table: NAME.csv, or NAME.csv.gz if the table is Packed, or too large to be
// committed. Equal tables make equal bytes.
func TableFile(t *table.Table) File {
	text := t.CSV()
	if t.Packed || len(text) > mostCommitted {
		return File{t.Name + packed, Pack(text)}
	}
	return File{t.Name + ".csv", text}
}

// Pack returns the text packed by gzip.
func Pack(text []byte) []byte {
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // the error is for an invalid level
	z.Write(text)                                           // writing to a bytes.Buffer cannot fail
	z.Close()
	return buf.Bytes()
}

// Table reads the table that the file holds.
func (f File) Table() (*table.Table, error) {
	name, _, _ := strings.Cut(f.Name, ".")
	r, err := dataset.Unpack(bytes.NewReader(f.Data))
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	return table.Read(name, r)
}

// Results reads the published files of a results folder.
type Results struct {
	dir  string
	sums checksums
}

// OpenResults opens the published results in the folder dir. If nothing is published, the error is
// fs.ErrNotExist, with the error of the last run if that has failed. If SHA256SUMS is damaged, OpenResults
// returns an error, and the results that the undamaged lines name.
func OpenResults(dir string) (*Results, error) {
	data, err := os.ReadFile(filepath.Join(dir, sumsFile))
	sums := checksums{}
	for _, m := range sumLine.FindAllStringSubmatch(string(data), -1) {
		sums[m[2]] = m[1]
	}
	switch why := Failure(dir); {
	case err == nil && len(data) != len(sums.format()): // some lines have no checksum, or the same name
		err = fmt.Errorf("%s: %s: %w", dir, sumsFile, errDamaged)
	case errors.Is(err, fs.ErrNotExist) && why != "":
		err = fmt.Errorf("%s is not finished: %s: %w", dir, why, fs.ErrNotExist)
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("no results in %s: %w", dir, fs.ErrNotExist)
	}
	return &Results{dir, sums}, err
}

// Tables returns the sorted names of all tables.
func (r *Results) Tables() (names []string) {
	for file := range r.sums {
		name, extension, _ := strings.Cut(file, ".")
		if "."+extension == packed || extension == "csv" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Sums returns SHA256SUMS, the checksums of all files.
func (r *Results) Sums() []byte { return r.sums.format() }

// Differing returns the sorted names of files that do not match their checksums: of all files, or only of
// those that are committed.
func (r *Results) Differing(all bool) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		data, err := os.ReadFile(filepath.Join(r.dir, name))
		if (all || committed(name)) && (err != nil || sumOf(data) != r.sums[name]) {
			names = append(names, name)
		}
	}
	return names
}

// committed reports whether a file is committed: large files and figures other than PNG are not.
func committed(name string) bool {
	return !slices.Contains([]string{".gz", ".pdf", ".npz"}, filepath.Ext(name))
}

// ErrNotCommitted is the error for a packed table that is missing, or from another run. A new run makes it.
var ErrNotCommitted = errors.New("which is not committed")

// Table returns a published table, which must match its checksum.
func (r *Results) Table(name string) (*table.Table, error) {
	file := name + packed
	if r.sums[file] == "" {
		file = name + ".csv"
	}
	path, sum := filepath.Join(r.dir, file), r.sums[file]
	data, err := os.ReadFile(path)
	switch {
	case sum == "":
		err = fmt.Errorf("%s: %s does not list it", path, sumsFile)
	case err == nil && sumOf(data) == sum:
		return File{file, data}.Table()
	case filepath.Ext(file) == ".gz" && (err == nil || errors.Is(err, fs.ErrNotExist)):
		err = fmt.Errorf("%s, %w", file, ErrNotCommitted)
	case err == nil:
		err = fmt.Errorf("%s: its checksum is not that of %s", path, sumsFile)
	}
	return nil, err
}

// Published returns a function that reads the tables in a folder of results, by names EXPERIMENT/TABLE. It
// reads each table once. EXPERIMENT/times is not a file: it has the processor time of each kind of cell.
func Published(results string) func(name string) (*table.Table, error) {
	tables := map[string]*table.Table{}
	return func(name string) (t *table.Table, err error) {
		if t = tables[name]; t != nil {
			return t, nil
		}
		experiment, file, _ := strings.Cut(name, "/")
		r, err := OpenResults(filepath.Join(results, experiment))
		switch {
		case err == nil && file == "times":
			run, unread := ReadRun(r.dir)
			t, err = run.times(), unread
		case err == nil:
			t, err = r.Table(file)
		}
		tables[name] = t
		return t, err
	}
}

const (
	sumsFile   = "SHA256SUMS"
	runFile    = "run.json"
	readmeFile = "README.md"
)

// sumLine matches a line of SHA256SUMS. A name has no folder and does not begin with a dot or a dash.
var sumLine = regexp.MustCompile(`(?m)^([0-9a-f]{64})  ([A-Za-z0-9_+=][A-Za-z0-9_+=.-]*)$`)

var errDamaged = errors.New("damaged") // the file has changed since it was written

type checksums map[string]string // SHA-256 in hexadecimal, by file name

func sumOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func sumsOf(files []File) checksums {
	s := checksums{}
	for _, file := range files {
		s[file.Name] = sumOf(file.Data)
	}
	return s
}

// format returns the checksums in the format of sha256sum(1), sorted by name.
func (s checksums) format() (text []byte) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		text = fmt.Appendf(text, "%s  %s\n", s[name], name)
	}
	return text
}

// Compare returns a line for each file that differs between a published results folder and a fresh one of the
// same experiment. The line has the first different line of a text. README.md is compared, run.json is not.
// Files that are not committed are compared by their committed checksums, because the files in the folder may
// be from another run.
func Compare(published, fresh string) (lines []string, err error) {
	old, err1 := OpenResults(published)
	now, err2 := OpenResults(fresh)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	for _, name := range old.Differing(false) {
		lines = append(lines, name+": not what SHA256SUMS says")
	}
	for _, r := range []*Results{old, now} {
		if text, err := os.ReadFile(filepath.Join(r.dir, readmeFile)); err == nil {
			r.sums[readmeFile] = sumOf(text)
		}
	}
	names := maps.Clone(old.sums)
	maps.Copy(names, now.sums)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, is := old.sums[name], now.sums[name]
		switch {
		case was == is:
		case is == "":
			lines = append(lines, name+": missing: a fresh run does not make it")
		case was == "":
			lines = append(lines, name+": extra: only a fresh run makes it")
		case !committed(name) || filepath.Ext(name) == ".png":
			lines = append(lines, name+": other bytes")
		default:
			was, is := textLines(published, name), textLines(fresh, name)
			n := 0
			for n < min(len(was), len(is))-1 && was[n] == is[n] {
				n++
			}
			lines = append(lines, fmt.Sprintf("%s:%d: %q, and now %q", name, n+1, was[n], is[n]))
		}
	}
	return lines, nil
}

func textLines(dir, name string) []string {
	text, _ := os.ReadFile(filepath.Join(dir, name)) // a missing file counts as an empty one
	return strings.Split(string(text), "\n")
}
