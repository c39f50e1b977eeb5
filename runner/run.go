package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"closedform/runner/internal/own"
	"closedform/runner/internal/pipeline"
)

const runExamples = `run fig1_12 -set model.lambda=0.3 -set sweep.seed=1..5
  go run ./runner run -data my.csv -class kind       a table of your own; it writes the manifest

The first one writes into results/fig1_12@model.lambda=0.3,sweep.seed=1..5, and without -set into
results/fig1_12. experiments/slurm.sbatch runs the same command as a job array of a cluster.`

func runCommand(f *flag.FlagSet) action {
	r, table := requestFlags(f), tableFlags(f)
	computingFlags(f, r)
	defaults := *table
	return func(ctx context.Context, in *invocation, names []string) error {
		switch {
		case table.File == "" && !reflect.DeepEqual(*table, defaults):
			return misuse("flags that say how a table is read need -data")
		case table.File != "" && (len(r.Names)+len(names) > 0 || r.All):
			return misuse("-data runs the manifest that it writes: give no other one")
		case table.File != "":
			manifest, err := table.Manifest(in.stdout)
			if err != nil {
				return err
			}
			names = []string{manifest}
		}
		if err := complete(r, in, names); err != nil {
			return err
		}
		dirs, err := r.Run(ctx)
		if errors.Is(err, context.Canceled) {
			err = fmt.Errorf("%w; to go on: %s", context.Canceled, pipeline.CommandLine(in.words))
		}
		if table.File != "" && err == nil {
			network := filepath.Join(dirs[0], "network.npz")
			predict := pipeline.CommandLine([]string{"predict", network, "-data", "FILE", "-wrong", "0.05"})
			fmt.Fprintf(in.stdout, "\nnew rows: %s\n", predict)
		}
		return err
	}
}

func drawCommand(f *flag.FlagSet) action {
	return requestAction(requestFlags(f), (*pipeline.Request).Draw)
}

func verifyCommand(f *flag.FlagSet) action {
	r := requestFlags(f)
	computingFlags(f, r)
	return requestAction(r, (*pipeline.Request).Verify)
}

func requestAction(r *pipeline.Request, do func(*pipeline.Request, context.Context) error) action {
	return func(ctx context.Context, in *invocation, names []string) error {
		if err := complete(r, in, names); err != nil {
			return err
		}
		return do(r, ctx)
	}
}

func listCommand(f *flag.FlagSet) action {
	check := f.Bool("check", false, "print what is behind; fail unless results/STALE names just that")
	return func(_ context.Context, in *invocation, _ []string) error {
		if *check {
			return pipeline.Check(in.stdout)
		}
		return pipeline.List(in.stdout)
	}
}

// requestFlags declares the flags that say which experiments are meant.
func requestFlags(f *flag.FlagSet) *pipeline.Request {
	r := &pipeline.Request{}
	f.StringVar(&r.Out, "out", "", "`folder` of the results folders (default results, or "+pipeline.OwnResults+
		" beside a manifest of your own)")
	listFlag(f, &r.Names, "exp", "\x00", "`manifest`: a path or a name in experiments/; the same as an argument")
	f.BoolVar(&r.All, "all", false, "all manifests in experiments/")
	listFlag(f, &r.Set, "set", "\x00", "replace a value of the manifest by `key=value`, such as "+
		"model.lambda=0.4 (repeatable);\nwithout -out the results go into a folder of their own")
	f.BoolVar(&r.Short, "short", false, "run the short forms: -set with the values of the key short")
	return r
}

func computingFlags(f *flag.FlagSet, r *pipeline.Request) {
	f.UintVar(&r.Workers, "workers", uint(runtime.GOMAXPROCS(0)), "compute this `number` of cells at a time")
	f.BoolVar(&r.Quiet, "quiet", false, "show no progress on stderr")
}

// complete adds to the flags what the invocation has.
func complete(r *pipeline.Request, in *invocation, names []string) error {
	r.Words, r.Stdout, r.Stderr = in.words, in.stdout, in.stderr
	r.Names = append(r.Names, names...)
	switch {
	case r.All && len(r.Names) > 0:
		return misuse("-all and the names of manifests exclude each other")
	case !r.All && len(r.Names) == 0:
		return misuse("nothing to do; give the names of manifests, or -all")
	}
	return nil
}

// tableFlags declares the flags of run -data.
func tableFlags(f *flag.FlagSet) *own.Table {
	t := &own.Table{}
	format := &t.Format
	f.StringVar(&t.File, "data", "", "write a manifest beside this CSV `file`, packed by gzip or not, and run "+
		"it: it learns\nthree quarters of the rows, tests the others, and saves the network")
	f.StringVar(&t.Test, "test", "", "test on this CSV `file` (default: on a quarter of the rows of -data)")
	f.BoolVar(&t.AllRows, "all-rows", false, "let the saved network learn the test rows, too, after the test")
	f.StringVar(&format.Class, "class", "class", "take the classes from this `column`")
	listFlag(f, &format.Categorical, "categorical", ",", "read these `columns`, such as a,b, as words; all: "+
		"every column\nthat is not of numbers")
	listFlag(f, &format.Ignore, "ignore", ",", "leave out these `columns`, such as a,b")
	f.StringVar((*string)(&format.Missing), "missing", "", "treat missing values by this `rule`: error, drop "+
		"(leave out the row) or mean\n(of the column) (default: error)")
	formatFlags(f, format, "','", "'.'")
	return t
}

// listFlag declares a flag that can be repeated, or have several values with a separator.
func listFlag(f *flag.FlagSet, list *[]string, name, separator, usage string) {
	f.Func(name, usage, func(s string) error {
		*list = append(*list, strings.Split(s, separator)...)
		return nil
	})
}
