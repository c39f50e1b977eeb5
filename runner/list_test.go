package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
)

// list says what is behind and why, and list -check fails unless results/STALE names it.
func TestBehind(t *testing.T) {
	judge := edit(t, small, `"small"`, `"after"`, "threshold", "sources = [\"small\"]\nthreshold")
	judge = judge[:strings.Index(judge, "[[method]]")] // it has no cells
	inExperiments(t, map[string]string{"small.toml": small, "after.toml": judge})
	mustRun(t, "-all")
	git(t, "init", "-q")
	write(t, "/results/*@*/\ncells/\n", ".gitignore")
	stale := filepath.Join("results", "STALE")
	// is checks what list -check prints, where STALE names nothing, all of it, or more.
	is := func(lines ...string) {
		t.Helper()
		var names []string
		for _, line := range lines {
			name, _, _ := strings.Cut(line, ":")
			names = append(names, name)
		}
		all := strings.Join(names, "\n")
		remove(t, stale)
		stdout, _, err := try(t, "list", "-check")
		check.Equal(t, "list -check prints", stdout, strings.Join(append(lines, ""), "\n"))
		if all == "" {
			check.OK(t, err)
		} else {
			check.Refuses(t, "without STALE", err, stale+" does not name what is behind; it needs these lines:\n"+all)
		}
		write(t, all+"\n", stale)
		mustRun(t, "list", "-check")
		write(t, all+"\nmore\n", stale)
		if _, _, err = try(t, "list", "-check"); err == nil {
			t.Error("STALE may name what is not behind")
		}
	}
	is()
	contains(t, mustRun(t, "list"), "small  full    computed  4 ")

	changeSources(t, "2")
	is("after: behind: of other sources", "small: behind: of other sources")
	contains(t, mustRun(t, "list"), "small  full    behind: of other sources  4 ")
	changeSources(t, "1")

	// Values that data fill in make no other manifest.
	resolved := read(t, "results", "small", "manifest.toml")
	write(t, resolved+"filled_in = 3\n", "results", "small", "manifest.toml")
	is()
	write(t, edit(t, small, "0.5", "0.25"), "experiments", "small.toml")
	is("small: behind: of another manifest")
	write(t, small, "experiments", "small.toml")

	dir := filepath.Join("results", "small")
	replaceFile(t, dir, "summary.csv", strings.Replace(read(t, dir, "summary.csv"), "joint,0", "joint,7", 1))
	is("after: behind: derived of other results")

	// No results, no manifest, and folders that git ignores, with or without their own name there.
	write(t, edit(t, small, `"small"`, `"new"`), "experiments", "new.toml")
	write(t, "", "results", "old", "runs.csv")
	write(t, "", "results", "small@seed=1", "runs.csv")
	write(t, "", "results", "gone", "cells", "a.cell")
	is("after: behind: derived of other results", "new: behind: no results", "old: behind: no manifest in experiments")
}

// Cells that are reused count with the time that they took, and list shows it.
func TestProcessorTime(t *testing.T) {
	inExperiments(t, map[string]string{"small.toml": edit(t, small, "points = 5", "points = 20000")})
	mustRun(t, "-exp", "small")
	dir := filepath.Join("results", "small")
	before, err := store.ReadRun(dir)
	if err != nil || !(before.CPUSeconds > 0) || len(before.CellSeconds) != 2 {
		t.Fatalf("%+v, %v", before, err)
	}
	if of := 2 * (before.CellSeconds["joint"] + before.CellSeconds["total"]); math.Abs(of/before.CPUSeconds-1) > 0.01 { // two seeds, three digits
		t.Errorf("two cells of each group take %g s, the experiment %g s", of, before.CPUSeconds)
	}
	remove(t, dir, "run.json")
	mustRun(t, "-exp", "small")
	after := check.Must(store.ReadRun(dir))
	check.Equal(t, "reused", []any{after.Reused, after.CPUSeconds}, []any{4, before.CPUSeconds})
	lines := regexp.MustCompile(`(?m)^small +full +computed +4 +none +(\S*s) +\d+ MB .*\nsum +4 +\S*s\n`)
	if list := mustRun(t, "list"); !lines.MatchString(list) {
		t.Errorf("list prints\n%s", list)
	}
}

// list says whether the results are complete and up to date.
func TestStates(t *testing.T) {
	inExperiments(t, map[string]string{"small.toml": small})
	dir := filepath.Join("results", "small")
	is := func(state string) {
		t.Helper()
		contains(t, mustRun(t, "list"), "small  full    "+state+"  4 ")
	}
	is("not run")
	write(t, "", dir, "cells", "one.cell")
	is("partly computed: 1 of 4 cells")
	mustRun(t, "-exp", "small")
	is("computed")
	remove(t, dir, "summary.csv")
	is("files differ")
	write(t, "{", dir, "run.json")
	is("cannot be read")
	os.RemoveAll(dir)
	is("not run")
}
