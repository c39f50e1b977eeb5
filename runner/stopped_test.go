package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"testing"
	"time"

	check "closedform/internal/checktest"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/pipeline"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

func signaled(p *check.Process, s syscall.Signal) bool {
	status, ok := p.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == s
}

// sleeper is a study whose four cells sleep.
type sleeper struct {
	Sleep int  `toml:"sleep"` // milliseconds
	Deaf  bool `toml:"deaf"`  // to interruptions
	study.Plain
}

func (s *sleeper) Cells() (cells []study.Cell) {
	for i := range 4 {
		cells = append(cells, study.Cell{Key: fmt.Sprint(i), Run: study.Tables(s.run)})
	}
	return cells
}

func (s *sleeper) run(ctx context.Context) (table.Tables, error) {
	for range s.Sleep {
		time.Sleep(time.Millisecond)
		if ctx.Err() != nil && !s.Deaf {
			return nil, ctx.Err()
		}
	}
	return nil, nil
}

func init() {
	pipeline.Kinds = append(pipeline.Kinds, study.Kind{
		Name: "sleeper",
		New: func(m *manifest.Manifest) (study.Experiment, error) {
			s := new(sleeper)
			return s, m.Decode(s)
		},
	})
}

// A signal ends all experiments at work; the command that the program prints goes on.
func TestInterruptedRunGoesOn(t *testing.T) {
	const text = "name = %q\nstudy = 'sleeper'\nsleep = 50\n"
	check.InExperiments(t, map[string]string{"a.toml": fmt.Sprintf(text, "a"), "b.toml": fmt.Sprintf(text, "b")})
	message := regexp.MustCompile(`(?m)^runner: interrupted; to go on: go run ./runner -all -workers 2$`)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		done := func() int { return len(check.Glob("results", "*", "cells", "*.cell")) }
		p, ended := check.Start(t, func() bool { return done() > 1 }, "-all", "-workers", "2")
		check.OK(t, p.Process.Signal(s))
		<-ended
		if p.ProcessState.ExitCode() != 130 || !message.MatchString(p.Err.String()) || p.Out.Len() > 0 {
			t.Fatalf("%v: exit code %d, %d cells are there: %s", s, p.ProcessState.ExitCode(), done(), &p.Err)
		}
		if left := check.Glob("results", "*", "manifest.toml"); len(left) > 0 {
			t.Errorf("it has published %q", left)
		}
		before := done()
		program.Run(t, check.Proposed(t, p.Err.String())...)
		check.Equal(t, "cells", []any{before < 8, done()}, []any{true, 8})
		check.Remove(t, "results")
	}
}

func TestSecondInterruptEndsAtOnce(t *testing.T) {
	if signal.Ignored(os.Interrupt) {
		t.Skip("interrupts are ignored, as in the background of a script")
	}
	m, out := check.Write(t, "name = 'deaf'\nstudy = 'sleeper'\nsleep = 100000\ndeaf = true\n"), t.TempDir()
	claimed := func() bool { return len(check.Glob(out, "deaf", "cells", "at", "*.claim")) > 0 }
	p, ended := check.Start(t, claimed, "-exp", m, "-out", out)
	time.Sleep(300 * time.Millisecond) // for the first cell to begin
	for range 100 {
		p.Process.Signal(os.Interrupt) // it may just be ending; two signals at the same time are one
		select {
		case <-ended:
			if !signaled(p, syscall.SIGINT) {
				t.Errorf("it ended with %v, want the second interrupt to end it: %s", p.ProcessState, &p.Err)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatal("it goes on after many interrupts")
}
