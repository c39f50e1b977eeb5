package own

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/studies/learn"
)

// The manifest has a name that is allowed, whatever the file is called, and finds the test table beside
// another folder's.
func TestNames(t *testing.T) {
	long := strings.Repeat("x", 64)
	for file, name := range map[string]string{
		"My Data.csv": "my_data", "/a/b-2.csv.gz": "b_2", "Ж.csv": "own", long + "xx": long,
	} {
		text := check.Must(draft(file, "test.csv", 10, dataset.Format{Class: "class"}))
		var found struct {
			Data struct {
				Test string `toml:"test_file"`
			}
		}
		check.Must(toml.Decode(text, &found))
		check.Equal(t, "name", check.Must(manifest.Parse("my.toml", []byte(text), nil)).Name, name)
		test := found.Data.Test
		if !filepath.IsAbs(test) {
			test = check.Must(filepath.Abs(filepath.Join(filepath.Dir(file), test)))
		}
		check.Equal(t, file+": test table", test, check.Must(filepath.Abs("test.csv")))
	}
}

// Messages name the file of the network, whatever it is called.
func TestMessages(t *testing.T) {
	path, data := filepath.Join(t.TempDir(), "95%d.npz"), filepath.Join(t.TempDir(), "new.csv")
	network := check.Must(os.Create(path))
	check.OK(t, checkpoint.Save(network, check.Must(bnn.New(bnn.Default(1, 2), random.Source("network"))), ""))
	check.OK(t, errors.Join(network.Close(), os.WriteFile(data, []byte("x\n1\n"), 0o666)))
	var said strings.Builder
	check.Must((&Rows{Network: path, Data: data, Stderr: &said}).Predict(""))
	if !strings.HasPrefix(said.String(), path+": names no columns") {
		t.Errorf("%q does not begin with the file", said.String())
	}
}

// The manifest of a large table, whose rows one split is enough for, is one that runs.
func TestLargeTable(t *testing.T) {
	text := check.Must(draft("large.csv", "", 6000, dataset.Format{Class: "class"}))
	m := check.Must(manifest.Parse("large.toml", []byte(text), nil))
	check.Must(learn.Kind.New(m))
}
