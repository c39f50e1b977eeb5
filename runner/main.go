// Command runner runs the experiments that manifests describe, and leaves tables
// and figures in results/.
//
//	go run ./runner -exp fig1_12.toml
//
// -h tells the rest.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"closedform"
	"closedform/runner/internal/config"
	"closedform/runner/internal/engine"
	"closedform/runner/internal/fetch"
	"closedform/runner/internal/paper"
	"closedform/runner/internal/pool"
)

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(1 << 30) // the garbage of several experiments goes before it adds up
	}
	// The first signal cancels the context; stop then restores the default, so
	// that a second one ends the program at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(exitCode(run(ctx, os.Stdout, os.Stderr, os.Args[1:])))
}

// exitCode prints err and returns 0 for none, 1 for an error, 2 for wrong usage
// and, as shells do, 130 for an interrupted run.
func exitCode(err error) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(os.Stderr, "runner:", err)
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "runner: -h tells what is allowed")
		return 2
	case errors.Is(err, context.Canceled):
		return 130
	}
	return 1
}

// fused is whether the compiler fused multiply-adds, which unfused forbids it.
var fused = closedform.Fused()

const unfused = "-gcflags=all=-d=fmahash=qn"

// program is what one command line asks for.
type program struct {
	*options
	args           []string
	stdout, stderr io.Writer
	engine         engine.Engine
	pool           *pool.Pool // of this machine
	only           string     // the experiment of a task
	later          bool       // others publish what follows from the cells
	part, merges   string     // which part of the cells this is, and what merges them
	turns          *turns
	undrawn        []error                 // figures that were asked for, and could not be drawn
	published      func(*experiment) error // nil: nothing is done after an experiment is published
}

// dataFlag tells "run" of a table from that of manifests.
var dataFlag = regexp.MustCompile(`^--?data(=|$)`)

// run does what the command line asks for. Every manifest is read and checked
// before the first results folder is touched.
func run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	if len(args) > 0 && args[0] == "learn" {
		return learnRows(ctx, os.Stdin, stdout, stderr, args[1:])
	}
	if len(args) > 0 && args[0] == "run" {
		args = args[1:]
		if slices.ContainsFunc(args, func(a string) bool { return dataFlag.MatchString(a) }) {
			return ownTable(ctx, stdout, stderr, args)
		}
	}
	o, err := parse(stdout, args)
	if err != nil {
		return err
	}
	p := &program{options: o, args: args, stdout: stdout, stderr: stderr, turns: new(turns)}
	if o.predict != "" {
		return p.predictRows()
	}
	back, err := o.enter()
	if err != nil {
		return err
	}
	defer back()
	switch {
	case o.list:
		return p.listAll()
	case len(o.fetch) > 0:
		return fetch.Sets(ctx, filepath.Join(manifests, "data", fetch.File), o.fetch, o.mirror, stdout)
	case o.report != "":
		return p.writePage(ctx, o.report)
	case o.diff != "":
		return p.printDiffs(ctx)
	case o.stale:
		return p.writeStale()
	case o.paper != "":
		return paper.Write(o.paper, o.out)
	}
	experiments, err := p.load()
	if err != nil {
		return err
	}
	if err := p.chooseEngine(); err != nil {
		return err
	}
	if fused && !o.draw && !o.time && !o.quiet {
		fmt.Fprintf(stderr, "fused multiply-adds: the last digits are those of this processor; for the same bytes as on others: "+
			"GOFLAGS=%s %s\n", unfused, p.command())
	}
	switch {
	case o.verify:
		return p.verifyAll(ctx, experiments)
	case o.draw:
		err := p.inTurn(ctx, experiments, func(e *experiment) error { return p.drawAgain(e) })
		return errors.Join(append(p.undrawn, err)...)
	case o.time:
		return p.inTurn(ctx, experiments, func(e *experiment) error { return p.timeMethods(ctx, e) })
	}
	return p.runAll(ctx, experiments)
}

// runAll runs the experiments, and writes the page of what they have published.
func (p *program) runAll(ctx context.Context, experiments []*experiment) error {
	if p.only != "" {
		experiments = slices.DeleteFunc(experiments, func(e *experiment) bool { return e.Name != p.only })
	}
	ran, err := p.together(ctx, experiments)
	if err == nil {
		err = p.engine.Finish(ctx)
	}
	if p.later || ran == 0 { // it has published nothing
		return err
	}
	return errors.Join(err, p.openPage(ctx, err == nil))
}

// inTurn does something to one experiment after the other, up to the first error.
func (p *program) inTurn(ctx context.Context, experiments []*experiment, do func(e *experiment) error) error {
	for _, e := range experiments {
		if err := do(e); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return p.openPage(ctx, false)
}

// openPage writes the page of the results, and may say that it can be opened.
func (p *program) openPage(ctx context.Context, say bool) error {
	file := filepath.Join(p.out, page)
	err := p.writePage(ctx, file)
	if err == nil && say {
		fmt.Fprintf(p.stdout, "open %s\n", file)
	}
	return err
}

// load reads the manifests of the command line. Of all manifests, those whose data
// are not there are skipped, with a line that says so.
func (p *program) load() ([]*experiment, error) {
	names := p.exp
	if p.all {
		var err error
		if names, err = config.List(manifests); err != nil {
			return nil, err
		}
	}
	var experiments []*experiment
	skipped := 0
	paths := map[string]string{}
	for _, name := range names {
		path, err := config.Find(name, manifests)
		if err != nil {
			return nil, err
		}
		e, err := newExperiment(path, p.set)
		if p.short && err == nil {
			e, err = e.shortForm(p.set)
		}
		if err != nil {
			if len(names) > 1 && !strings.HasPrefix(err.Error(), path) {
				err = fmt.Errorf("%s: %w", path, err) // what -set gets wrong has no place in a file
			}
			return nil, err
		}
		if other, twice := paths[e.Name]; twice {
			return nil, fmt.Errorf("%s: name = %q: %s has the same, and both would write to one folder", path, e.Name, other)
		}
		paths[e.Name] = path
		if !p.takes(e.Effort) {
			continue
		}
		if err := e.missing(); err != nil && !p.draw {
			if !p.all {
				return nil, err
			}
			fmt.Fprintf(p.stdout, "%v; skipped\n", err)
			skipped++
		} else {
			experiments = append(experiments, e)
		}
	}
	if len(experiments)+skipped == 0 {
		return nil, fmt.Errorf("no manifest to run in %s", filepath.Clean(manifests))
	}
	return experiments, nil
}
