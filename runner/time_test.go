package main

import (
	"math"
	"path/filepath"
	"regexp"
	"testing"

	"closedform/runner/internal/store"

	"closedform/internal/check"
)

// Times are measured by the command time alone. Any other run keeps the tables and their figures.
func TestTime(t *testing.T) {
	m, out := write(t, edit(t, drawn, "threshold", "measured = true\nthreshold")), t.TempDir()
	dir := filepath.Join(out, "small")
	fails(t, "run it first", "time", "-exp", m, "-out", out)
	mustRun(t, "-exp", m, "-out", out)
	check.Equal(t, "a run measures times", exists(dir, "timing_cost.csv"), false)
	contains(t, mustRun(t, "time", "-exp", m, "-out", out), "small: times measured in ", "\nsmall: 1 figures drawn\n")
	contains(t, mustRun(t, "-exp", m, "-out", out), "is up to date")
	times, figure := read(t, dir, "timing_cost.csv"), read(t, dir, "timing_cost.png")

	// A clone has no cells, and of the figures only those that are committed.
	for _, name := range []string{"cells", "timing_cost.pdf"} {
		remove(t, dir, name)
	}
	contains(t, mustRun(t, "-exp", m, "-out", out), "small: 4 cells, 4 computed, ")
	contains(t, mustRun(t, "-exp", m, "-out", out, "-set", "threshold=0.7"), "small: 4 cells, 0 computed, ") // other results, the same times
	mustRun(t, "draw", "-exp", m, "-out", out)
	check.Equal(t, "a run changes the times", []any{read(t, dir, "timing_cost.csv"), read(t, dir, "timing_cost.png")}, []any{times, figure})
	fails(t, "are behind (another manifest)", "time", "-exp", m, "-out", out)
	mustRun(t, "-exp", m, "-out", out)
	mustRun(t, "time", "-exp", m, "-out", out)
	if read(t, dir, "timing_cost.csv") == times {
		t.Error("time measures nothing")
	}
	check.Equal(t, "verify prints", mustRun(t, "verify", "-exp", m, "-out", out), "small: same bytes\n")
	figure = read(t, dir, "timing_cost.png")
	mustRun(t, "draw", "-exp", m, "-out", out)
	check.Equal(t, "draw draws other times", read(t, dir, "timing_cost.png"), figure)
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
		t.Errorf("two cells of each stratum take %g s, the experiment %g s", of, before.CPUSeconds)
	}
	remove(t, dir, "run.json")
	mustRun(t, "-exp", "small")
	after := check.Must(store.ReadRun(dir))
	check.Equal(t, "reused", []any{after.Reused, after.CPUSeconds}, []any{4, before.CPUSeconds})
	if list := mustRun(t, "list"); !regexp.MustCompile(`(?m)^small +full +computed, not committed +4 +none +\S*s +\d+ MB `).MatchString(list) {
		t.Errorf("list prints\n%s", list)
	}
}
