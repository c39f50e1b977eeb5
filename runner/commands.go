package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/data/fetch"
	"closedform/runner/internal/engine"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/quote"
)

// errUsage marks errors of the command line.
var errUsage = errors.New("usage")

func misuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errUsage}, args...)...)
}

// command is a command of the program.
type command struct {
	name, args string // args: words, of which those in brackets may be left out, and that before … repeated
	does, how  string // in a line; examples
	new        func(p *program, f *flag.FlagSet) action
}

// action runs a command with these arguments, after command.new has declared its flags.
type action func(ctx context.Context, args []string) error

var commands = []command{
	{"run", "[NAME…]", "run experiments; the default command", `go run ./runner -exp fig1_12.toml              run experiments/fig1_12.toml
  go run ./runner run fig1_12 moments            the same for two
  go run ./runner -all -effort quick             all manifests labelled quick
  go run ./runner -exp my/own.toml -out /tmp/x   a manifest of your own, results in /tmp/x
  go run ./runner run -data my.csv -class kind   a table of your own; it writes the manifest
  go run ./runner -exp fig1_12 -set model.rho=0.3 -set sweep.seed=1..5
                                                 other values than the manifest's, results in
                                                 results/fig1_12@model.rho=0.3,sweep.seed=1..5

experiments/slurm.sbatch runs the same command as a job array of a cluster.`, (*program).runCommand},
	{"list", "", "list experiments, their state and what they cost", `go run ./runner list -effort quick
  go run ./runner list -check                    fail if results are behind, but for those that
                                                 results/STALE names`, (*program).listCommand},
	{"draw", "[NAME…]", "draw the figures again from the published tables", "go run ./runner draw fig1_12", (*program).drawCommand},
	{"verify", "[NAME…]", "run again elsewhere and compare with the results", `go run ./runner verify -all -effort quick`, (*program).verifyCommand},
	{"report", "FILE", "write all results into one file", "go run ./runner report page.html   as OUT/index.html", (*program).reportCommand},
	{"paper", "FOLDER", "write numbers.tex and tables/ for LaTeX", "go run ./runner paper paper   the numbers and tables that paper/numbers.toml lists, from the results", (*program).paperCommand},
	{"fetch", "SET…", "download data sets into experiments/data/", "go run ./runner fetch iris mnist\n  go run ./runner fetch all", (*program).fetchCommand},
	{
		"predict", "NETWORK", "predict the rows of a table with a saved network",
		"go run ./runner predict results/mine/network.npz -data new.csv -to out.csv -unknown 0.9", (*program).predictCommand,
	},
	{"learn", "NETWORK", "let a saved network predict and learn rows, one by one", learnExample, (*program).learnCommand},
}

const usage = `Usage: runner [COMMAND] [arguments and flags]

Run experiments and write tables and figures into a folder for each. "runner COMMAND -h" lists the
flags of a command, with examples. The commands are

%s
Finished cells are kept: after an interruption the same command resumes. Exit codes: 0, 1 on an error,
2 on wrong usage, 130 after an interruption. "go run" turns all but 0 into 1; a program built by
"go build -o closedform ./runner" does not.
`

// run runs a command line.
func run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	p := &program{args: args, stdout: stdout, stderr: stderr}
	if len(args) == 0 {
		return misuse("nothing to do; give -exp MANIFEST, -all or a command")
	}
	if args[0] == "help" {
		args = append(slices.Clone(args[1:]), "-h")
	}
	name := "run"
	switch {
	case slices.Contains([]string{"-h", "--h", "-help", "--help"}, args[0]):
		var list strings.Builder
		for _, c := range commands {
			fmt.Fprintf(&list, "  %-22s %s\n", c.name+" "+c.args, c.does)
		}
		fmt.Fprintf(stdout, usage, &list)
		return flag.ErrHelp
	case !strings.HasPrefix(args[0], "-"):
		name, args = args[0], args[1:]
	}
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if i < 0 {
		return unknownCommand(name)
	}
	c := &commands[i]
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	do := c.new(p, f)
	args, err := parse(f, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "Usage: %s [flags]\n\n%s\n\n  %s\n\nFlags:\n", c.line(), c.does, c.how)
		f.SetOutput(stdout)
		f.PrintDefaults()
		return err
	case err != nil:
		return misuse("%s: %v", c.name, unknownFlag(err))
	case !c.takes(len(args)):
		return misuse("need %s; got %d arguments", c.line(), len(args))
	}
	p.given = map[string]bool{}
	f.Visit(func(f *flag.Flag) { p.given[f.Name] = true })
	if p.given["out"] && p.out == "" {
		return misuse("-out is empty; need a folder")
	}
	p.sources = p.out
	if p.workers > 0 {
		p.computeHere()
	}
	return do(ctx, args)
}

