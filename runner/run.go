package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"runtime"

	"closedform/runner/internal/pipeline"
)

const runExamples = `run fig1_12 -set model.lambda=0.3 -set sweep.seed=1..5
  go run ./runner run -data my.csv -class kind       a table of your own; it writes the manifest

The first one writes into results/fig1_12@model.lambda=0.3,sweep.seed=1..5, and without -set into
results/fig1_12. experiments/slurm.sbatch runs the same command as a job array of a cluster.`

func runCommand(f *flag.FlagSet) action {
	r, table := requestFlags(f), tableFlags(f)
	r.computingFlags(f)
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
		if err := r.complete(in, names); err != nil {
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

// request is a request with its flags.
type request struct {
	pipeline.Request
	quiet bool
}

func requestFlags(f *flag.FlagSet) *request {
	r := &request{}
	f.StringVar(&r.Out, "out", "", "`folder` of the results folders (default results, or "+pipeline.OwnResults+
		" beside a manifest of your own)")
	listFlag(f, &r.Names, "exp", "\x00", "`manifest`: a path or a name in experiments/; the same as an argument")
	f.BoolVar(&r.All, "all", false, "all manifests in experiments/")
	listFlag(f, &r.Set, "set", "\x00", "replace a value of the manifest by `key=value`, such as "+
		"model.lambda=0.4 (repeatable);\nwithout -out the results go into a folder of their own")
	f.BoolVar(&r.Short, "short", false, "run the short forms: -set with the values of the key short")
	return r
}

func (r *request) computingFlags(f *flag.FlagSet) {
	f.UintVar(&r.Workers, "workers", uint(runtime.GOMAXPROCS(0)), "compute this `number` of cells at a time")
	f.BoolVar(&r.quiet, "quiet", false, "show no progress on stderr")
}

// complete adds to the flags what the invocation has.
func (r *request) complete(in *invocation, names []string) error {
	r.Words, r.Stdout, r.Stderr, r.Progress = in.words, in.stdout, in.stderr, in.stderr
	if r.quiet {
		r.Progress = io.Discard
	}
	r.Names = append(r.Names, names...)
	switch {
	case r.All && len(r.Names) > 0:
		return misuse("-all and the names of manifests exclude each other")
	case !r.All && len(r.Names) == 0:
		return misuse("nothing to do; give the names of manifests, or -all")
	}
	return nil
}
