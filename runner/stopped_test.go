package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
)

// startAndWait starts the program and waits until ready says so or it has
// ended. The channel gets the outcome of the process.
func startAndWait(t *testing.T, ready func() bool, args ...string) (*process, <-chan error) {
	t.Helper()
	p := newProcess(t, args...)
	check.OK(t, p.Start())
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	t.Cleanup(func() { p.Process.Kill() })
	for !ready() && len(ended) == 0 {
		time.Sleep(100 * time.Microsecond)
	}
	return p, ended
}

func signaled(p *process, s syscall.Signal) bool {
	status, ok := p.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == s
}

func TestKilledRunGoesOn(t *testing.T) {
	m, whole := write(t, edit(t, small, "[1, 2]", `"1..4"`, "points = 5", "points = 5\nsleep = 2")), t.TempDir()
	mustRun(t, "-exp", m, "-out", whole)
	want := results(t, filepath.Join(whole, "small"))
	start := time.Now()
	random := time.Duration(rand.Int64N(int64(100 * time.Millisecond)))
	middle := 0 // kills before the end
	for _, c := range []struct {
		name  string
		ready func(t *testing.T, dir string) bool
	}{
		{"at the first cell", func(t *testing.T, dir string) bool { return len(cellFiles(t, dir)) >= 1 }},
		{"after half of the cells", func(t *testing.T, dir string) bool { return len(cellFiles(t, dir)) >= 4 }},
		{"before the first result", func(_ *testing.T, dir string) bool { return len(cellFiles(t, dir)) >= 8 }},
		{"among the results", func(_ *testing.T, dir string) bool { return exists(dir, "manifest.toml") }},
		{"after " + random.String(), func(*testing.T, string) bool { return time.Since(start) > random }},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := t.TempDir()
			dir := filepath.Join(out, "small")
			start = time.Now()
			p, ended := startAndWait(t, func() bool { return c.ready(t, dir) }, "-exp", m, "-out", out, "-workers", "2")
			p.Process.Kill()
			<-ended
			cells, complete := len(cellFiles(t, dir)), exists(dir, "SHA256SUMS")
			t.Logf("killed: %t, with %d cells and %d result files there", signaled(p, syscall.SIGKILL), cells, len(glob(t, dir, "*.*")))
			if cells < 8 && complete {
				t.Error("SHA256SUMS is there before the end")
			}
			if !complete {
				middle++
			}
			mustRun(t, "-exp", m, "-out", out)
			same(t, results(t, dir), want)
			if left := append(glob(t, dir, "cells", "at", "*"), glob(t, dir, ".*")...); len(left) > 0 {
				t.Errorf("temporary files are left: %q", left)
			}
		})
	}
	if middle == 0 {
		t.Error("no run was killed in the middle")
	}
}

func TestInterruptedRunGoesOn(t *testing.T) {
	m, whole := write(t, edit(t, small, "points = 5", "points = 5\nsleep = 20")), t.TempDir()
	mustRun(t, "-exp", m, "-out", whole)
	message := regexp.MustCompile(`^small: 0/4 cells\nrunner: interrupted; to go on: go run \S+ (.*)\n$`)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			out := t.TempDir()
			dir := filepath.Join(out, "small")
			args := []string{"-exp", m, "-out", out, "-workers", "1"}
			p, ended := startAndWait(t, func() bool { return len(cellFiles(t, dir)) > 0 }, args...)
			check.OK(t, p.Process.Signal(s))
			<-ended
			check.Equal(t, "exit code", p.ProcessState.ExitCode(), 130)
			said := message.FindStringSubmatch(p.stderr.String())
			if said == nil || said[1] != strings.Join(args, " ") || p.stdout.Len() > 0 {
				t.Fatalf("it prints %q and %q", &p.stdout, &p.stderr)
			}
			done := len(cellFiles(t, dir))
			if exists(dir, "SHA256SUMS") || len(glob(t, dir, "*.csv")) > 0 || len(glob(t, dir, "cells", "at", "*")) > 0 {
				t.Error("it has published results, or left temporary files")
			}
			stdout, stderr, err := try(t, args...)
			begins(t, stdout, fmt.Sprintf("small: 4 cells, %d computed, %d done before; 4 files in ", 4-done, done))
			if begins(t, stderr, fmt.Sprintf("small: %d/4 cells\n", done)); err != nil {
				t.Error(err)
			}
			same(t, results(t, dir), results(t, filepath.Join(whole, "small")))
		})
	}
}