// former has what takes the place of commands and flags that were removed.
var former = map[string]string{
	"task": arrays, "merge": arrays, "-engine": arrays, "-shard": arrays, "-chunk": arrays, "-limit": arrays,
	"-slurm-args": arrays, "-wait": arrays, "-dry-run": arrays,
	"adopt": "after a change of code everything is run again: runner run -all",
	"stale": "runner list says which results are behind; list -check compares them with results/STALE",
	"time":  "make bench measures times",
	"diff":  changes, "-diff": changes,
}

const changes = "git diff --word-diff REV -- results/ shows what changed since a commit"

const arrays = "a job array runs the same command in each task: sbatch --array=1-50 experiments/slurm.sbatch NAME"

// unknownFlag adds to the error of a command line what takes the place of a flag that was removed.
func unknownFlag(err error) error {
	name, _ := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if instead := former[name]; instead != "" {
		return fmt.Errorf("%s is no flag any more; %s", name, instead)
	}
	return err
}

// unknownCommand returns the error of an unknown command, with what takes its place or the most similar one.
func unknownCommand(word string) error {
	if instead := former[word]; instead != "" {
		return misuse("%s is no command any more; %s", word, instead)
	}
	hint := "to run a manifest: runner run " + quoted(word)
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	if name := field.Nearest(word, names); name != "" {
		hint = "did you mean " + name + "?"
	}
	return misuse("no command %q; %s", word, hint)
}

// line returns how the command is typed.
func (c *command) line() string { return strings.TrimSpace("runner " + c.name + " " + c.args) }

// takes reports whether the command takes n arguments.
func (c *command) takes(n int) bool {
	least := 0
	for _, word := range strings.Fields(c.args) {
		if !strings.HasPrefix(word, "[") {
			least++
		}
	}
	return n == least || n > least && strings.Contains(c.args, "…")
}

// parse returns the arguments before, between and after the flags.
func parse(f *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := f.Parse(args); err != nil || f.NArg() == 0 {
			return rest, err
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
}

func (p *program) paperCommand(f *flag.FlagSet) action {
	p.resultsFlag(f)
	return func(_ context.Context, args []string) error { return quote.WriteLaTeX(args[0], p.out) }
}

func (p *program) fetchCommand(f *flag.FlagSet) action {
	mirror := f.String("mirror", "", "take files from this `folder`, and download only those that it lacks")
	return func(ctx context.Context, sets []string) error {
		if _, err := manifests(); err != nil {
			return err
		}
		return fetch.Sets(ctx, filepath.Join(experiment.Folder, "data", fetch.File), sets, *mirror, p.stdout)
	}
}

// resultsFlag declares -out.
func (p *program) resultsFlag(f *flag.FlagSet) {
	f.StringVar(&p.out, "out", "results", "`folder` of the results folders")
}

func (p *program) effortFlag(f *flag.FlagSet) {
	f.Func("effort", "run only manifests of this `label`: quick or full (default any)", func(s string) error {
		if p.effort = s; !slices.Contains([]string{"quick", "full", "any"}, s) {
			return errors.New("need quick, full or any")
		}
		return nil
	})
}

// takes reports whether -effort selects manifests of this label.
func (p *program) takes(effort string) bool {
	return cmp.Or(p.effort, "any") == "any" || p.effort == effort
}

// choiceFlags declares the flags that choose experiments.
func (p *program) choiceFlags(f *flag.FlagSet) {
	f.Func("exp", "`manifest`: a path, or a name in experiments/; the same as an argument (repeatable)", each(&p.exp))
	f.BoolVar(&p.all, "all", false, "all manifests in experiments/")
	f.Func("set", "replace a value of the manifest by `key=value`, such as model.lambda=0.4 (repeatable);\n"+
		"without -out the results go into a folder of their own", each(&p.set))
	p.effortFlag(f)
	p.resultsFlag(f)
}

// workFlags declares the flags of how cells are computed.
func (p *program) workFlags(f *flag.FlagSet) {
	p.choiceFlags(f)
	p.workers = runtime.GOMAXPROCS(0)
	f.Func("workers", fmt.Sprintf("compute this `number` of cells at a time; changes no result (default %d)", p.workers), func(s string) error {
		n, err := strconv.Atoi(s)
		if p.workers = n; err != nil || n < 1 {
			return errors.New("need a number from 1")
		}
		return nil
	})
	f.BoolVar(&p.quiet, "quiet", false, "show no progress on stderr")
}

func each(list *[]string) func(string) error {
	return func(s string) error {
		*list = append(*list, s)
		return nil
	}
}

// computeHere has the cells of commands with [program.workFlags] computed on this machine.
func (p *program) computeHere() {
	if fused && !p.quiet {
		fmt.Fprintf(p.stderr, "fused multiply-adds: results may differ in the last digits; for identical bytes rebuild: "+
			"GOFLAGS=%s %s\n", unfused, commandLine(p.args))
	}
	p.engine = &engine.Engine{Pool: engine.NewPool(p.workers), Stderr: p.stderr}
	p.engine.Progress.W = p.stderr
	if p.quiet {
		p.engine.Progress.W = io.Discard
	}
}
