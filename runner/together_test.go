package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	check "closedform/internal/checktest"
)

// several are manifests in experiments/ with four cells each of so many milliseconds.
func several(t *testing.T, sleep int, names ...string) {
	t.Helper()
	all := map[string]string{}
	for _, name := range names {
		all[name+".toml"] = edit(t, small, `"small"`, fmt.Sprintf("%q", name), "points = 5", fmt.Sprintf("points = 1\nsleep = %d", sleep))
	}
	inExperiments(t, all)
}

// A signal ends all experiments at work; the same command goes on, and makes what a run without
// an interruption makes, by other workers.
func TestInterruptedTogether(t *testing.T) {
	several(t, 100, "a", "b", "c")
	mustRun(t, "-all", "-out", "whole", "-workers", "8")
	there := func() int { return len(glob(t, "results", "*", "cells", "*.cell")) }
	p, ended := startAndWait(t, func() bool { return there() > 1 }, "-all", "-workers", "2")
	p.Process.Signal(syscall.SIGTERM)
	<-ended
	want := regexp.MustCompile(`(?m)^runner: interrupted; to go on: go run ./runner -all -workers 2$`)
	said := want.FindStringSubmatch(p.stderr.String())
	if p.ProcessState.ExitCode() != 130 || said == nil {
		t.Fatalf("exit code %d, %d cells are there: %s", p.ProcessState.ExitCode(), there(), &p.stderr)
	}
	mustRun(t, "-all")
	for _, name := range []string{"a", "b", "c"} {
		same(t, results(t, filepath.Join("results", name)), results(t, filepath.Join("whole", name)))
	}
}

// A cell that fails ends the run with its error alone. Its cells and those of others are kept,
// and experiments whose cells were done are published.
func TestFailureTogether(t *testing.T) {
	several(t, 20, "a", "b")
	write(t, edit(t, small, `"small"`, `"bad"`, "scale = 2", "fail = true\nsleep = 1"), "experiments", "bad.toml")
	mustRun(t, "-exp", "a")
	remove(t, "results", "a", "summary.csv") // to be published again
	code, stdout, stderr := exit(t, "-all", "-quiet", "-workers", "1")
	if code != 1 || !strings.HasPrefix(stderr, "runner: bad: cell total seed=") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	contains(t, stdout, "a: 4 cells, 0 computed, 4 done before; ")
	check.Equal(t, "what failed is published", exists("results", "bad", "SHA256SUMS"), false)
	write(t, edit(t, small, `"small"`, `"bad"`), "experiments", "bad.toml")
	mustRun(t, "-all")
}

// Cells are computed in the order of the times that those of their group took last. The test of the
// pool has those of several experiments.
func TestLongestFirst(t *testing.T) {
	several(t, 5, "a")
	mustRun(t, "-exp", "a")
	dir := filepath.Join("results", "a")
	remove(t, dir, "cells")
	run := regexp.MustCompile(`"total": [^\n]*`).ReplaceAllString(read(t, dir, "run.json"), `"total": 3000`)
	write(t, run, dir, "run.json")
	mustRun(t, "-exp", "a", "-workers", "1")
	paths := cellFiles(t, dir)
	slices.SortFunc(paths, func(a, b string) int { return modified(t, a).Compare(modified(t, b)) })
	var order []string
	for _, path := range paths {
		order = append(order, strings.Split(filepath.Base(path), "-")[0])
	}
	check.Equal(t, "order", order, []string{"total_seed=1", "total_seed=2", "joint_seed=1", "joint_seed=2"})
}

func modified(t *testing.T, path string) time.Time {
	t.Helper()
	info := check.Must(os.Stat(path))
	return info.ModTime()
}
