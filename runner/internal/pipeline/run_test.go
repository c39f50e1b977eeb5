package pipeline

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
)

func TestResultsFolder(t *testing.T) {
	m, out := check.Write(t, edit(t, drawn, "threshold", "noted = true\nthreshold")), t.TempDir()
	stdout := program.Run(t, "-exp", m, "-out", out)
	dir := filepath.Join(out, "small")
	check.Begins(t, stdout, "small: 4 cells, 4 computed, 0 done before; "+dir+" has 6 files, in ")
	check.Contains(t, stdout, "\n  4 walks\n")
	files := checksummed(t, dir)
	const want = "SHA256SUMS manifest.toml runs.csv runs.pdf runs.png summary.csv walks.csv.gz"
	check.Equal(t, "files", strings.Join(slices.Sorted(maps.Keys(files)), " "), want)
	for name, start := range map[string]string{
		"runs.png": "\x89PNG", "runs.pdf": "%PDF-",
		"runs.csv": "method,seed,end\njoint,1,", "summary.csv": "method,above\njoint,",
	} {
		check.Begins(t, files[name], start)
	}
	readme := check.Read(dir, "README.md")
	check.Begins(t, readme, "# small\n\nWhere do they end?\n\n- 4 walks\n")
	check.Contains(t, readme, "`walks.csv.gz` is large", "- `above` (integers): how many end above the",
		"](runs.png)\n", "\n    go run ./runner -exp "+m+" -out "+out+" -quiet\n")

	run := check.Must(store.ReadRun(dir))
	check.Equal(t, "run.json has", []any{run.Command, run.Manifest, run.Seeds, run.Computed, run.Reused},
		[]any{[]string{"runner", "-exp", m, "-out", out, "-quiet"}, "small", []int{1, 2}, 4, 0})
	check.Equal(t, "and the versions", []string{run.Go, run.SourceDigest}, []string{runtime.Version(), "1"})
	check.True(t, run.Commit != "" && run.Seconds > 0, "run.json has %+v", run)
	check.Equal(t, "verify prints", program.Run(t, "verify", "-exp", m, "-out", out), "small: same bytes\n")

	before := snapshot(t, dir)
	const warm = "small: 4 cells, 0 computed, 4 done before; %s is up to date\nopen %s/index.html\n"
	check.Equal(t, "a warm run says", program.Run(t, "-exp", m, "-out", out), fmt.Sprintf(warm, dir, out))
	same(t, snapshot(t, dir), before)

	changeSources(t, "2")
	check.Begins(t, program.Run(t, "-exp", m, "-out", out), "small: 4 cells, 4 computed, 0 done before; ")
	check.Equal(t, "run.json has the sources", check.Must(store.ReadRun(dir)).SourceDigest, "2")
}

// A run recomputes the cells that a changed manifest concerns, no others, and
// writes what a run of the changed manifest in a new folder writes.
func TestChangedManifest(t *testing.T) {
	m, whole, dir := published(t, small)
	before := checksummed(t, dir)
	for _, c := range []struct {
		old, new string
		computed int
		changes  string // some file whose bytes change
	}{
		{"threshold = 0.5", "threshold = -9", 0, "summary.csv"},
		{`title = ""`, `title = "Walks"`, 0, "runs.png"},
		{"threshold = 0.5", "threshold = 0.5 # steps", 0, ""},
		{"threshold = 0.5", "threshold = 0.5\ngroup = 'paper'", 0, "manifest.toml"},
		{"scale  = 0.3", "scale = 0.25", 2, "runs.csv"}, // method total has its own
		{"scale = 2", "scale = 3", 2, "runs.csv"},
		{"seed = [1, 2]", "seed = [1, 2, 3]", 2, "runs.csv"},
		{"seed = [1, 2]", "seed = [2]", 0, "runs.csv"},
	} {
		out, fresh := t.TempDir(), t.TempDir()
		check.OK(t, os.CopyFS(out, os.DirFS(whole)))
		check.Write(t, edit(t, small, c.old, c.new), m)
		stdout := program.Run(t, "-exp", m, "-out", out)
		if c.changes != "" {
			check.Contains(t, stdout, fmt.Sprintf(" cells, %d computed, ", c.computed))
			check.Equal(t, c.new+" changes nothing", strings.Contains(stdout, "unchanged"), false)
		}
		program.Run(t, "-exp", m, "-out", fresh)
		after := checksummed(t, filepath.Join(out, "small"))
		same(t, after, checksummed(t, filepath.Join(fresh, "small")))
		if c.changes != "" && after[c.changes] == before[c.changes] {
			t.Errorf("%s: %s has not changed", c.new, c.changes)
		}
	}
}

