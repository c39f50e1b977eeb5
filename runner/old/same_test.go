package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// eight returns a manifest with 8 cells in place of 4.
func eight(t testing.TB, manifest string) string {
	t.Helper()
	return edit(t, manifest, "seed = [1, 2]", `seed = "1..4"`)
}

func TestWorkersChangeNothing(t *testing.T) {
	m, one, many := write(t, eight(t, drawn(t))), t.TempDir(), t.TempDir()
	stdout := mustRun(t, "-exp", m, "-out", one, "-workers", "1")
	begins(t, stdout, fmt.Sprintf("small: 8 cells, 8 computed, 0 done before; 11 files in %s, in ", filepath.Join(one, "small")))
	mustRun(t, "-exp", m, "-out", many, "-workers", "8")
	want := results(t, filepath.Join(one, "small"))
	if len(want) != 12 {
		t.Errorf("%d files, want 12", len(want))
	}
	same(t, results(t, filepath.Join(many, "small")), want)
}

func TestShardsMerge(t *testing.T) {
	m, whole := write(t, eight(t, small)), t.TempDir()
	mustRun(t, "-exp", m, "-out", whole)
	want := results(t, filepath.Join(whole, "small"))

	cells := []int{3, 3, 2}
	part := func(t *testing.T, out string, i int) {
		t.Helper()
		stdout := mustRun(t, "-exp", m, "-out", out, "-shard", fmt.Sprintf("%d/3", i))
		begins(t, stdout, fmt.Sprintf("small: shard %d/3: %d cells, %[2]d computed, 0 done before, in ", i, cells[i-1]))
		contains(t, stdout, "the same command without -shard merges\n")
		if exists(out, "small", "SHA256SUMS") || len(glob(t, out, "small", "*.csv")) > 0 {
			t.Errorf("shard %d has published results", i)
		}
	}
	merge := func(t *testing.T, out string) {
		t.Helper()
		begins(t, mustRun(t, "-exp", m, "-out", out), "small: 8 cells, 0 computed, 8 done before; 8 files in ")
		same(t, results(t, filepath.Join(out, "small")), want)
	}
	t.Run("one folder", func(t *testing.T) {
		out := t.TempDir()
		for _, i := range []int{2, 3, 1} {
			part(t, out, i)
		}
		begins(t, mustRun(t, "-exp", m, "-out", out, "-shard", "2/3"), "small: shard 2/3: 3 cells, 0 computed, 3 done before, in ")
		merge(t, out)
	})
	t.Run("one folder at once", func(t *testing.T) {
		out := t.TempDir()
		var parts []*program
		for i := 1; i <= 3; i++ {
			p := newProgram(t, "-exp", m, "-out", out, "-shard", fmt.Sprintf("%d/3", i))
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			parts = append(parts, p)
		}
		for _, p := range parts {
			if err := p.Wait(); err != nil {
				t.Errorf("%v: %s", err, &p.stderr)
			}
		}
		merge(t, out)
	})
	t.Run("folders copied together", func(t *testing.T) {
		out := t.TempDir()
		for i := 1; i <= 3; i++ {
			elsewhere := t.TempDir()
			part(t, elsewhere, i)
			files := cellFiles(t, filepath.Join(elsewhere, "small"))
			if len(files) != cells[i-1] {
				t.Errorf("shard %d left %d cells, want %d", i, len(files), cells[i-1])
			}
			for _, f := range files {
				write(t, read(t, f), out, "small", "cells", filepath.Base(f))
			}
		}
		merge(t, out)
	})
	t.Run("one missing", func(t *testing.T) {
		out := t.TempDir()
		part(t, out, 1)
		part(t, out, 3)
		begins(t, mustRun(t, "-exp", m, "-out", out), "small: 8 cells, 3 computed, 5 done before; 8 files in ")
		same(t, results(t, filepath.Join(out, "small")), want)
	})
}

// A shard may be newer than the results: a merge must not take the old results
// for those of the new cells, nor a shard remove them.
func TestShardKeepsResults(t *testing.T) {
	m, out := write(t, small), t.TempDir()
	mustRun(t, "-exp", m, "-out", out)
	before := results(t, filepath.Join(out, "small"))
	begins(t, mustRun(t, "-exp", m, "-out", out, "-set", "model.rho=0.4", "-shard", "1/2"),
		"small: shard 1/2: 2 cells, 2 computed, 0 done before, in ")
	same(t, results(t, filepath.Join(out, "small")), before)

	mustRun(t, "-exp", m, "-out", out, "-set", "model.rho=0.4")
	fresh := t.TempDir()
	mustRun(t, "-exp", m, "-out", fresh, "-set", "model.rho=0.4")
	same(t, results(t, filepath.Join(out, "small")), results(t, filepath.Join(fresh, "small")))
}

// The manifest that the results keep makes the same results.
func TestResultsReproduceThemselves(t *testing.T) {
	m, out, again := write(t, small), t.TempDir(), t.TempDir()
	mustRun(t, "-exp", m, "-out", out, "-set", "model.rho=0.25", "-set", "variant.total.lambda=0.5")
	kept := filepath.Join(out, "small", "manifest.toml")
	mustRun(t, "-exp", kept, "-out", again)
	same(t, results(t, filepath.Join(again, "small")), results(t, filepath.Join(out, "small")))
}

// A publication that fails halfway is made good by the next run.
func TestResultsAreCompletedAfterAnError(t *testing.T) {
	m, out, whole := write(t, small), t.TempDir(), t.TempDir()
	mustRun(t, "-exp", m, "-out", whole)
	inTheWay := filepath.Dir(write(t, "", out, "small", "steps.csv", "x")) // a folder, not empty
	_, _, err := try(t, "-exp", m, "-out", out)
	if err == nil {
		t.Fatal("a folder was overwritten by a file")
	}
	contains(t, err.Error(), "steps.csv")
	if exists(out, "small", "SHA256SUMS") {
		t.Error("SHA256SUMS is there, and steps.csv is not")
	}
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	begins(t, mustRun(t, "-exp", m, "-out", out), "small: 4 cells, 0 computed, 4 done before; 8 files in ")
	same(t, results(t, filepath.Join(out, "small")), results(t, filepath.Join(whole, "small")))
}
