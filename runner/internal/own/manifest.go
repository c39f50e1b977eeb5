package own

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/store"
)

// Table is a table of a user's own, as the flags of run -data describe it.
type Table struct {
	File    string
	Labels  string // file of the classes; empty: a column of File has them
	Test    string // table of the test rows; empty: a quarter of the rows of File
	Format  dataset.Format
	AllRows bool // the saved network learns the test rows, too, after the test
}

//go:embed manifest.txt
var template string

var notName = regexp.MustCompile(`[^a-z0-9_]+`)

// Validate returns an error that names the wrong flags.
func (t *Table) Validate() error {
	once := func(flag, file string) error {
		info, err := os.Stat(file)
		standard := file == "-" || file == "/dev/stdin" || file == "/dev/fd/0"
		if !standard && (err != nil || info.Mode().IsRegular() || info.IsDir()) {
			return nil
		}
		return fmt.Errorf("%s %s can be read only once, and a run reads its table again: save the rows in a file, "+
			"and name the file", flag, file)
	}
	return errors.Join(t.Format.Resolve(), once("-data", t.File), once("-labels", t.Labels), once("-test", t.Test))
}

// ErrDiffers is the error for a manifest that exists and is not that of the table.
var ErrDiffers = errors.New("exists and differs from the manifest for this table")

// Manifest reads the table, writes a manifest beside it, and returns the path of the manifest, which it also
// prints. If it cannot write there, it writes into the folder out, unless out is "". It returns an error if the
// table does not fit the format.
func (t *Table) Manifest(stdout io.Writer, out string) (path string, err error) {
	e, err := t.Format.Read(t.File, t.Labels, nil)
	if err != nil {
		return "", err
	}
	path, err = t.write(filepath.Dir(t.File), e.Len())
	if _, unwritten := errors.AsType[*fs.PathError](err); unwritten && out == "" {
		err = fmt.Errorf("%w; -out FOLDER writes the manifest and the results elsewhere", err)
	} else if unwritten {
		if err = os.MkdirAll(out, 0o777); err == nil {
			path, err = t.write(out, e.Len())
		}
	}
	if err == nil {
		fmt.Fprintf(stdout, "manifest: %s\n", path)
	}
	return path, err
}

// write writes the manifest for a table of so many rows into the folder, unless it is there.
func (t *Table) write(folder string, rows int) (path string, err error) {
	d := data.Source{Files: data.Files{File: t.File, Labels: t.Labels, Format: t.Format}, TestFile: t.Test}
	for _, file := range []*string{&d.File, &d.Labels, &d.TestFile} {
		if *file != "" {
			from, err1 := filepath.Abs(folder)
			to, err2 := filepath.Abs(*file)
			if *file, err = filepath.Rel(from, to); cmp.Or(err1, err2, err) != nil {
				return "", cmp.Or(err1, err2, err)
			}
		}
	}
	if t.Test == "" {
		d.TestFraction = 0.25
	}
	var table strings.Builder
	if err := toml.NewEncoder(&table).Encode(d); err != nil {
		return "", err
	}
	stem := strings.TrimSuffix(filepath.Base(t.File), ".gz")
	stem = strings.TrimSuffix(stem, filepath.Ext(stem))
	name := strings.Trim(notName.ReplaceAllString(strings.ToLower(stem), "_"), "_")
	if name == "" || len(name) > 64 { // other tables would have the same name
		hash := sha256.Sum256([]byte(stem))
		name = fmt.Sprintf("%.55s_%x", cmp.Or(name, "own"), hash[:4])
	}
	seeds := `"1..5"`
	if rows > 5000 {
		seeds = "[1]"
	}
	text := fmt.Sprintf(template, name, &table, seeds, t.AllRows)
	path = filepath.Join(folder, stem+".toml")
	if old, missing := os.ReadFile(path); missing != nil {
		err = store.WriteFile(path, []byte(text))
	} else if string(old) != text {
		err = fmt.Errorf("%s %w", path, ErrDiffers)
	}
	return path, err
}
