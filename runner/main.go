// Command runner runs the experiments that manifests describe and writes tables and figures into results/.
//
//	go run ./runner -exp fig1_12.toml
//
// The flag -h lists its commands.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"closedform/runner/internal/manifest"
	"closedform/runner/internal/pipeline"
)

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(1 << 30) // collects the garbage of several experiments in time
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200) // cells make much garbage and keep little
	}
	// The first signal cancels the context; after stop, a second one ends the program at once.
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	os.Exit(exitCode(run(ctx, os.Stdout, os.Stderr, os.Args[1:])))
}

// exitCode prints err and returns the exit code that usage describes.
func exitCode(err error) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(os.Stderr, "runner:", strings.Replace(err.Error(), context.Canceled.Error(), "interrupted", 1))
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "runner: -h lists the commands, COMMAND -h the flags of one")
		return 2
	case errors.Is(err, context.Canceled):
		return 130
	}
	return 1
}

var errUsage = errors.New("usage") // marks errors of the command line

func misuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errUsage}, args...)...)
}

type invocation struct {
	words          []string // the arguments of the program
	stdout, stderr io.Writer
}

type command struct {
	name, args     string                       // args in brackets are optional; … means one or more
	does, examples string                       // examples begins with the arguments of the first example
	declare        func(f *flag.FlagSet) action // declares the flags
}

type action func(ctx context.Context, in *invocation, args []string) error

var commands = []command{
	{"run", "[NAME…]", "run experiments; the default command", runExamples, runCommand},
	{"list", "", "list what experiments ask, their state and what they cost", "list -check", listCommand},
	{"draw", "[NAME…]", "make figures and texts again from the published tables", "draw fig1_12", drawCommand},
	{"verify", "[NAME…]", "run again elsewhere and compare with the results", "verify -all", verifyCommand},
	{"paper", "FOLDER", "write numbers.tex and tables/ as numbers.toml says", "paper paper", paperCommand},
	{"fetch", "SET…", "download data sets into experiments/data/", "fetch iris mnist", fetchCommand},
	{"predict", "NETWORK", "predict the rows of a table with a saved network", predictExamples, predictCommand},
	{"learn", "NETWORK", "let a saved network predict and learn rows, one by one", learnExamples, learnCommand},
	{"show", "NETWORK", "print what a saved network has learned, and how", "show my/network.npz", showCommand},
	{"version", "", "print the version of the program", "version", versionCommand},
}

//go:embed help/usage.txt
var usage string

// checked keeps the first error of a writer.
type checked struct {
	io.Writer
	err error
}

func (c *checked) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.err = cmp.Or(c.err, err)
	return n, err
}

// run runs the command of the arguments. Whatever cannot be printed to stdout is an error.
func run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	out := &checked{Writer: stdout}
	err := dispatch(ctx, out, stderr, args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		err = cmp.Or(out.err, err)
	}
	return err
}

func dispatch(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	in := &invocation{args, stdout, stderr}
	name, names := "run", []string(nil)
	if len(args) > 0 && slices.Contains([]string{"-h", "--h", "-help", "--help", "help"}, args[0]) {
		var list strings.Builder
		for _, c := range commands {
			fmt.Fprintf(&list, "  %-22s %s\n", c.name+" "+c.args, c.does)
		}
		fmt.Fprintf(stdout, usage, &list)
		return flag.ErrHelp
	} else if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	for _, c := range commands {
		if names = append(names, c.name); c.name == name {
			return c.run(ctx, in, args)
		}
	}
	asRun := pipeline.CommandLine([]string{"run", name})
	return misuse("no command %q; %sto run a manifest: %s", name, manifest.Meant(name, names), asRun)
}

func (c *command) run(ctx context.Context, in *invocation, args []string) error {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	do := c.declare(f)
	args, err := parse(f, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		var flags strings.Builder
		f.SetOutput(&flags)
		f.PrintDefaults()
		line := strings.Fields("runner " + c.name + " " + c.args)
		examples := strings.ReplaceAll(strings.TrimSpace(c.examples), pipeline.GoRun, pipeline.Program())
		if flags.Len() > 0 {
			line, examples = append(line, "[flags]"), examples+"\n\nFlags:"
		}
		fmt.Fprintf(in.stdout, "Usage: %s\n\n%s\n\n  %s %s\n%s", strings.Join(line, " "), c.does,
			pipeline.Program(), examples, &flags)
		return err
	case err != nil:
		return misuse("%s: %v", c.name, err)
	case !c.takes(len(args)):
		return misuse("%s takes %s; got %q", c.name, cmp.Or(c.args, "no arguments"), args)
	}
	err = do(ctx, in, args)
	if _, usage := errors.AsType[pipeline.UsageError](err); usage {
		return misuse("%v", err)
	}
	return err
}

func (c *command) takes(n int) bool {
	required := len(strings.Fields(c.args)) - strings.Count(c.args, "[")
	return n == required || n > required && strings.Contains(c.args, "…")
}

// parse returns the arguments before, between and after the flags.
func parse(f *flag.FlagSet, args []string) (rest []string, err error) {
	for err = f.Parse(args); err == nil && f.NArg() > 0; err = f.Parse(f.Args()[1:]) {
		rest = append(rest, f.Arg(0))
	}
	return rest, err
}
