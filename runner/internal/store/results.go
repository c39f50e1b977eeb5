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
	Name string // without a folder
	Data []byte
}

const (
	packed        = ".csv.gz" // the extension of packed tables
	mostCommitted = 600_000   // bytes of a table as CSV
	manyRows      = 500       // tables of more rows are rounded; their means have all digits
)

// TableFile returns the table as a file, NAME.csv, or NAME.csv.gz if it is packed. Equal tables are equal
// bytes. A table that is too large to be committed is Packed from then on.
func TableFile(t *table.Table) File {
	rounded := t
	if t.Len() > manyRows {
		rounded = t.Rounded(10)
	}
	if !t.Packed {
		data := rounded.CSV()
		if t.Packed = len(data) > mostCommitted; !t.Packed {
			return File{t.Name + ".csv", data}
		}
	}
	return File{t.Name + packed, Pack(rounded.CSV())}
}

// Pack returns the text packed by gzip.
func Pack(text []byte) []byte {
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // a known level
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

// Results is a published results folder, for reading.
type Results struct {
	dir  string
	sums checksums
}

// OpenResults opens the published results in the folder dir. The error is fs.ErrNotExist if nothing is
// published, and says so if a run has failed. With damaged checksums, the results are those that they name.
func OpenResults(dir string) (*Results, error) {
	data, err := os.ReadFile(filepath.Join(dir, sumsFile))
	sums := checksums{}
	for _, m := range sumLine.FindAllStringSubmatch(string(data), -1) {
		sums[m[2]] = m[1]
	}
	switch why := Failure(dir); {
	case err == nil && len(data) != len(sums.format()): // lines that are none, or a name twice
		err = fmt.Errorf("%s: %s: %w", dir, sumsFile, errDamaged)
	case errors.Is(err, fs.ErrNotExist) && why != "":
		err = fmt.Errorf("%s is not finished: %s: %w", dir, why, fs.ErrNotExist)
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("no results in %s: %w", dir, fs.ErrNotExist)
	}
	return &Results{dir, sums}, err
}

// Sums returns SHA256SUMS, the checksums of all files.
func (r *Results) Sums() []byte { return r.sums.format() }

// Differing returns the names of the committed files, or all, that do not match their checksums, sorted.
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

// ErrNotCommitted is the error of a packed table that is missing or of an older run: a run makes it again.
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

const (
	sumsFile   = "SHA256SUMS"
	runFile    = "run.json"
	readmeFile = "README.md"
)

// sumLine matches a line of SHA256SUMS. Names have no folder and do not begin with a dot or a dash.
var sumLine = regexp.MustCompile(`(?m)^([0-9a-f]{64})  ([A-Za-z0-9_+=][A-Za-z0-9_+=.-]*)$`)

var errDamaged = errors.New("damaged") // of a file that has changed since it was written

type checksums map[string]string // by the names of files

func sumOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func sumsOf(files []File) checksums {
	s := checksums{}
	for _, file := range files {
		s[file.Name] = sumOf(file.Data)
	}
	return s
}

// format returns the sums as sha256sum(1) writes and checks them, in the order of the names.
func (s checksums) format() (text []byte) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		text = fmt.Appendf(text, "%s  %s\n", s[name], name)
	}
	return text
}

// Compare returns a line on each file in which the results folder published differs from fresh, the results
// of running it again, with the first differing line of a text. Files that are not committed are compared by
// their committed checksums: those in the folder may be of another run.
func Compare(published, fresh string) (lines []string, err error) {
	old, err1 := OpenResults(published)
	now, err2 := OpenResults(fresh)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	for _, name := range old.Differing(false) {
		lines = append(lines, name+": not what SHA256SUMS says")
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
	text, _ := os.ReadFile(filepath.Join(dir, name)) // a lost file is another line
	return strings.Split(string(text), "\n")
}
