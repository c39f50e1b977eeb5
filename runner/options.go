package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"

	"closedform/runner/internal/engine"
)

// manifests is the folder in which experiments are looked up by name.
const manifests = "experiments"

// errUsage marks errors of the command line.
var errUsage = errors.New("usage")

// options are the flags of the command line.
type options struct {
	exp      []string
	all      bool
	list     bool
	effort   string // empty: any
	verify   bool
	draw     bool
	force    bool
	out      string
	sources  string // folder of the results that other experiments read; -out
	workers  int
	set      []string
	shard    shard
	progress engine.Mode
	fetch    []string
	mirror   string
}

const usage = `Usage: runner [flags]

Runs experiments and leaves tables and figures in a folder of their own.

Flags:
`

const examples = `
Examples:
  go run ./runner -list                          which experiments there are
  go run ./runner -exp fig1_12.toml              run experiments/fig1_12.toml
  go run ./runner -all                           run all of them
  go run ./runner -all -effort quick             run those that are labelled quick
  go run ./runner -exp my/own.toml -out /tmp/x   a manifest of your own, results in /tmp/x
  go run ./runner -exp fig1_12 -set model.rho=0.3 -set sweep.seed=1..5 -out /tmp/x
                                                 other values than the manifest's
  go run ./runner -exp fig1_12 -shard 1/3        the first third of the cells; after 2/3 and 3/3,
  go run ./runner -exp fig1_12                   ... merge them
  go run ./runner -all -verify                   run again elsewhere and compare with results/
  go run ./runner -all -draw                     draw all figures again from the tables in results/
  go run ./runner -fetch iris -fetch mnist       get data sets into experiments/data/; -fetch all: all of them

Cells that are done are kept: after an interruption the same command goes on
where it was. Exit code 0, 1 on an error, 2 on wrong usage, 130 if interrupted.
`

// parse reads the command line. Errors are usage errors, or flag.ErrHelp after
// the help was printed to w.
func parse(w io.Writer, args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("runner", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("exp", "`manifest` to run: a path, or a name in experiments/ (repeatable)", appendTo(&o.exp))
	flags.BoolVar(&o.all, "all", false, "run every manifest in experiments/")
	flags.BoolVar(&o.list, "list", false, "list the manifests in experiments/")
	flags.Func("effort", "`which` of the manifests -all and -list take: quick, full or any (default any)", o.parseEffort)
	flags.BoolVar(&o.draw, "draw", false, "draw the figures again from the tables in -out; nothing is computed")
	flags.BoolVar(&o.verify, "verify", false, "run into a temporary folder and compare with the results in -out; nothing else is written")
	flags.BoolVar(&o.force, "force", false, "compute all cells again, also those that are done")
	flags.StringVar(&o.out, "out", "results", "`folder` in which the results folders are")
	flags.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "`number` of cells computed at a time; it changes no result")
	flags.Func("set", "`key=value` to use in place of the manifest's, such as model.lambda=0.4 (repeatable)", appendTo(&o.set))
	flags.Func("shard", "`i/n`: compute the i-th of n parts of the cells only; a later run without it merges", o.shard.parse)
	flags.TextVar(&o.progress, "progress", engine.Auto, "`how` to show progress on stderr: auto (a bar on a terminal, lines elsewhere), plain or off")
	flags.Func("fetch", "data `set` to get into experiments/data/, or all (repeatable)", appendTo(&o.fetch))
	flags.StringVar(&o.mirror, "mirror", "", "`folder` that -fetch takes the files from that are there; the others are downloaded")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(w, usage)
		flags.SetOutput(w)
		flags.PrintDefaults()
		fmt.Fprint(w, examples)
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%w: %v", errUsage, err)
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("%w: unexpected argument %q; a manifest is given with -exp", errUsage, flags.Arg(0))
	case o.workers < 1:
		return nil, fmt.Errorf("%w: -workers %d: need at least 1", errUsage, o.workers)
	case o.out == "":
		return nil, fmt.Errorf("%w: -out is empty; need a folder", errUsage)
	case o.verify && o.shard.n > 0:
		return nil, fmt.Errorf("%w: -verify needs all cells, not a -shard", errUsage)
	case o.draw && (o.verify || o.force || o.shard.n > 0):
		return nil, fmt.Errorf("%w: -draw computes nothing, and excludes -verify, -force and -shard", errUsage)
	case o.mirror != "" && len(o.fetch) == 0:
		return nil, fmt.Errorf("%w: -mirror is for -fetch", errUsage)
	case len(o.fetch) > 0 && (o.all || o.list || len(o.exp) > 0):
		return nil, fmt.Errorf("%w: -fetch excludes -exp, -all and -list", errUsage)
	case o.effort != "" && !o.all && !o.list:
		return nil, fmt.Errorf("%w: -effort chooses among the manifests of -all or -list", errUsage)
	case o.all && len(o.exp) > 0:
		return nil, fmt.Errorf("%w: -all and -exp exclude each other", errUsage)
	case !o.all && !o.list && len(o.exp) == 0 && len(o.fetch) == 0:
		return nil, fmt.Errorf("%w: nothing to do; give -exp MANIFEST, -all, -list or -fetch NAME", errUsage)
	}
	o.sources = o.out
	return o, nil
}

func appendTo(list *[]string) func(string) error {
	return func(s string) error {
		*list = append(*list, s)
		return nil
	}
}

func (o *options) parseEffort(text string) error {
	switch text {
	case "quick", "full":
		o.effort = text
	case "any":
		o.effort = ""
	default:
		return errors.New("need quick, full or any")
	}
	return nil
}

// shard is the i-th of n parts of the cells, from 1; the zero value is all.
type shard struct{ i, n int }

func (s *shard) parse(text string) error {
	before, after, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(before)
	n, err2 := strconv.Atoi(after)
	if err1 != nil || err2 != nil || i < 1 || i > n {
		return fmt.Errorf("need i/n with 1 ≤ i ≤ n, such as 1/3")
	}
	s.i, s.n = i, n
	return nil
}

// has reports whether cell c, from 0, belongs to the shard.
func (s shard) has(c int) bool { return s.n == 0 || c%s.n == s.i-1 }
