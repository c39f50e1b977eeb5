package own

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	check "closedform/internal/checktest"
	"closedform/runner/internal/manifest"
)

// The manifest has a name that is allowed, whatever the file is called, and finds the test table beside
// another folder's.
func TestNames(t *testing.T) {
	long := strings.Repeat("x", 64)
	for file, name := range map[string]string{
		"My Data.csv": "my_data", "/a/b-2.csv.gz": "b_2", "Ж.csv": "own", long + "xx": long,
	} {
		text := check.Must((&Table{File: file, Test: "test.csv"}).draft(10))
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
