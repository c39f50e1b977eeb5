package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
)

func TestResultsFolder(t *testing.T) {
	m, out := write(t, edit(t, drawn, "threshold", "noted = true\nthreshold")), t.TempDir()
	stdout := mustRun(t, "-exp", m, "-out", out)
	dir := filepath.Join(out, "small")
	begins(t, stdout, "small: 4 cells, 4 computed, 0 done before; 6 files in "+dir+", in ")
	contains(t, stdout, "\nsmall: 4 walks\n")
	files := results(t, dir)
	var names []string
	for _, path := range glob(t, dir, "*") {
		names = append(names, filepath.Base(path))
	}
	want := strings.Fields("README.md SHA256SUMS cells manifest.toml run.json runs.csv runs.pdf runs.png summary.csv walks.csv.gz")
	check.Equal(t, "there", names, want)
	for name, start := range map[string]string{
		"runs.png": "\x89PNG", "runs.pdf": "%PDF-",
		"runs.csv": "method,seed,end\njoint,1,", "summary.csv": "method,above\njoint,",
	} {
		begins(t, files[name], start)
	}
	readme := read(t, dir, "README.md")
	begins(t, readme, "# small\n\nWhere do they end?\n\n- 4 walks\n")
	contains(t, readme, "`walks.csv.gz` is large", "- `above` (integers): how many end above the threshold\n", "](runs.png)\n",
		"\n    go run ./runner -exp "+m+" -out "+out+" -quiet\n")

	run := check.Must(store.ReadRun(dir))
	check.Equal(t, "command", run.Command, []string{"runner", "-exp", m, "-out", out, "-quiet"})
	if run.Manifest != "small" || !slices.Equal(run.Seeds, []int{1, 2}) || run.Computed != 4 || run.Reused != 0 ||
		run.Go != runtime.Version() || (run.GOAMD64 != "") != (runtime.GOARCH == "amd64") || run.SourceDigest != "1" || run.Commit == "" || !(run.Seconds > 0) {
		t.Errorf("run.json has %+v", run)
	}
	check.Equal(t, "verify prints", mustRun(t, "verify", "-exp", m, "-out", out), "small: same bytes\n")
}

func TestWarmRunComputesNothing(t *testing.T) {
	m, out, _ := published(t, small)
	before := snapshot(t, out)
	want := fmt.Sprintf("small: 4 cells, all done before; %s is up to date\nopen %s\n",
		filepath.Join(out, "small"), filepath.Join(out, "index.html"))
	check.Equal(t, "it says", mustRun(t, "-exp", m, "-out", out, "-workers", "3"), want)
	same(t, snapshot(t, out), before)
}

// Other sources make all cells again.
func TestOtherSources(t *testing.T) {
	m, out, dir := published(t, small)
	changeSources(t, "2")
	begins(t, mustRun(t, "-exp", m, "-out", out), "small: 4 cells, 4 computed, 0 done before; ")
	check.Equal(t, "run.json has the sources", check.Must(store.ReadRun(dir)).SourceDigest, "2")
}

// A run recomputes the cells that a changed manifest concerns, no others, and
// writes what a run of the changed manifest in a new folder writes.
func TestChangedManifest(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs")
	}
	for _, c := range []struct {
		name, old, new string
		computed       int
		changes        string // some file whose bytes change
	}{
		{"key of the tables", "threshold = 0.5", "threshold = -9", 0, "summary.csv"},
		{"figures", `title = ""`, `title = "Walks"`, 0, "runs.png"},
		{"a comment", "threshold = 0.5", "threshold = 0.5 # steps", 0, ""},
		{"key of the model", "scale  = 0.3", "scale = 0.25", 2, "runs.csv"}, // method total has its own
		{"key of a method", "scale = 2", "scale = 3", 2, "runs.csv"},
		{"key of all methods", "points = 5", "points = 6", 4, "runs.csv"},
		{"a seed more", "seed = [1, 2]", "seed = [1, 2, 3]", 2, "runs.csv"},
		{"a seed less", "seed = [1, 2]", "seed = [2]", 0, "runs.csv"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, fresh := t.TempDir(), t.TempDir()
			mustRun(t, "-exp", write(t, small), "-out", out)
			before := results(t, filepath.Join(out, "small"))
			folder := t.TempDir()
			m := write(t, edit(t, small, c.old, c.new), folder, "m.toml")
			stdout := mustRun(t, "-exp", m, "-out", out, "-set", "folder="+folder)
			if c.computed == 0 && c.changes == "" {
				contains(t, stdout, " cells, 0 computed, ")
			} else {
				contains(t, stdout, fmt.Sprintf(" cells, %d computed, ", c.computed))
			}
			mustRun(t, "-exp", m, "-out", fresh, "-set", "folder="+folder)
			after := results(t, filepath.Join(out, "small"))
			same(t, after, results(t, filepath.Join(fresh, "small")))
			if c.changes != "" && after[c.changes] == before[c.changes] {
				t.Errorf("%s has not changed", c.changes)
			}
		})
	}
}

