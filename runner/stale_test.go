package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"closedform/internal/check"
)

// stale lists what is behind, -check fails where the list is another, and list shows it.
func TestStale(t *testing.T) {
	inExperiments(t, map[string]string{"small.toml": small, "after.toml": edit(t, small, `"small"`, `"after"`, "threshold", "sources = [\"small\"]\nthreshold")})
	mustRun(t, "-all")
	list := filepath.Join("results", "STALE")
	is := func(listed string, wrong bool) {
		t.Helper()
		_, _, err := try(t, "stale", "-check")
		if wrong {
			check.Refuses(t, "stale -check", err, "STALE lists [")
		} else {
			check.OK(t, err)
		}
		mustRun(t, "stale")
		if got, _ := os.ReadFile(list); string(got) != listed || listed == "" && exists(list) {
			t.Errorf("STALE is %q, want %q", got, listed)
		}
		mustRun(t, "stale", "-check")
	}
	is("", false)
	contains(t, mustRun(t, "list"), "full    computed  4 ")

	// Other code: all of them, and what is derived of them.
	changeCode(t, "2", nil)
	is("after\nsmall\n", true)
	contains(t, mustRun(t, "list"), "small  full    behind  4 ", "results/STALE lists as behind: after, small\n")
	changeCode(t, "1", nil)
	is("", true)

	// Another manifest; values that data fill in are not.
	resolved := read(t, "results", "small", "manifest.toml")
	write(t, resolved+"filled_in = 3\n", "results", "small", "manifest.toml")
	is("", false)
	write(t, resolved, "results", "small", "manifest.toml")
	write(t, edit(t, small, "0.5", "0.25"), "experiments", "small.toml")
	is("small\n", true)
	write(t, small, "experiments", "small.toml")

	// No results, and no manifest.
	write(t, edit(t, small, `"small"`, `"new"`), "experiments", "new.toml")
	write(t, "", "results", "old", "runs.csv")
	write(t, "", "results", "small@seed=1", "runs.csv")
	is("new\nold\n", true)
}

// A derived experiment without cells is behind if its sources have other results.
func TestStaleSources(t *testing.T) {
	seedless := edit(t, small, `"small"`, `"after"`, "threshold", "sources = [\"small\"]\nthreshold")
	seedless = seedless[:strings.Index(seedless, "[[method]]")]
	inExperiments(t, map[string]string{"small.toml": small, "after.toml": seedless})
	mustRun(t, "-all")
	check.Equal(t, "stale prints", mustRun(t, "stale"), "")
	dir := filepath.Join("results", "small")
	replaceFile(t, dir, "summary.csv", strings.Replace(read(t, dir, "summary.csv"), "joint,0", "joint,7", 1))
	check.Equal(t, "stale prints", mustRun(t, "stale"), "after: behind: its sources have other results\n")
}

// Results of which cells were adopted say so.
func TestAdopted(t *testing.T) {
	inExperiments(t, map[string]string{"small.toml": small})
	mustRun(t, "-all")
	run := filepath.Join("results", "small", "run.json")
	write(t, edit(t, read(t, run), `"goos"`, `"adopted": {"from": "0ld", "to": "1", "cells": 4, "recomputed": 2, "strata": 1}, "goos"`), run)
	contains(t, mustRun(t, "list"), "small  full    adopted  4 ")
	changeCode(t, "2", nil)
	contains(t, mustRun(t, "list"), "small  full    behind  4 ")
}
