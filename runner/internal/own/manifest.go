package own

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
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

var notName = regexp.MustCompile(`[^a-z0-9_]+`)

// Manifest reads the table, writes a manifest beside it, and returns the path of the manifest, which it also
// prints. It returns an error if the table does not fit the format, or if there is another manifest.
func (t *Table) Manifest(stdout io.Writer) (path string, err error) {
	e, err := t.Format.Read(t.File, t.Labels, nil)
	if err != nil {
		return "", err
	}
	d := data.Source{Files: data.Files{File: filepath.Base(t.File), Format: t.Format}, TestFraction: 0.25}
	if t.Labels != "" {
		if d.Labels, err = filepath.Rel(filepath.Dir(t.File), t.Labels); err != nil {
			return "", err
		}
	}
	if t.Test != "" {
		d.TestFraction = 0
		if d.TestFile, err = filepath.Rel(filepath.Dir(t.File), t.Test); err != nil {
			return "", err
		}
	}
	var table strings.Builder
	if err := toml.NewEncoder(&table).Encode(d); err != nil {
		return "", err
	}
	stem := strings.TrimSuffix(t.File, ".gz")
	stem = strings.TrimSuffix(stem, filepath.Ext(stem))
	name := strings.Trim(notName.ReplaceAllString(strings.ToLower(filepath.Base(stem)), "_"), "_")
	if name == "" || len(name) > 64 { // other tables would have the same name
		hash := sha256.Sum256([]byte(filepath.Base(stem)))
		name = fmt.Sprintf("%.55s_%x", cmp.Or(name, "own"), hash[:4])
	}
	seeds := `"1..5"`
	if e.Len() > 5000 {
		seeds = "[1]"
	}
	text := fmt.Sprintf(template, name, &table, seeds, t.AllRows)
	path = stem + ".toml"
	if old, missing := os.ReadFile(path); missing != nil {
		err = store.WriteFile(path, []byte(text))
	} else if string(old) != text {
		return "", fmt.Errorf("%s exists and differs from the manifest for this table: run it by -exp %[1]q, "+
			"or remove it", path)
	}
	fmt.Fprintf(stdout, "manifest: %s\n", path)
	return path, err
}

const template = `# Written by run -data, to be edited. experiments/KEYS.md lists all keys.

name  = %q
study = "learn"
seed  = 1

[data]
%s
[sweep]
seed = %s                # splits into training and test rows

[[method]]
name = "network"
hidden_layers = [50]

# Two to compare with: one network without hidden layers, and the frequencies of the classes.

[[method]]
name = "linear"
members = 1                   # without it, the default bank, which has a member that is not linear
hidden_layers = []

[[method]]
name = "majority"
kind = "majority"

[save]
network = true
all_rows = %t                 # whether it learns the test rows, too, once they have been predicted
`
