package store

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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
	packed        = ".csv.gz" // the extension of packed tables
	mostUnpacked  = 1 << 28   // bytes of one
	mostCommitted = 600_000   // bytes of a table as CSV

	// Tables of more rows are rounded; their means have all digits.
	manyRows = 500
	digits   = 10
)

// TableName returns the name of the file of a table: NAME.csv, or NAME.csv.gz if it
// is packed.
func TableName(t *table.Table) string {
	if t.Packed {
		return t.Name + packed
	}
	return t.Name + ".csv"
}

// TableFile returns the table as a file. Equal tables are equal bytes. A table that is too large to be
// committed is Packed from then on.
func TableFile(t *table.Table) File {
	rounded := t
	if t.Len() > manyRows {
		rounded = t.Rounded(digits)
	}
	if !t.Packed {
		csv := rounded.CSV()
		if len(csv) <= mostCommitted {
			return File{TableName(t), csv}
		}
		t.Packed = true
	}
	return File{TableName(t), Pack(rounded)}
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
	data := f.Data
	if strings.HasSuffix(f.Name, packed) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(io.LimitReader(z, mostUnpacked+1))
		}
		if err == nil && len(data) > mostUnpacked {
			err = fmt.Errorf("more than %d bytes when unpacked", mostUnpacked)
		}
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
	}
	return table.Read(name, bytes.NewReader(data))
}

// Results is a published results folder, for reading.
type Results struct {
	dir  string
	sums checksums
}

// OpenResults opens the published results in the folder dir. The error is fs.ErrNotExist if nothing is
// published, and says so if a run has failed.
func OpenResults(dir string) (*Results, error) {
	sums, err := readSums(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = absent("no results in " + dir)
		if why := Failure(dir); why != "" {
			err = absent(dir + " is not finished: " + why)
		}
	}
	return &Results{dir, sums}, err
}

// absent says that there are no results.
type absent string

func (a absent) Error() string      { return string(a) }
func (absent) Is(target error) bool { return target == fs.ErrNotExist }

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

// ErrNotCommitted is the error of a published table that is packed and missing, or that of an older run: a
// run makes it again.
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
	if err == nil && sumOf(data) == sum {
		return File{file, data}.Table()
	}
	switch {
	case strings.HasSuffix(file, packed) && (err == nil || errors.Is(err, fs.ErrNotExist)):
		return nil, fmt.Errorf("%s, %w", file, ErrNotCommitted)
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

// ofRun are the published files without a checksum. All but SHA256SUMS itself tell of the run.
var ofRun = []string{sumsFile, runFile, readmeFile}

const nameChars = `A-Za-z0-9_+=` // of a file; a dot or a dash, too, but not first

var (
	nameLine = regexp.MustCompile(`^[` + nameChars + `][` + nameChars + `.-]*$`)
	sumLine  = regexp.MustCompile(`^([0-9a-f]{64})  ([` + nameChars + `][` + nameChars + `.-]*)\n$`)
)

// checksums maps file names to SHA-256 sums in hexadecimal.
type checksums map[string]string

func sumOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// add adds the sums of files.
func (s checksums) add(files []File) error {
	seen := map[string]bool{}
	for _, file := range files {
		if seen[file.Name] || !nameLine.MatchString(file.Name) || slices.Contains(ofRun, file.Name) {
			return fmt.Errorf("publish: file name %q, or two files have it", file.Name)
		}
		seen[file.Name], s[file.Name] = true, sumOf(file.Data)
	}
	return nil
}

// format returns the sums as sha256sum(1) writes and checks them, in the
// order of the names.
func (s checksums) format() []byte {
	var text []byte
	for _, name := range slices.Sorted(maps.Keys(s)) {
		text = fmt.Appendf(text, "%s  %s\n", s[name], name)
	}
	return text
}

// readSums reads the sums of a results folder. With an error that is ErrDamaged, of the last bad line, it
// returns the good lines.
func readSums(dir string) (checksums, error) {
	data, err := os.ReadFile(filepath.Join(dir, sumsFile))
	s := checksums{}
	for line := range strings.Lines(string(data)) {
		m := sumLine.FindStringSubmatch(line)
		if m == nil || s[m[2]] != "" {
			err = fmt.Errorf("%s: %s: %w: bad line %q", dir, sumsFile, ErrDamaged, line)
			continue
		}
		s[m[2]] = m[1]
	}
	return s, err
}

// differing returns the names of the files in a folder that do not match their sums, sorted.
func (s checksums) differing(dir string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			names = append(names, name+" (lost)")
		case err != nil || sumOf(data) != s[name]:
			names = append(names, name)
		}
	}
	return names
}
