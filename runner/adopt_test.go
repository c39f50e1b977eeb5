package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"closedform/internal/check"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

// many is a manifest of the toy study with 2 strata of 30 cells each, and a short form.
var many = strings.NewReplacer("seed = [1, 2]", `seed = "1..30"`, "threshold", "short = ['sweep.seed=[2]']\nthreshold").Replace(small)

// changeCode makes the program one of another code version, which differs in what change
// changes; the test's end brings the first back.
func changeCode(t *testing.T, version string, change func()) {
	t.Helper()
	old := experiment.CodeVersion
	experiment.CodeVersion = func(study.Experiment, []string) (string, error) { return version, nil }
	t.Cleanup(func() { experiment.CodeVersion, toyShift, toyAbove, toyDoc = old, nil, 0, "last |place|" })
	if change != nil {
		change()
	}
}

// published is a run of a manifest, with its cells or as a clone has it.
func published(t *testing.T, manifest string, clone bool) (m, out, dir string) {
	m, out = write(t, manifest), t.TempDir()
	mustRun(t, "-exp", m, "-out", out)
	dir = filepath.Join(out, "small")
	if clone {
		for _, path := range append(glob(t, dir, "*.csv.gz"), filepath.Join(dir, "cells")) {
			check.OK(t, os.RemoveAll(path))
		}
	}
	return m, out, dir
}

// hereAndInClone runs a test with cells, and as in a clone, which has none.
func hereAndInClone(t *testing.T, test func(t *testing.T, clone bool)) {
	for _, clone := range []bool{false, true} {
		t.Run(fmt.Sprintf("clone=%v", clone), func(t *testing.T) { test(t, clone) })
	}
}

func mustReadRun(t *testing.T, dir string) *store.Run {
	t.Helper()
	run := check.Must(store.ReadRun(dir))
	return run
}

// Code that makes the same content adopts all cells, where they are and in a clone.
func TestAdopt(t *testing.T) {
	hereAndInClone(t, func(t *testing.T, clone bool) {
		m, out, dir := published(t, many, clone)
		runs := read(t, dir, "runs.csv")
		changeCode(t, "2", nil)
		stdout := mustRun(t, "adopt", "-exp", m, "-out", out)
		contains(t, stdout, "small: recomputed 60 cells, of 2 of 2 strata, in ", "; adopted 60 of 60 cells\n")
		want := store.Adopted{From: "1", To: "2", Cells: 60, Recomputed: 60, Strata: 2}
		if run := mustReadRun(t, dir); run.CodeVersion != "2" || run.Adopted == nil || *run.Adopted != want {
			t.Errorf("run.json has version %s, adopted %+v", run.CodeVersion, run.Adopted)
		}
		check.Equal(t, "other tables", read(t, dir, "runs.csv"), runs)
		stdout = mustRun(t, "adopt", "-exp", m, "-out", out)
		if clone {
			contains(t, stdout, "small: nothing to adopt: this code made "+dir+"\n")
		} else {
			contains(t, stdout, "60 cells, all done before")
		}
		// A further version adopts what the first has computed.
		changeCode(t, "3", nil)
		mustRun(t, "adopt", "-exp", m, "-out", out)
		if a := mustReadRun(t, dir).Adopted; a == nil || a.From != "1" || a.To != "3" {
			t.Errorf("adopted %+v", a)
		}
		// What was computed again is no longer adopted.
		remove(t, dir, "cells")
		mustRun(t, "-exp", m, "-out", out)
		if a := mustReadRun(t, dir).Adopted; a != nil {
			t.Errorf("adopted %+v after all was computed", a)
		}
		check.Equal(t, "cells.sums tells of adopted cells", strings.Contains(read(t, dir, "cells.sums"), "from"), false)
	})
}

// The short form alone speaks for strata whose cells take longer than the budget; of one that it does
// not have a cell is recomputed in any case.
func TestAdoptBudget(t *testing.T) {
	m, out, dir := published(t, many, false)
	changeCode(t, "2", nil)
	contains(t, mustRun(t, "adopt", "-exp", m, "-out", out, "-budget", "1ns"), "recomputed 0 cells, of 0 of 2 strata, in ", "; adopted 60 of 60 cells\n")
	if a := mustReadRun(t, dir).Adopted; a == nil || a.Short != 2 || a.Strata != 0 {
		t.Errorf("adopted %+v", a)
	}
	m, out, dir = published(t, edit(t, many, "'sweep.seed=[2]'", `'sweep.seed=[2]', 'method=[{name="joint"}]'`), false)
	changeCode(t, "3", nil)
	contains(t, mustRun(t, "adopt", "-exp", m, "-out", out, "-budget", "1ns"), "recomputed 1 cells, of 1 of 2 strata, in ", "; adopted 60 of 60 cells\n")
	changeCode(t, "4", func() { toyShift = func(_ string, _ int, x float64) float64 { return x + 1 } })
	contains(t, mustRun(t, "adopt", "-exp", m, "-out", out, "-budget", "1ns"),
		`stratum "joint" differs: cell joint seed=2 of the short form`, `stratum "total" differs: cell total seed=`, "adopted 0 of 60 cells")
	if run := mustReadRun(t, dir); run.Computed != 60 {
		t.Errorf("%d computed", run.Computed)
	}
}

