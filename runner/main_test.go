package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	check "closedform/internal/checktest"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/pipeline"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// program is what a user types.
var program = check.Program(run)

func TestMain(m *testing.M) {
	pipeline.SourceDigest = func() string { return "1" }
	if os.Getenv(check.AsProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// exit runs the program to its end and returns what it leaves.
func exit(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p := check.NewProcess(args...)
	if err := p.Run(); p.ProcessState == nil {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode(), p.Out.String(), p.Err.String()
}

// says returns what is printed by a run that has no error.
func says(t testing.TB, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, err := program.Try(t, args...)
	check.OK(t, err)
	return stdout, stderr
}

// -h lists the commands, and COMMAND -h the flags of one.
func TestHelp(t *testing.T) {
	_, help, _ := exit(t, "-h")
	for _, c := range commands {
		check.Contains(t, help, "\n  "+c.name+" ")
		stdout, stderr, err := program.Try(t, c.name, "-h")
		check.Begins(t, stdout, "Usage: runner "+c.name)
		says := strings.Contains(stdout, "[flags]") || strings.Contains(stdout, "Flags:")
		check.Equal(t, c.name+" has flags", says, strings.Contains(stdout, "\n  -"))
		check.Equal(t, c.name+" -h", []any{errors.Is(err, flag.ErrHelp), stderr}, []any{true, ""})
	}
	for args, want := range map[string]string{
		"run -h": "-data file", "-exp x -h": "-workers number", "help": "COMMAND -h", "version": "closedform ",
	} {
		code, stdout, _ := exit(t, strings.Fields(args)...)
		check.True(t, code == 0 && strings.Contains(stdout, want), "%s: exit code %d, and %q", args, code, stdout)
	}
}

// What the examples of the help say can be typed: there are such flags, and manifests with these values.
func TestExamples(t *testing.T) {
	t.Chdir("..")
	example := regexp.MustCompile(`(?m)go run \./runner (.*?)(  .*)?$`)
	n := 0
	for _, c := range commands {
		for _, found := range example.FindAllStringSubmatch(pipeline.Program()+" "+c.examples, -1) {
			n++
			words := strings.Fields(found[1])
			if words[0] == c.name {
				words = words[1:]
			}
			f := flag.NewFlagSet(c.name, flag.ContinueOnError)
			c.declare(f)
			args, err := parse(f, words)
			check.True(t, err == nil && c.takes(len(args)), "%s: %v, %d arguments", found[0], err, len(args))
			if f.Lookup("exp") == nil || strings.Contains(found[1], "my") {
				continue // it names no experiment, or a file of the user
			}
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			r := requestFlags(flags)
			check.OK(t, complete(r, &invocation{}, check.Must(parse(flags, words))))
			check.Must(r.Find(false))
		}
	}
	check.Equal(t, "there are examples", n > 10, true)
}

// The commands for experiments do what their names say, and those that messages propose help. Other tests run
// those of interrupted and missing runs.
func TestCommands(t *testing.T) {
	check.InExperiments(t, map[string]string{"moons.toml": keeping})
	_, _, err := program.Try(t, "moons")
	check.Begins(t, program.Run(t, check.Proposed(t, err.Error())...), "moons: 1 cells, 1 computed, ")
	check.Remove(t, "results", "README.md")
	_, _, err = program.Try(t, "list", "-check")
	program.Run(t, check.Proposed(t, err.Error())...)
	check.Begins(t, program.Run(t, "list"), "NAME ")
	check.Equal(t, "list -check prints", program.Run(t, "list", "-check"), "")
	check.Equal(t, "verify prints", program.Run(t, "verify", "moons"), "moons: same bytes\n")
	check.Begins(t, program.Run(t, "draw", "-all"), "moons: 1 figures drawn\nopen results/index.html\n")
	_, _, err = program.Try(t, "run", "moons", "-set", "seed=4", "-out", "results")
	check.Equal(t, "-out of other values is wrong usage", errors.Is(err, errUsage), true)
	_, _, err = program.Try(t, "run", check.Write(t, "name = 3"), "-set", "seed=4")
	check.Refuses(t, "a bad manifest", err, "study: missing")
	check.Equal(t, "a bad manifest with -set is wrong usage", errors.Is(err, errUsage), false)
}

// The program says its own name in what it proposes, unless go run has built it.
func TestOwnName(t *testing.T) {
	t.Chdir(t.TempDir())
	built := check.Write(t, check.Read(check.Must(os.Executable())), "my tools", "closedform")
	check.OK(t, os.Chmod(built, 0o777))
	for args, want := range map[string]string{"moons": " run moons\n", "learn -h": " learn closedform-results/"} {
		p := check.NewProcess(strings.Fields(args)...)
		p.Path, p.Args[0] = built, built
		p.Run()
		check.Contains(t, p.Out.String()+p.Err.String(), "'my tools/closedform'"+want)
		check.Equal(t, args+" proposes go run", strings.Contains(p.Out.String()+p.Err.String(), "go run"), false)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// What cannot be printed is an error of every command.
func TestFullDisk(t *testing.T) {
	network := trained(t, keeping)
	check.Write(t, "x1,x2,class\n1,2,1\n", "new.csv")
	for _, args := range []string{
		"-h", "learn -h", "version", "list", "show " + network, "run moons -quiet", "verify moons -quiet",
		"draw moons", "predict " + network + " -data new.csv", "learn " + network + " -data new.csv",
	} {
		err := run(t.Context(), full{}, io.Discard, strings.Fields(args))
		check.Refuses(t, args, err, "no space left")
	}
}

// Each line is a command line, and what its error says.
const misused = `
 | nothing to do
verify | nothing to do
-exp |
-exp M -workers two | -workers
-exp M -set seed=-1 | -set seed=-1: seed: -1 is not allowed
-exp M -set method.*.lambda=1 | no such list
draw M -set sweep.seed=[4] | M:3: seed: 3 is not allowed; allowed: one of sweep.seed
verify -exp M -exp M -set model.hidden_layers=x | M: -set model.hidden_layers=x
-all -exp M | -all
run -data M -exp M | -data
-exp M -class x | -data
predict n.npz | -data FILE
predict -data M | NETWORK
predict n.npz -data M -unknown 1.5 | -unknown
predict n.npz -data M -wrong 2 | -wrong
predict n.npz -data M -familiar 2 | -familiar
predict n.npz -data M -wrong 0.1 -unknown 0.9 | without -wrong
learn n.npz | -data FILE
learn n.npz -data M -from 0 | -from
learn n.npz -data M -save 0 | -save
learn n.npz -data M -classes old | -classes
run -data - | save the rows in a file
run -data /dev/stdin | save the rows in a file
run -data M -test - | -test - can be read only once
run -data M -labels PIPE | -labels PIPE can be read only once
run -data M -decimal ; | -decimal
run -data M -separator xx | -separator
list M | list takes no arguments; got ["M"]
draw M -workers 2 | -workers
run M -exp M | would both write to
fetch | SET…
M | runner run M
lsit | did you mean list?
-exp M -engine slurm | -engine`

func TestWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	check.Write(t, keeping, "M")
	check.OK(t, syscall.Mkfifo("PIPE", 0o666))
	for line := range strings.SplitSeq(misused[1:], "\n") {
		args, want, _ := strings.Cut(line, " |")
		stdout, _, err := program.Try(t, strings.Fields(args)...)
		if !errors.Is(err, errUsage) || stdout != "" || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%s: error %v, want %s; it prints %q", args, err, want, stdout)
		}
	}
	code, stdout, stderr := exit(t, "-exp", "M", "-workers", "-1")
	check.Equal(t, "wrong usage", []any{code, stdout, check.Exists("results")}, []any{2, "", false})
	check.Begins(t, stderr, "runner: usage: ")
}

// Flags with several values are lines of CSV, so that a name with a comma can be given.
func TestListFlags(t *testing.T) {
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	table := tableFlags(f)
	check.OK(t, f.Parse([]string{"-ignore", `"Breite, cm", id`, "-ignore", "a b", "-numeric", `"say ""no"""`}))
	check.Equal(t, "columns", [][]string{table.Format.Ignore, table.Format.Numeric},
		[][]string{{"Breite, cm", "id", "a b"}, {`say "no"`}})
	check.Equal(t, "as typed", f.Lookup("ignore").Value.String(), `"Breite, cm",id,a b`)
	f.SetOutput(t.Output())
	check.Refuses(t, "a quote", f.Parse([]string{"-ignore", `"Breite, cm`}), `"`)
}

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
		check.Equal(t, "published", len(check.Glob("results", "*", "manifest.toml")), 0)
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
			check.True(t, signaled(p, syscall.SIGINT), "it ended with %v, not by the second interrupt: %s",
				p.ProcessState, &p.Err)
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatal("it goes on after many interrupts")
}
