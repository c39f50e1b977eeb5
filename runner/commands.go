package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"

	"closedform/runner/internal/data/fetch"
	"closedform/runner/internal/own"
	"closedform/runner/internal/pipeline"
	"closedform/runner/internal/quote"
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
			if err := table.Validate(); err != nil {
				return misuse("%v", err)
			}
			manifest, err := table.Manifest(in.stdout, r.Out)
			if errors.Is(err, own.ErrDiffers) {
				words := []string{"run", manifest}
				if r.Out != "" {
					words = append(words, "-out", r.Out)
				}
				err = fmt.Errorf("%w; remove it, or run it: %s", err, pipeline.CommandLine(words))
			}
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

func listCommand(f *flag.FlagSet) action {
	check := f.Bool("check", false, "print what is behind; fail unless results/STALE names just that")
	return func(_ context.Context, in *invocation, _ []string) error {
		if *check {
			return pipeline.Check(in.stdout)
		}
		return pipeline.List(in.stdout)
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

func paperCommand(*flag.FlagSet) action {
	return func(_ context.Context, _ *invocation, args []string) error {
		return quote.WriteLaTeX(args[0], pipeline.Results)
	}
}

func fetchCommand(f *flag.FlagSet) action {
	mirror := f.String("mirror", "", "take files from this `folder`, and download only those that it lacks")
	return func(ctx context.Context, in *invocation, sets []string) error {
		return fetch.Get(ctx, filepath.Join(pipeline.Folder, "data", fetch.File), sets, *mirror, in.stdout)
	}
}

func showCommand(*flag.FlagSet) action {
	return func(_ context.Context, in *invocation, args []string) error {
		n, err := own.Read(args[0])
		if err == nil {
			n.Show(in.stdout)
		}
		return err
	}
}

func versionCommand(*flag.FlagSet) action {
	return func(_ context.Context, in *invocation, _ []string) error {
		version := "(unknown)"
		if info, ok := debug.ReadBuildInfo(); ok {
			version = info.Main.Version // includes the commit, except under go run
		}
		_, err := fmt.Fprintf(in.stdout, "closedform %s, %s %s/%s\nsource digest %s\n",
			version, runtime.Version(), runtime.GOOS, runtime.GOARCH, pipeline.SourceDigest())
		return err
	}
}