// Where code makes other content in one cell of a stratum, the cells of the stratum are computed and no others.
// All cells are compared, as they take less than the budget.
func TestAdoptDifference(t *testing.T) {
	hereAndInClone(t, func(t *testing.T, clone bool) {
		m, out, dir := published(t, many, clone)
		changeCode(t, "2", func() {
			toyShift = func(name string, seed int, x float64) float64 {
				if name == "total" && seed == 17 {
					x *= 1.001
				}
				return x
			}
		})
		stdout := mustRun(t, "adopt", "-exp", m, "-out", out)
		contains(t, stdout, `small: stratum "total" differs: cell total seed=17`, "recomputed 60 cells, of 2 of 2 strata")
		check.Equal(t, "it says", strings.Contains(stdout, `"joint"`), false)
		run, fresh := mustReadRun(t, dir), t.TempDir()
		switch {
		case !clone && (run.Computed != 30 || run.Adopted == nil || run.Adopted.Cells != 30):
			t.Errorf("%d computed, adopted %+v", run.Computed, run.Adopted)
		case clone && (run.Computed != 60 || run.Adopted != nil):
			t.Errorf("clone: %d computed, adopted %+v", run.Computed, run.Adopted)
		}
		mustRun(t, "-exp", m, "-out", fresh)
		same(t, results(t, dir), results(t, filepath.Join(fresh, "small")))
	})
}

// Other code, and sometimes another manifest: cells that are the same are merged into other tables, a changed spec is
// computed, and a manifest of which only the tables follow makes them again. In a clone nothing shows that the tables
// are made in the same way, nor anywhere without a short form.
func TestAdoptTables(t *testing.T) {
	for name, c := range map[string]struct {
		text, old, new          string
		above                   int // by which the other code counts walks otherwise
		computed, computedClone int
	}{
		"other tables":  {many, "", "", 100, 0, 60},
		"no short form": {small, "", "", 0, 0, 4},
		"changed spec":  {many, "scale = 2", "scale = 3", 0, 30, 60},
		"table key":     {many, "threshold = 0.5", "threshold = -9", 0, 0, 60},
	} {
		t.Run(name, func(t *testing.T) {
			hereAndInClone(t, func(t *testing.T, clone bool) {
				_, out, dir := published(t, c.text, clone)
				tables := func() string { return read(t, dir, "summary.csv") + read(t, dir, "runs.csv") }
				before := tables()
				changeCode(t, "2", func() { toyAbove = c.above })
				stdout := mustRun(t, "adopt", "-exp", write(t, strings.Replace(c.text, c.old, c.new, 1)), "-out", out)
				if name == "changed spec" && !clone {
					contains(t, stdout, "recomputed 30 cells, of 1 of 1 strata, in ", "; adopted 30 of 60 cells")
				}
				run := mustReadRun(t, dir)
				check.Equal(t, "computed", run.Computed, map[bool]int{false: c.computed, true: c.computedClone}[clone])
				check.Equal(t, "version", run.CodeVersion, "2")
				if other := tables() != before; other != (name != "no short form") {
					t.Errorf("other tables: %t", other)
				}
			})
		})
	}
}

// A run that is killed after run.json and before cells.sums is made good by the next.
func TestAdoptAfterKill(t *testing.T) {
	m, out, dir := published(t, many, true)
	old := read(t, dir, "cells.sums")
	changeCode(t, "2", nil)
	mustRun(t, "adopt", "-exp", m, "-out", out)
	want := read(t, dir, "cells.sums")
	write(t, old, dir, "cells.sums")
	mustRun(t, "adopt", "-exp", m, "-out", out)
	if got := read(t, dir, "cells.sums"); got != want || got == old {
		t.Errorf("cells.sums is %q, want %q", got, want)
	}
}

func TestAdoptRefuses(t *testing.T) {
	m, out, dir := published(t, many, true)
	changeCode(t, "2", nil)
	check.OK(t, os.WriteFile(filepath.Join(dir, "runs.csv"), []byte("method,seed,end\n"), 0o666))
	_, _, err := try(t, "adopt", "-exp", m, "-out", out)
	contains(t, fmt.Sprint(err), "runs.csv", "checksum")
	if run := mustReadRun(t, dir); run.CodeVersion != "1" {
		t.Errorf("version %s", run.CodeVersion)
	}
	contains(t, mustRun(t, "adopt", "-exp", m, "-out", t.TempDir()), "small: nothing to adopt: nothing is published in ", "60 computed")
}