// A damaged cell is computed again, with a warning. Cells that are reused count with the time they took. If
// the results do not change, the date of their run is printed.
func TestResultsAreRestored(t *testing.T) {
	m, out, dir := published(t, small)
	want, before := checksummed(t, dir), check.Must(store.ReadRun(dir))
	check.Remove(t, dir, "run.json")
	again := program.Run(t, "-exp", m, "-out", out)
	check.Begins(t, again, "small: 4 cells, 0 computed, 4 done before; ")
	check.Equal(t, "without a run before, "+again, strings.Contains(again, "unchanged"), false)
	after := check.Must(store.ReadRun(dir))
	check.Equal(t, "reused", []any{after.Reused, after.CPUSeconds}, []any{4, before.CPUSeconds})
	cell := check.Glob(dir, "cells", "total_seed=1-*.cell")[0]
	check.Write(t, check.Read(cell)[1:], cell)
	check.Remove(t, dir, "summary.csv") // so that there is something to do
	date := after.Start.Format(time.DateOnly)
	check.Write(t, strings.Replace(check.Read(dir, "run.json"), date, "2020-02-02", 1), dir, "run.json")
	stdout, stderr, err := program.Try(t, "-exp", m, "-out", out, "-quiet")
	check.OK(t, err)
	check.Contains(t, stdout, "\n  unchanged: the results, and their seconds, are those of the run of 2020-02-02\n")
	check.Equal(t, "it warns", stderr, "small: cell total seed=1: "+cell+": damaged; computing it again\n")
	same(t, checksummed(t, dir), want)
}

// Every run leaves a page of all results in its folder. Those of the project have a README with their
// findings, too, which says nothing of other values, nor of your own runs.
func TestReport(t *testing.T) {
	found := "group = 'learning'\nfinding = 'Above: {summary method=joint above %.0f}.'\n" + drawn
	check.InExperiments(t, map[string]string{"small.toml": found})
	program.Run(t, "-exp", "small")
	list, readme := check.Read("results/README.md"), check.Read("results/small/README.md")
	check.Contains(t, list, "\n## Learning\n\n- [small](small/README.md): Above: 0.\n")
	check.Contains(t, readme, "\n\n**Above: 0.**\n\n", "\n![walks](walks.png)\n")
	program.Run(t, "-exp", "small", "-set", "sweep.seed=2")
	for file, without := range map[string]string{"README.md": "@", "small@sweep.seed=2/README.md": "Above"} {
		if text := check.Read("results", file); strings.Contains(text, without) {
			t.Errorf("%s has %q in it:\n%s", file, without, text)
		}
	}
	check.Contains(t, check.Read("results", "index.html"), `id="small@sweep.seed=2"`, `id="small"`, "Above: 0.")

	check.Write(t, "mine", "elsewhere", "README.md")
	program.Run(t, "-exp", "small", "-out", "elsewhere")
	check.Contains(t, check.Read("elsewhere", "index.html"), `id="small"`)
	check.Equal(t, "a README in another folder", check.Read("elsewhere", "README.md"), "mine")
}
