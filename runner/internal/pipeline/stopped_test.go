package pipeline

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	check "closedform/internal/checktest"
)

// startAndWait starts the program and waits until ready says so or it has
// ended. The channel gets the outcome of the process.
func startAndWait(t *testing.T, ready func() bool, args ...string) (*process, <-chan error) {
	t.Helper()
	p := newProcess(args...)
	check.OK(t, p.Start())
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	t.Cleanup(func() { p.Process.Kill() })
	for !ready() && len(ended) == 0 {
		time.Sleep(100 * time.Microsecond)
	}
	return p, ended
}

// slow returns the manifest small with as many seeds, whose cells take five times so many milliseconds.
func slow(t *testing.T, seeds, sleep int) string {
	t.Helper()
	long := fmt.Sprintf("points = 5\nsleep = %d", sleep)
	return edit(t, small, "[1, 2]", fmt.Sprintf(`"1..%d"`, seeds), "points = 5", long)
}

// temporary fails if temporary files are left in a results folder.
func temporary(t *testing.T, dir string) {
	t.Helper()
	left := slices.Concat(glob(dir, "cells", "at", "*"), glob(dir, ".*"))
	check.Equal(t, "temporary files are left", len(left), 0)
}

// A run, or one of two in a folder, is killed at moments of computing and publishing and at random; what is
// published is whole at any time, and in the end the same as without.
func TestTortureKills(t *testing.T) {
	m, whole := write(t, slow(t, 4, 2)), t.TempDir()
	mustRun(t, "-exp", m, "-out", whole)
	want := checksummed(t, filepath.Join(whole, "small"))
	moments := []func(dir string) bool{
		func(dir string) bool { return len(cellFiles(dir)) >= 4 },
		func(dir string) bool { return exists(dir, "manifest.toml") },
	}
	for range check.Torture(t, 1, 20, 200) {
		end := time.Now().Add(time.Duration(rand.Int64N(int64(150 * time.Millisecond))))
		moments = append(moments, func(string) bool { return time.Now().After(end) })
	}
	incomplete := 0
	for k, ready := range moments {
		out := t.TempDir()
		dir := filepath.Join(out, "small")
		args := []string{"-exp", m, "-out", out, "-quiet", "-workers", "2"}
		others := make(chan error, 1)
		others <- nil
		if k%2 == 1 {
			_, other := startAndWait(t, func() bool { return true }, args...)
			<-others
			go func() { others <- <-other }()
		}
		p, ended := startAndWait(t, func() bool { return ready(dir) }, args...)
		p.Process.Kill()
		<-ended
		wholeFiles(t, dir, want)
		if !exists(dir, "SHA256SUMS") {
			incomplete++
		}
		check.OK(t, <-others)
		complete(t, m, out, want)
	}
	check.Equal(t, "runs were killed in the middle", incomplete > 0, true)
}

// claimed reports whether a cell of small is being computed.
func claimed(t testing.TB, out string) bool {
	t.Helper()
	return len(glob(out, "small", "cells", "at", "*.claim")) > 0
}

// Runs of one command share its folder, as the tasks of a job array do: each cell is computed once, also if
// one of them is killed and started again, and one run publishes. Of other values there is one run at a time.
func TestRunsInOneFolder(t *testing.T) {
	m, whole, out := write(t, slow(t, 8, 10)), t.TempDir(), t.TempDir()
	mustRun(t, "-exp", m, "-out", whole, "-workers", "8")
	want := checksummed(t, filepath.Join(whole, "small"))
	dir := filepath.Join(out, "small")
	var runs []*process
	var ends []<-chan error
	start := func(ready func() bool) {
		p, ended := startAndWait(t, ready, "-exp", m, "-out", out, "-workers", "1")
		runs, ends = append(runs, p), append(ends, ended)
	}
	computed := func() int { return len(cellFiles(dir)) }
	for range 3 {
		start(func() bool { return claimed(t, out) })
	}
	busy := "small: a run of other values or other code is using " + dir
	fails(t, busy, "-exp", m, "-out", out, "-set", "model.scale=0.4")
	for computed() < 4 {
		time.Sleep(time.Millisecond)
	}
	check.OK(t, runs[0].Process.Kill())
	<-ends[0]

	start(func() bool { return computed() == 16 })
	all, published := 0, 0
	for i := 1; i < len(runs); i++ {
		if err := <-ends[i]; err != nil {
			t.Errorf("%v: %s", err, &runs[i].stderr)
		}
		var n int
		said := runs[i].stdout.String()
		fmt.Sscanf(said, "small: 16 cells, %d computed", &n)
		all += n
		published += strings.Count(said, " files, in ")
		ended := strings.Contains(said, " files, in ") != strings.Contains(said, "is up to date")
		check.Equal(t, said+": it ends up to date", ended, true)
	}
	if published != 1 || all < 12 || all > 16 {
		t.Errorf("%d published, and %d cells were computed by those that were not killed", published, all)
	}
	same(t, checksummed(t, dir), want)
	begins(t, mustRun(t, "-exp", m, "-out", out), "small: 16 cells, 0 computed, 16 done before; ")
}

// A cell that fails ends the run with its error alone. Its cells, earlier results and those of others are
// kept, and experiments whose cells were done are published.
func TestFailureTogether(t *testing.T) {
	bad := strings.Replace(named("bad"), "scale = 2", "fail = true\nsleep = 1", 1)
	inExperiments(t, map[string]string{"a.toml": named("a"), "bad.toml": bad})
	mustRun(t, "-exp", "a")
	remove(t, "results", "a", "summary.csv") // to be published again
	stdout, stderr, err := try(t, "-all", "-quiet", "-workers", "1")
	check.Refuses(t, "a cell that fails", err, "bad: cell total seed=")
	check.Equal(t, "it prints, and lines", stderr+fmt.Sprint(strings.Count(err.Error(), "\n")), "0")
	contains(t, stdout, "a: 4 cells, 0 computed, 4 done before; ")
	check.Equal(t, "what failed is published", exists("results", "bad", "SHA256SUMS"), false)
	contains(t, mustRun(t, "list"), "bad   not finished: cell total seed=1: lost its way  4 ")
	for _, command := range []string{"verify", "draw"} {
		fails(t, "results/bad is not finished: cell total seed=1: lost its way", command, "bad")
	}
	write(t, named("bad"), "experiments", "bad.toml")
	contains(t, mustRun(t, "-all"), "bad: 4 cells, 2 computed, 2 done before; ")
	contains(t, mustRun(t, "list"), "bad   computed  4 ")
	dir := filepath.Join("results", "bad")
	before := checksummed(t, dir)
	write(t, bad, "experiments", "bad.toml")
	remove(t, dir, "cells")
	fails(t, "bad: cell total seed=1: lost its way", "-exp", "bad", "-workers", "1")
	same(t, checksummed(t, dir), before)
}