func TestDamagedCellIsComputedAgain(t *testing.T) {
	m, out, dir := published(t, small)
	want := results(t, dir)
	cell := glob(t, dir, "cells", "total_seed=1-*.cell")[0]
	data := read(t, cell)
	write(t, data[:len(data)/2]+"x"+data[len(data)/2+1:], cell)
	remove(t, dir, "summary.csv") // so that there is something to do
	stdout, stderr, err := try(t, "-exp", m, "-out", out, "-quiet")
	check.OK(t, err)
	begins(t, stdout, "small: 4 cells, 1 computed, 3 done before; 4 files in ")
	check.Equal(t, "it warns", stderr, "small: cell total seed=1: "+cell+": damaged; computing it again\n")
	same(t, results(t, dir), want)
	contains(t, mustRun(t, "-exp", m, "-out", out), "is up to date")
}

func TestResultsAreRestored(t *testing.T) {
	m, out, dir := published(t, small)
	want := results(t, dir)
	again := func(computed int) {
		t.Helper()
		begins(t, mustRun(t, "-exp", m, "-out", out), fmt.Sprintf("small: 4 cells, %d computed, %d done before; 4 files in ", computed, 4-computed))
		same(t, results(t, dir), want)
	}
	for name, text := range want {
		write(t, text+"\n", dir, name)
	}
	again(0)
	for _, name := range []string{"summary.csv", "manifest.toml", "README.md", "SHA256SUMS", "run.json", "walks.csv.gz"} {
		remove(t, dir, name)
		again(0)
		check.Equal(t, name+" is there", exists(dir, name), true)
	}
	remove(t, dir, "run.json")
	remove(t, dir, "cells") // a clone has the results, but not the cells
	again(4)
	contains(t, read(t, dir, "run.json"), `"cells_computed": 4,`, `"cells_reused": 0,`)
}

// A publication that fails halfway is made good by the next run.
func TestResultsAreCompletedAfterAnError(t *testing.T) {
	m, out, whole := write(t, small), t.TempDir(), t.TempDir()
	mustRun(t, "-exp", m, "-out", whole)
	inTheWay := filepath.Dir(write(t, "", out, "small", "summary.csv", "x")) // a folder, not empty
	_, _, err := try(t, "-exp", m, "-out", out)
	if err == nil || !strings.Contains(err.Error(), "summary.csv") {
		t.Fatalf("a folder was overwritten by a file: %v", err)
	}
	check.Equal(t, "SHA256SUMS is there, and summary.csv is not", exists(out, "small", "SHA256SUMS"), false)
	remove(t, inTheWay)
	begins(t, mustRun(t, "-exp", m, "-out", out), "small: 4 cells, 0 computed, 4 done before; 4 files in ")
	same(t, results(t, filepath.Join(out, "small")), results(t, filepath.Join(whole, "small")))
}

func TestFailingCell(t *testing.T) {
	m, out := write(t, edit(t, small, "scale = 2", "fail = true")), t.TempDir()
	dir := filepath.Join(out, "small")
	code, stdout, stderr := exit(t, "-exp", m, "-out", out, "-quiet", "-workers", "1")
	check.Equal(t, "exit code", []any{code, stdout, stderr}, []any{1, "", "runner: small: cell total seed=1: lost its way\n"})
	if exists(dir, "SHA256SUMS") || len(glob(t, dir, "*.csv")) > 0 {
		t.Error("it has published results")
	}
	begins(t, mustRun(t, "-exp", m, "-out", out, "-set", "method.total.fail=false"), "small: 4 cells, 2 computed, 2 done before; ")
	before := results(t, dir)
	remove(t, dir, "cells")
	if _, _, err := try(t, "-exp", m, "-out", out); err == nil {
		t.Error("it did not fail again")
	}
	same(t, results(t, dir), before) // a run that fails leaves earlier results alone
}

// The manifest that the results keep makes the same results, and what -set changed is told.
func TestOverrides(t *testing.T) {
	m, out, again := write(t, small), t.TempDir(), t.TempDir()
	dir := filepath.Join(out, "small")
	sets := []string{"model.scale=0.25", "sweep.seed=2..4", "method.joint.points=7", "model.scale=0.45"}
	args := []string{"-exp", m, "-out", out}
	for _, s := range sets {
		args = append(args, "-set", s)
	}
	begins(t, mustRun(t, args...), "small: 6 cells, 6 computed, 0 done before; ")
	run := check.Must(store.ReadRun(dir))
	check.Equal(t, "run.json has", []any{run.Overrides, run.Seeds}, []any{sets, []int{2, 3, 4}})
	contains(t, read(t, dir, "manifest.toml"), "\nscale = 0.45\n", "\nseed = \"2..4\"\n") // the last -set of a key holds
	mustRun(t, "-exp", filepath.Join(dir, "manifest.toml"), "-out", again)
	same(t, results(t, filepath.Join(again, "small")), results(t, dir))
	begins(t, mustRun(t, "-exp", m, "-out", out), "small: 4 cells, 3 computed, 1 done before; ")
	var raw map[string]any
	if err := json.Unmarshal([]byte(read(t, dir, "run.json")), &raw); err != nil || len(raw["overrides"].([]any)) != 0 {
		t.Errorf("overrides %v are left, %v", raw["overrides"], err)
	}
}