func TestSecondInterruptEndsAtOnce(t *testing.T) {
	if signal.Ignored(os.Interrupt) {
		t.Skip("interrupts are ignored, as in the background of a script")
	}
	m, out := write(t, edit(t, small, "points = 5", "points = 5\nsleep = 20000\ndeaf = true")), t.TempDir()
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		p, ended := startAndWait(t, func() bool { return claimed(t, out) }, "-exp", m, "-out", out)
		time.Sleep(wait) // for the first cell to begin
		deadline := time.After(20 * time.Second)
		for waiting := true; waiting; {
			// The signals are apart, since of two at the same time one is lost.
			if err := p.Process.Signal(os.Interrupt); err != nil && len(ended) == 0 {
				t.Log(err) // it is just ending
			}
			select {
			case <-ended:
				waiting = false
			case <-deadline:
				t.Fatal("it goes on after many interrupts")
			case <-time.After(50 * time.Millisecond):
			}
		}
		if p.ProcessState.ExitCode() == 130 && wait < 2*time.Second {
			continue // it had not begun
		}
		if !signaled(p, syscall.SIGINT) {
			t.Errorf("it ended with %v, want the second interrupt to end it: %s", p.ProcessState, &p.stderr)
		}
		return
	}
}

// claimed reports whether a cell of small is being computed.
func claimed(t testing.TB, out string) bool {
	t.Helper()
	return len(glob(t, out, "small", "cells", "at", "*.claim")) > 0
}

// Runs of one command share its folder, as the tasks of a job array do: each cell is computed once, also if one of them is
// killed and started again, and one run publishes. Of other values there is one run at a time.
func TestRunsInOneFolder(t *testing.T) {
	m, whole, out := write(t, edit(t, small, "[1, 2]", `"1..8"`, "points = 5", "points = 5\nsleep = 20")), t.TempDir(), t.TempDir()
	mustRun(t, "-exp", m, "-out", whole, "-workers", "8")
	want := results(t, filepath.Join(whole, "small"))
	dir := filepath.Join(out, "small")
	var runs []*process
	var ends []<-chan error
	start := func(ready func() bool) {
		p, ended := startAndWait(t, ready, "-exp", m, "-out", out, "-workers", "1")
		runs, ends = append(runs, p), append(ends, ended)
	}
	computed := func() int { return len(cellFiles(t, dir)) }
	for range 3 {
		start(func() bool { return claimed(t, out) })
	}
	_, _, err := try(t, "-exp", m, "-out", out, "-set", "model.scale=0.4")
	check.Refuses(t, "other values", err, "small: a run of other values or other code is using "+dir)
	for computed() < 4 {
		time.Sleep(time.Millisecond)
	}
	check.OK(t, runs[0].Process.Kill())
	<-ends[0]

	// While another process is publishing they wait for it to end.
	folder := check.Must(store.Open(dir))
	unlock := check.Must(folder.Lock(t.Context()))
	start(func() bool { return computed() == 16 })
	time.Sleep(100 * time.Millisecond)
	check.Equal(t, "there are sums", exists(dir, "SHA256SUMS"), false)
	unlock()
	folder.Close()
	all, published := 0, 0
	for i := 1; i < len(runs); i++ {
		if err := <-ends[i]; err != nil {
			t.Errorf("%v: %s", err, &runs[i].stderr)
		}
		var n int
		said := runs[i].stdout.String()
		fmt.Sscanf(said, "small: 16 cells, %d computed", &n)
		all += n
		published += strings.Count(said, " files in ")
		check.Equal(t, said+": it ends up to date", strings.Contains(said, " files in ") != strings.Contains(said, "is up to date"), true)
	}
	if published != 1 || all < 12 || all > 16 {
		t.Errorf("%d published, and %d cells were computed by those that were not killed", published, all)
	}
	same(t, results(t, dir), want)
	begins(t, mustRun(t, "-exp", m, "-out", out), "small: 16 cells, all done before; ")
}

func TestInterruptedVerify(t *testing.T) {
	m, out, _ := published(t, small)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	err := run(ctx, &stdout, &stderr, []string{"verify", m, "-out", out})
	if !errors.Is(err, context.Canceled) || stdout.Len() > 0 || strings.Contains(err.Error(), "go on") {
		t.Fatalf("error %v, and it prints %q", err, &stdout)
	}
}
