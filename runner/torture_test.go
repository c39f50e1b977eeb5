package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// tortured is a manifest with figures whose cells, publishing and page take about as long.
func tortured(t testing.TB) (manifest string, want map[string]string) {
	t.Helper()
	manifest = write(t, edit(t, drawn, "[1, 2]", `"1..6"`, "points = 5", "points = 5\nsleep = 1"))
	whole := t.TempDir()
	mustRun(t, "-exp", manifest, "-out", whole)
	return manifest, results(t, filepath.Join(whole, "small"))
}

// complete runs the manifest to its end and compares what is there with the undisturbed run.
func complete(t *testing.T, manifest, out string, want map[string]string) {
	t.Helper()
	mustRun(t, "-exp", manifest, "-out", out)
	dir := filepath.Join(out, "small")
	same(t, results(t, dir), want)
	left := slices.Concat(glob(t, out, ".*"), glob(t, dir, ".*"), glob(t, dir, "cells", "at", "*"))
	if len(left) > 0 {
		t.Errorf("temporary files are left: %q", left)
	}
}

// wholeFiles fails unless each published file that is there is whole.
func wholeFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if exists(dir, name) && read(t, dir, name) != text {
			t.Errorf("%s is there and has other bytes", name)
		}
	}
}

// disturb sends the process signals, at a random moment or at one of publishing, and waits for its end.
func disturb(r *rand.Rand, p *process, ended <-chan error, out string, most time.Duration) (what string) {
	begin, moment := time.Now(), time.Duration(r.Int64N(int64(most)))
	file := []string{"", "", "small/cells/lock", "small/cells/published", "small/README.md", "small/runs.csv", "small/SHA256SUMS", "index.html"}[r.IntN(8)]
	for len(ended) == 0 && time.Since(begin) < moment && (file == "" || !exists(out, file)) {
		time.Sleep(50 * time.Microsecond)
	}
	signals := [][]syscall.Signal{
		{syscall.SIGKILL},
		{syscall.SIGKILL},
		{syscall.SIGKILL},
		{syscall.SIGTERM},
		{syscall.SIGINT, syscall.SIGINT},
		{syscall.SIGSTOP, syscall.SIGKILL},
		{syscall.SIGSTOP, syscall.SIGCONT},
	}[r.IntN(7)]
	for i, s := range signals {
		if i > 0 {
			time.Sleep(time.Duration(r.Int64N(int64(5 * time.Millisecond))))
		}
		p.Process.Signal(s) // it may have ended
	}
	<-ended
	return fmt.Sprintf("%v of %q after %v: %v", signals, p.Args[1:], time.Since(begin), p.ProcessState)
}

// Runs, and several runs in one folder, are ended at random, again and again;
// what is published is whole at any time, and in the end the same as without.
func TestTortureKills(t *testing.T) {
	kills := check.Torture(t, 0, 30, 300)
	manifest, want := tortured(t)
	begin := time.Now()
	exit(t, "-exp", manifest, "-out", t.TempDir(), "-quiet")
	most := time.Since(begin)
	for round := 0; kills > 0; round++ {
		r := rand.New(random.Source("runner", "torture", round))
		out := t.TempDir()
		for range 1 + r.IntN(4) {
			var done []string
			started := 1 + r.IntN(3)
			ends := make(chan string, started)
			for range started {
				args := []string{"-exp", manifest, "-out", out, "-quiet", "-workers", fmt.Sprint(1 + r.IntN(2))}
				p, ended := startAndWait(t, func() bool { return true }, args...)
				own := rand.New(rand.NewPCG(r.Uint64(), r.Uint64()))
				go func() { ends <- disturb(own, p, ended, out, most*5/4) }()
			}
			for range started {
				done = append(done, <-ends)
				kills--
			}
			wholeFiles(t, filepath.Join(out, "small"), want)
			if t.Failed() {
				t.Fatalf("round %d: %s", round, strings.Join(done, "\n"))
			}
		}
		complete(t, manifest, out, want)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
		os.RemoveAll(out)
	}
}
