package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"closedform/runner/internal/data/fetch"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/quote"
)

var errUsage = errors.New("usage") // of errors of the command line

func misuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errUsage}, args...)...)
}

type invocation struct {
	words          []string // of the command line
	stdout, stderr io.Writer
}

type command struct {
	name, args     string // words in brackets may be left out, and that before … repeated
	does, examples string
	declare        func(f *flag.FlagSet) action // declares its flags
}

type action func(ctx context.Context, in *invocation, args []string) error

var commands = []command{
	{"run", "[NAME…]", "run experiments; the default command", runExamples, runCommand},
	{"list", "", "list experiments, their state and what they cost", listExamples, listCommand},
	{"draw", "[NAME…]", "draw the figures again from the published tables", drawExamples, drawCommand},
	{"verify", "[NAME…]", "run again elsewhere and compare with the results", verifyExamples, verifyCommand},
	{"paper", "FOLDER", "write numbers.tex and tables/ for LaTeX", paperExamples, paperCommand},
	{"fetch", "SET…", "download data sets into experiments/data/", fetchExamples, fetchCommand},
	{"predict", "NETWORK", "predict the rows of a table with a saved network", predictExamples, predictCommand},
	{"learn", "NETWORK", "let a saved network predict and learn rows, one by one", learnExamples, learnCommand},
	{"show", "NETWORK", "print what a saved network has learned, and how", showExamples, showCommand},
	{"version", "", "print the version of the program", "go run ./runner version", versionCommand},
}

const usage = `Usage: runner [COMMAND] [arguments and flags]

Run experiments and write tables and figures into a folder for each. "runner COMMAND -h" lists the
flags of a command, with examples. The commands are

%s
Finished cells are kept: after an interruption the same command resumes. Exit codes: 0, 1 on an error,
2 on wrong usage, 130 after an interruption. "go run" turns all but 0 into 1; a program built by
"go build -o closedform ./runner" does not.
`

func run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	in := &invocation{args, stdout, stderr}
	if len(args) == 0 {
		return misuse("nothing to do; give -exp MANIFEST, -all or a command")
	}
	name := "run"
	if slices.Contains([]string{"-h", "--h", "-help", "--help", "help"}, args[0]) {
		var list strings.Builder
		for _, c := range commands {
			fmt.Fprintf(&list, "  %-22s %s\n", c.name+" "+c.args, c.does)
		}
		fmt.Fprintf(stdout, usage, &list)
		return flag.ErrHelp
	} else if !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	var names []string
	for _, c := range commands {
		if names = append(names, c.name); c.name == name {
			return c.run(ctx, in, args)
		}
	}
	if nearest := manifest.Nearest(name, names); nearest != "" {
		return misuse("no command %q; did you mean %s?", name, nearest)
	}
	return misuse("no command %q; to run a manifest: runner run %s", name, quoted(name))
}

func (c *command) run(ctx context.Context, in *invocation, args []string) error {
	line := strings.TrimSpace("runner " + c.name + " " + c.args)
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	do := c.declare(f)
	args, err := parse(f, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(in.stdout, "Usage: %s [flags]\n\n%s\n\n  %s\n\nFlags:\n", line, c.does, c.examples)
		f.SetOutput(in.stdout)
		f.PrintDefaults()
		return err
	case err != nil:
		return misuse("%s: %v", c.name, err)
	case !c.takes(len(args)):
		return misuse("need %s; got %d arguments", line, len(args))
	}
	return do(ctx, in, args)
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

func given(flags *flag.FlagSet, name string) (found bool) {
	flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func commandLine(words []string) string {
	command := "go run ./runner"
	for _, word := range words {
		command += " " + quoted(word)
	}
	return command
}

var plain = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

const fetchExamples = "go run ./runner fetch iris mnist\n  go run ./runner fetch all"

func fetchCommand(f *flag.FlagSet) action {
	mirror := f.String("mirror", "", "take files from this `folder`, and download only those that it lacks")
	return func(ctx context.Context, in *invocation, sets []string) error {
		if _, err := experiment.All(); err != nil {
			return err
		}
		return fetch.Sets(ctx, filepath.Join(experiment.Folder, "data", fetch.File), sets, *mirror, in.stdout)
	}
}

const paperExamples = "go run ./runner paper paper   the numbers and tables that paper/numbers.toml lists"

func paperCommand(*flag.FlagSet) action {
	return func(_ context.Context, _ *invocation, args []string) error {
		return quote.WriteLaTeX(args[0], experiment.Results)
	}
}

func versionCommand(*flag.FlagSet) action {
	return func(_ context.Context, in *invocation, _ []string) error {
		version := "(unknown)"
		if info, ok := debug.ReadBuildInfo(); ok {
			version = info.Main.Version // has the commit, but for go run
		}
		_, err := fmt.Fprintf(in.stdout, "closedform %s, %s %s/%s\nsource digest %s\n",
			version, runtime.Version(), runtime.GOOS, runtime.GOARCH, experiment.SourceDigest())
		return err
	}
}
