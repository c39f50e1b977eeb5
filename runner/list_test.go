package main

import (
	"os"
	"path/filepath"
	"testing"
)

// list says in a word whether the results are complete and up to date.
func TestStates(t *testing.T) {
	inExperiments(t, map[string]string{"small.toml": small})
	dir := filepath.Join("results", "small")
	is := func(state string) {
		t.Helper()
		contains(t, mustRun(t, "list"), "small  full    "+state+"  4 ")
	}
	is("not run")
	write(t, "", dir, "cells", "one.cell")
	is("partly computed")
	mustRun(t, "-exp", "small")
	is("computed")
	remove(t, dir, "summary.csv")
	is("files differ")
	write(t, "{", dir, "run.json")
	is("cannot be read")
	os.RemoveAll(dir)
	is("not run")
}
