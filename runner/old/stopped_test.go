package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"
)

// startAndWait starts the program and waits until ready says so or it has
// ended. The channel gets the outcome of the process.
func startAndWait(t *testing.T, ready func() bool, args ...string) (*program, <-chan error) {
	t.Helper()
	p := newProgram(t, args...)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	t.Cleanup(func() { p.Process.Kill() })
	for !ready() && len(ended) == 0 {
		time.Sleep(100 * time.Microsecond)
	}
	return p, ended
}

func signaled(p *program, s syscall.Signal) bool {
	status, ok := p.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == s
}

func TestKilledRunGoesOn(t *testing.T) {
	m, whole := write(t, edit(t, eight(t, small), "samples = 50", "samples = 1500")), t.TempDir()
	mustRun(t, "-exp", m, "-out", whole)
	want := results(t, filepath.Join(whole, "small"))

	start := time.Now()
	random := time.Duration(rand.Int64N(int64(150 * time.Millisecond)))
	middle := 0 // kills before the end
	for _, c := range []struct {
		name  string
		ready func(t *testing.T, dir string) bool
	}{
		{"at the first cell", func(t *testing.T, dir string) bool { return len(cellFiles(t, dir)) >= 1 }},
		{"after half of the cells", func(t *testing.T, dir string) bool { return len(cellFiles(t, dir)) >= 4 }},
		{"before the first result", func(_ *testing.T, dir string) bool { return exists(dir, "cells", "published") }},
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
			if left := append(glob(t, dir, "cells", ".*"), glob(t, dir, ".*")...); len(left) > 0 {
				t.Errorf("temporary files are left: %q", left)
			}
		})
	}
	if middle == 0 {
		t.Error("no run was killed in the middle")
	}
}

func TestInterruptedRunGoesOn(t *testing.T) {
	m, whole := write(t, edit(t, small, "samples = 50", "samples = 10000")), t.TempDir()
	mustRun(t, "-exp", m, "-out", whole)
	message := regexp.MustCompile(`^small: 0/4 cells\nsmall: ([123])/4 cells, \w+, stopped\n` +
		`runner: small: interrupted with ([123]) of 4 cells done; the same command goes on from there: .*\n$`)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			out := t.TempDir()
			dir := filepath.Join(out, "small")
			args := []string{"-exp", m, "-out", out, "-workers", "1"}
			p, ended := startAndWait(t, func() bool { return len(cellFiles(t, dir)) > 0 }, args...)
			if err := p.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			<-ended
			if code := p.ProcessState.ExitCode(); code != 130 {
				t.Errorf("exit code %d, want 130", code)
			}
			said := message.FindStringSubmatch(p.stderr.String())
			if said == nil || said[1] != said[2] || p.stdout.Len() > 0 {
				t.Fatalf("it prints %q and %q", &p.stdout, &p.stderr)
			}
			done := int(said[1][0] - '0')
			if n := len(cellFiles(t, dir)); n != done {
				t.Errorf("%d cells are there, %d were announced", n, done)
			}
			if exists(dir, "SHA256SUMS") || len(glob(t, dir, "*.csv")) > 0 {
				t.Error("it has published results")
			}
			if left := glob(t, dir, "cells", ".*"); len(left) > 0 {
				t.Errorf("temporary files are left: %q", left)
			}
			begins(t, mustRun(t, args...), fmt.Sprintf("small: 4 cells, %d computed, %d done before; 8 files in ", 4-done, done))
			same(t, results(t, dir), results(t, filepath.Join(whole, "small")))
		})
	}
}

// A cell under way looks for an interruption between two points of its grid;
// here a point takes minutes.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	if signal.Ignored(os.Interrupt) {
		t.Skip("interrupts are ignored, as in the background of a script")
	}
	m := write(t, edit(t, small, "samples = 50", "samples = 1000000000"))
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		out := t.TempDir()
		p, ended := startAndWait(t, func() bool { return exists(out, "small", "cells", "lock") }, "-exp", m, "-out", out)
		time.Sleep(wait) // for the first cell to begin
		interruptUntil(t, p, ended)
		if p.ProcessState.ExitCode() == 130 && wait < 2*time.Second {
			continue // it had not begun
		}
		if !signaled(p, syscall.SIGINT) {
			t.Errorf("it ended with %v, want the second interrupt to end it: %s", p.ProcessState, &p.stderr)
		}
		return
	}
}

// interruptUntil interrupts the program until it has ended.
func interruptUntil(t *testing.T, p *program, ended <-chan error) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		// The signals are apart, since of two at the same time one is lost.
		if err := p.Process.Signal(os.Interrupt); err != nil && len(ended) == 0 {
			t.Log(err) // it is just ending
		}
		select {
		case <-ended:
			return
		case <-deadline:
			t.Fatal("it goes on after many interrupts")
		case <-time.After(50 * time.Millisecond):
		}
	}
}
