package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"reflect"

	"closedform/runner/internal/own"
	"closedform/runner/internal/pipeline"
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
