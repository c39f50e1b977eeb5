package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// needy is a manifest that reads files of the data sets red and blue.
const needy = `name  = "needy"
study = "compare"
seed  = 1

[compare]
budget    = 1
reference = "majority"

[[set]]
name = "red"
file = "data/red.csv"
train_rows = "1-6"

[[set]]
name = "blue"
file = "data/blue.csv"
test_fraction = 0.25

[[method]]
name = "majority"
kind = "majority"

[[method]]
name = "neighbours"
kind = "neighbours"
`

// dataSetFile describes the sets red and blue, of a file each.
var dataSetFile = func() string {
	text := ""
	for _, name := range []string{"red", "blue"} {
		text += fmt.Sprintf("[[set]]\nname = %q\n[[set.file]]\npath = \"%[1]s.csv\"\nsha256 = \"%s\"\nurls = [\"http://localhost/\"]\n\n",
			name, strings.Repeat("0", 64))
	}
	return text
}()

const colours = "x,class\n1,a\n2,b\n3,a\n4,b\n5,a\n6,b\n7,a\n8,b\n"

func TestMissingData(t *testing.T) {
	inExperiments(t, map[string]string{"needy.toml": needy, "small.toml": small, "data/sets.toml": dataSetFile, "data/red.csv": colours})
	blue := filepath.Join("experiments", "data", "blue.csv")
	line := "needy: no file " + blue + "; to get the data: go run ./runner -fetch blue"

	if code, stdout, stderr := exit(t, "-exp", "needy"); code != 1 || stderr != "runner: "+line+"\n" || stdout != "" {
		t.Errorf("exit code %d, %q and %q", code, stdout, stderr)
	}
	if exists("results") {
		t.Error("it has begun")
	}
	contains(t, mustRun(t, "-list"), "\nneedy  compare  full    -      experiments/needy.toml (needs data)\n", "\nsmall  learn    full    4 ")
	stdout := mustRun(t, "-all")
	begins(t, stdout, line+"; skipped\nsmall: 4 cells, 4 computed, ")
	if exists("results", "needy") {
		t.Error("what is skipped has a results folder")
	}
	if got := mustRun(t, "-all", "-verify"); got != line+"; skipped\nsmall: verified\n" {
		t.Errorf("-verify prints %q", got)
	}

	write(t, colours, blue)
	begins(t, mustRun(t, "-all"), "needy: 4 cells, 4 computed, ")
	if got := mustRun(t, "-all", "-verify"); got != "needy: verified\nsmall: verified\n" {
		t.Errorf("-verify prints %q", got)
	}
}

// All files that are missing, and what gets them.
func TestMissingSeveral(t *testing.T) {
	inExperiments(t, map[string]string{"needy.toml": needy, "data/sets.toml": dataSetFile})
	red, blue := filepath.Join("experiments", "data", "red.csv"), filepath.Join("experiments", "data", "blue.csv")
	want := "needy: no file " + red + ", " + blue + "; to get the data: go run ./runner -fetch red -fetch blue; skipped\n"
	if got := mustRun(t, "-all"); got != want {
		t.Errorf("it prints %q, want %q", got, want)
	}
	// Away from the project nothing is known of the sets.
	inExperiments(t, map[string]string{"needy.toml": needy})
	if _, _, err := try(t, "-exp", "needy"); err == nil || err.Error() != "needy: no file "+red+", "+blue {
		t.Errorf("error %v", err)
	}
}

// The manifest among the results is one that can be run, and that finds the data.
func TestResolvedManifestRuns(t *testing.T) {
	inExperiments(t, map[string]string{"needy.toml": needy, "data/red.csv": colours, "data/blue.csv": colours})
	mustRun(t, "-exp", "needy")
	dir := filepath.Join("results", "needy")
	resolved := filepath.Join(dir, "manifest.toml")
	contains(t, read(t, resolved), "\nfolder = \"experiments\"\n")
	if got := mustRun(t, "-exp", resolved); got != "needy: 4 cells, all done before; "+dir+" is up to date\n" {
		t.Errorf("it prints %q", got)
	}
	mustRun(t, "-exp", resolved, "-out", "other")
	same(t, results(t, filepath.Join("other", "needy")), results(t, dir))

	// Packed tables are not committed: without them it is verified all the same, by
	// their sums, and the cells give them back.
	packed := filepath.Join(dir, "predictions.csv.gz")
	before := read(t, packed)
	if err := os.Remove(packed); err != nil {
		t.Fatal(err)
	}
	if got := mustRun(t, "-exp", "needy", "-verify"); got != "needy: verified\n" {
		t.Errorf("-verify prints %q", got)
	}
	begins(t, mustRun(t, "-exp", "needy"), "needy: 4 cells, 0 computed, 4 done before; ")
	if read(t, packed) != before {
		t.Error("other predictions come back")
	}

	// Other data are another experiment, in the cells that read them.
	write(t, strings.Replace(colours, "8,b", "9,b", 1), "experiments", "data", "red.csv")
	begins(t, mustRun(t, "-exp", "needy"), "needy: 4 cells, 2 computed, 2 done before; ")
}
