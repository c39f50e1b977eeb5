package own

import (
	"cmp"
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
	"closedform/runner/internal/trained"
)

// Manifest writes a manifest beside a table, and returns its path. The test rows are those of another table,
// unless its name is empty. What does not fit the format is an error, before anything is written.
func Manifest(w io.Writer, file, test string, f dataset.Format) (path string, err error) {
	e, err := f.Read(file)
	if err != nil {
		return "", err
	}
	text, err := draft(file, test, e.Len(), f)
	if err != nil {
		return "", err
	}
	path = stem(file) + ".toml"
	old, err := os.ReadFile(path)
	if err == nil && string(old) != text {
		return "", fmt.Errorf("%s exists and differs from the manifest for this table: run it by -exp %[1]s, "+
			"or remove it", path)
	}
	fmt.Fprintf(w, "manifest: %s\n", path)
	if err == nil {
		return path, nil
	}
	return path, store.WriteFile(path, []byte(text))
}

// stem returns the path of a table without .csv or .csv.gz.
func stem(file string) string {
	file = strings.TrimSuffix(file, ".gz")
	return strings.TrimSuffix(file, filepath.Ext(file))
}

// Unlearned returns an error if the network of a results folder has learned rows since the run that made it.
func Unlearned(dir string) error {
	file := filepath.Join(dir, "network.npz")
	if n, err := trained.Read(file); err == nil && n.Counts.Learned > 0 {
		return fmt.Errorf("%s has learned %d rows since it was trained, and the run would replace it: "+
			"move or remove it", file, n.Counts.Learned)
	}
	return nil
}

var notName = regexp.MustCompile(`[^a-z0-9_]+`)

// draft returns the manifest for a table of so many examples and, if there is one, a test table.
func draft(file, test string, examples int, f dataset.Format) (string, error) {
	d := data.Source{Files: data.Files{File: filepath.Base(file), Format: f}, TestFraction: 0.25}
	if test != "" {
		d.TestFraction = 0
		var err error
		if d.TestFile, err = filepath.Rel(filepath.Dir(file), test); err != nil { // one of them is absolute
			if d.TestFile, err = filepath.Abs(test); err != nil {
				return "", err
			}
		}
	}
	seeds, snapshots := `"1..5"`, ""
	if examples > 5000 {
		seeds, snapshots = "[1]", "\nsnapshots = [1000]          # and after all: predicting takes time"
	}
	name := notName.ReplaceAllString(strings.ToLower(filepath.Base(stem(file))), "_")
	name = cmp.Or(strings.Trim(name[:min(len(name), 64)], "_"), "own")
	var b strings.Builder
	fmt.Fprintf(&b, `# Written by run -data, to be edited. experiments/README.md lists all keys.

name  = %q
study = "learn"
seed  = 1

`, name)
	e := toml.NewEncoder(&b)
	e.Indent = ""
	err := e.Encode(map[string]any{"data": d})
	fmt.Fprintf(&b, `
[sweep]
seed = %s                # splits into training and test rows

[evaluate]
classes = true              # which classes are confused, with recall and precision%s

[[method]]
name = "network"
hidden_layers = [50]

# Two to compare with: a network without hidden layers, and the frequencies of the classes.

[[method]]
name = "linear"
hidden_layers = []

[[method]]
name = "majority"
kind = "majority"

[save]
network = true
`, seeds, snapshots)
	return b.String(), err
}
