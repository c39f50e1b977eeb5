package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"syscall"

	"closedform/internal/field"
	"closedform/runner/internal/data/fetch"
	"closedform/runner/internal/own"
	"closedform/runner/internal/pipeline"
	"closedform/runner/internal/quote"
)

//go:embed help/run.txt
var runExamples string

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

//go:embed help/learn.txt
var learnExamples string

func learnCommand(f *flag.FlagSet) action {
	o := ownFlags(f)
	f.StringVar(&o.To, "to", "", "save the network to this `file` (default: NETWORK, which is replaced)")
	f.IntVar(&o.From, "from", 1, "begin with the row on this `line` of the table, counted from 1, the header "+
		"included")
	f.IntVar(&o.Save, "save", 1000, "save the network each time it has read this `number` of rows")
	classes := f.String("classes", "new", "learn rows of these `classes`: known (those that the network "+
		"has) or\nnew (others, too)")
	return func(ctx context.Context, in *invocation, args []string) error {
		o.Network, o.To, o.Known = args[0], cmp.Or(o.To, args[0]), *classes == "known"
		err := errors.Join(o.Validate(), field.Among("-classes", []string{"new", "known"}, *classes))
		if err != nil {
			return misuse("%v", err)
		}
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a closed pipe is an error, not the end
		next, err := own.Learn(ctx, in.stdout, in.stderr, *o)
		if next == 0 {
			return err
		}
		// The same flags go on with the saved network.
		words := []string{"learn", o.To}
		f.Visit(func(given *flag.Flag) {
			if yes, ok := given.Value.(interface{ IsBoolFlag() bool }); ok && yes.IsBoolFlag() {
				words = append(words, "-"+given.Name+"="+given.Value.String())
			} else if given.Name != "to" && given.Name != "from" {
				words = append(words, "-"+given.Name, given.Value.String())
			}
		})
		if data, _ := os.Stat(o.Data); o.Data != "-" && data != nil && data.Mode().IsRegular() {
			words = append(words, "-from", fmt.Sprint(next))
			return fmt.Errorf("%w; to go on at line %d: %s", err, next, pipeline.CommandLine(words))
		}
		return fmt.Errorf("%w; to go on with the rows after line %d, and only these: %s", err, next-1,
			pipeline.CommandLine(words))
	}
}

//go:embed help/predict.txt
var predictExamples string

func predictCommand(f *flag.FlagSet) action {
	o := ownFlags(f)
	f.StringVar(&o.To, "to", "", "write the predictions to this CSV `file`, packed if its name ends in .gz\n"+
		"(default: print them)")
	return func(ctx context.Context, in *invocation, args []string) error {
		o.Network = args[0]
		if err := o.Validate(); err != nil {
			return misuse("%v", err)
		}
		return own.Predict(ctx, in.stdout, in.stderr, *o)
	}
}
