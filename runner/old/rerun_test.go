package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWarmRunComputesNothing(t *testing.T) {
	m, out := write(t, small), t.TempDir()
	dir := filepath.Join(out, "small")
	mustRun(t, "-exp", m, "-out", out)
	before := snapshot(t, out)
	want := fmt.Sprintf("small: 4 cells, all done before; %s is up to date\n", dir)
	if got := mustRun(t, "-exp", m, "-out", out, "-workers", "3"); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	unchanged(t, out, before)
}

func TestForceComputesAllAgain(t *testing.T) {
	m, out := write(t, small), t.TempDir()
	dir := filepath.Join(out, "small")
	mustRun(t, "-exp", m, "-out", out)
	want := results(t, dir)
	long := time.Now().Add(-time.Hour)
	for _, f := range cellFiles(t, dir) {
		if err := os.Chtimes(f, long, long); err != nil {
			t.Fatal(err)
		}
	}
	begins(t, mustRun(t, "-exp", m, "-out", out, "-force"), "small: 4 cells, 4 computed, 0 done before; 8 files in ")
	same(t, results(t, dir), want)
	for _, f := range cellFiles(t, dir) {
		if info, err := os.Stat(f); err != nil || !info.ModTime().After(long.Add(time.Minute)) {
			t.Errorf("%s was not written again", f)
		}
	}
}

// A run recomputes the cells that a changed manifest concerns, no others, and
// writes what a run of the changed manifest in a new folder writes.
func TestChangedManifest(t *testing.T) {
	base := edit(t, small, "snapshots = [1, 3, 6]", "snapshots = [6]")
	for _, c := range []struct {
		name, old, new string
		computed       int
		changes        string // some file whose bytes change
	}{
		{"threshold of a claim", "threshold = 0.0", "threshold = 0.5", 0, "claims.csv"},
		{"a claim less", small[strings.Index(small, "[[claim]]"):], "", 0, "claims.csv"},
		{"a figure more", "threshold = 0.0\n", "threshold = 0.0\n" + page, 0, "SHA256SUMS"},
		{"a comment", "threshold = 0.0", "threshold = 0.0 # nats", 0, ""},
		{"key of the model", "lambda     = 0.3", "lambda     = 0.25", 2, "grid.csv"}, // variant total has its own
		{"key of a variant", `lambda = "slope"`, "lambda = 0.4", 2, "grid.csv"},
		{"key of all variants", "layers     = [2, 3]", "layers     = [2, 3]\nrho = 0.4", 4, "grid.csv"},
		{"samples", "samples = 50", "samples = 51", 4, "grid.csv"},
		{"a seed more", "seed = [1, 2]", "seed = [1, 2, 3]", 2, "summary.csv"},
		{"a seed less", "seed = [1, 2]", "seed = [2]", 0, "summary.csv"},
		{"another seed drawn", "seed  = 2", "seed  = 1", 4, "grid.csv"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, fresh := t.TempDir(), t.TempDir()
			mustRun(t, "-exp", write(t, base), "-out", out)
			before := results(t, filepath.Join(out, "small"))
			m := write(t, edit(t, base, c.old, c.new))
			stdout := mustRun(t, "-exp", m, "-out", out)
			if c.changes == "" {
				contains(t, stdout, "is up to date")
			} else {
				contains(t, stdout, fmt.Sprintf(" cells, %d computed, ", c.computed))
			}
			mustRun(t, "-exp", m, "-out", fresh)
			after := results(t, filepath.Join(out, "small"))
			same(t, after, results(t, filepath.Join(fresh, "small")))
			if c.changes != "" && after[c.changes] == before[c.changes] {
				t.Errorf("%s has not changed", c.changes)
			}
		})
	}
}

func TestDamagedCellIsComputedAgain(t *testing.T) {
	m := write(t, small)
	for _, c := range []struct {
		name   string
		damage func(data []byte) []byte
	}{
		{"half of it", func(data []byte) []byte { return data[:len(data)/2] }},
		{"empty", func([]byte) []byte { return nil }},
		{"a byte too many", func(data []byte) []byte { return append(data, 0) }},
		{"a flipped bit at the start", func(data []byte) []byte { data[0] ^= 1; return data }},
		{"a flipped bit inside", func(data []byte) []byte { data[len(data)/2] ^= 0x10; return data }},
		{"a flipped bit at the end", func(data []byte) []byte { data[len(data)-1] ^= 0x80; return data }},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := t.TempDir()
			dir := filepath.Join(out, "small")
			mustRun(t, "-exp", m, "-out", out)
			want := results(t, dir)
			cell := glob(t, dir, "cells", "total_seed=1-*.json.gz")[0]
			write(t, string(c.damage([]byte(read(t, cell)))), cell)
			if err := os.Remove(filepath.Join(dir, "summary.csv")); err != nil { // so that there is something to do
				t.Fatal(err)
			}
			stdout, stderr, err := try(t, "-exp", m, "-out", out, "-progress", "off")
			if err != nil {
				t.Fatal(err)
			}
			begins(t, stdout, "small: 4 cells, 1 computed, 3 done before; 8 files in ")
			begins(t, stderr, "small: cell total seed=1: "+cell+": damaged")
			if !strings.HasSuffix(stderr, "; computing it again\n") || strings.Count(stderr, "\n") != 1 {
				t.Errorf("it warns %q", stderr)
			}
			contains(t, read(t, dir, "run.json"), `"cells_computed": 1,`, `"cells_reused": 3,`)
			same(t, results(t, dir), want)
			contains(t, mustRun(t, "-exp", m, "-out", out), "is up to date")
		})
	}
}

func TestResultsAreRestored(t *testing.T) {
	m, out := write(t, small), t.TempDir()
	dir := filepath.Join(out, "small")
	mustRun(t, "-exp", m, "-out", out)
	want := results(t, dir)
	for name, text := range want {
		if name == "SHA256SUMS" {
			text = strings.Replace(text, "a", "b", 1)
		} else {
			text += "\n"
		}
		write(t, text, dir, name)
	}
	begins(t, mustRun(t, "-exp", m, "-out", out), "small: 4 cells, 0 computed, 4 done before; 8 files in ")
	same(t, results(t, dir), want)

	for _, name := range []string{"summary.csv", "manifest.toml", "SHA256SUMS", "run.json", "timing.csv"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		begins(t, mustRun(t, "-exp", m, "-out", out), "small: 4 cells, 0 computed, 4 done before; 8 files in ")
		same(t, results(t, dir), want)
		if !exists(dir, name) {
			t.Errorf("%s is gone", name)
		}
	}
	// A clone has the results, but not the cells.
	if err := os.RemoveAll(filepath.Join(dir, "cells")); err != nil {
		t.Fatal(err)
	}
	begins(t, mustRun(t, "-exp", m, "-out", out), "small: 4 cells, 4 computed, 0 done before; 8 files in ")
	same(t, results(t, dir), want)
}
