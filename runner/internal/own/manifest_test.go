package own

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/dataset"
)

// The manifest of a table has all that was said of the table, and is kept from then on.
func TestManifest(t *testing.T) {
	t.Chdir(t.TempDir())
	const messy = "id;length;colour;species\n1;10,5;red;Ash\n2;NA;green;Elm\n"
	check.OK(t, os.WriteFile("my leaves.csv", []byte(messy), 0o666))
	var out strings.Builder
	my := Table{File: "my leaves.csv", Format: dataset.Format{Class: "species", Separator: ";"}}
	_, err := my.Manifest(&out)
	check.Refuses(t, "a messy table", err, "my leaves.csv: 2 columns do not fit:\n", `decimal = "," reads them`)
	my.Format.Decimal, my.Format.Missing = ",", dataset.MissingMean
	my.Format.Categorical, my.Format.Ignore = []string{"colour"}, []string{"id"}
	text := read(check.Must(my.Manifest(&out)))
	check.Equal(t, "it prints", out.String(), "manifest: my leaves.toml\n")
	contains(t, text, `name  = "my_leaves"`, `categorical = ["colour"]`, `ignore = ["id"]`, `missing = "mean"`,
		`separator = ";"`, `decimal = ","`, "test_fraction = 0.25", "all_rows = false")
	check.Must(my.Manifest(&out))
	my.Test = filepath.Join("new", "rows.csv")
	check.Refuses(t, "other values", check.Err(my.Manifest(&out)), "my leaves.toml exists and differs")
	check.Equal(t, "the manifest", read("my leaves.toml"), text)
	other := Table{File: "Ж.csv.gz", Test: my.Test, Format: dataset.Format{Class: "kind"}, AllRows: true}
	check.OK(t, os.WriteFile(other.File, []byte("size,kind\n1,a\n2,b\n"), 0o666))
	contains(t, read(check.Must(other.Manifest(&out))), `name  = "own"`, `test_file = "new/rows.csv"`,
		"all_rows = true")
}
