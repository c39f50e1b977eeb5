package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
)

const runExamples = `run fig1_12 -set model.lambda=0.3 -set sweep.seed=1..5
  go run ./runner run -data my.csv -class kind       a table of your own; it writes the manifest

The first one writes into results/fig1_12@model.lambda=0.3,sweep.seed=1..5, and without -set into
results/fig1_12. experiments/slurm.sbatch runs the same command as a job array of a cluster.`

func runCommand(f *flag.FlagSet) action {
	c, table := choiceFlags(f), tableFlags(f)
	defaults := *table
	return func(ctx context.Context, in *invocation, names []string) error {
		switch {
		case table.File == "" && !reflect.DeepEqual(*table, defaults):
			return misuse("flags that say how a table is read need -data")
		case table.File != "" && (len(c.names)+len(names) > 0 || c.all):
			return misuse("-data runs the manifest that it writes: give no other one")
		case table.File != "":
			manifest, err := table.Manifest(in.stdout)
			if err != nil {
				return err
			}
			names = []string{manifest}
		}
		experiments, err := c.load(in.stdout, names, true)
		if err != nil {
			return err
		}
		err = newBatch(in, c).run(ctx, experiments)
		if errors.Is(err, context.Canceled) {
			err = fmt.Errorf("%w; to go on: %s", context.Canceled, commandLine(in.words))
		}
		err = errors.Join(err, writePages(in.stdout, experiments))
		if table.File != "" && err == nil {
			network := filepath.Join(experiments[0].Dir, "network.npz")
			fmt.Fprintf(in.stdout, "\nnew rows: go run ./runner predict %s -data FILE -wrong 0.05\n", quoted(network))
		}
		return err
	}
}

// writePages writes index.html into the folders above those of experiments, if they have results.
func writePages(w io.Writer, all []*experiment.Experiment) (failed error) {
	wrote := map[string]bool{}
	for _, e := range all {
		out := filepath.Dir(e.Dir)
		made, _ := filepath.Glob(filepath.Join(out, "*", "run.json"))
		if made == nil || wrote[out] {
			continue
		}
		page, err := report.Write(out, experiment.Folder, experiment.Published(out))
		fmt.Fprintf(w, "open %s\n", page)
		wrote[out], failed = true, errors.Join(failed, err)
	}
	return failed
}

type choice struct {
	names, set []string
	all, short bool
	out        string // empty: where results are by default
	workers    uint   // how many cells are computed at a time
	quiet      bool
}

func choiceFlags(f *flag.FlagSet) *choice {
	c := &choice{}
	f.StringVar(&c.out, "out", "", "`folder` of the results folders (default results, or "+experiment.OwnResults+
		" beside a manifest of your own)")
	listFlag(f, &c.names, "exp", "\x00", "`manifest`: a path or a name in experiments/; the same as an argument")
	f.BoolVar(&c.all, "all", false, "all manifests in experiments/")
	listFlag(f, &c.set, "set", "\x00", "replace a value of the manifest by `key=value`, such as "+
		"model.lambda=0.4 (repeatable);\nwithout -out the results go into a folder of their own")
	f.BoolVar(&c.short, "short", false, "run the short forms: -set with the values of the key short")
	f.UintVar(&c.workers, "workers", uint(runtime.GOMAXPROCS(0)), "compute this `number` of cells at a time")
	f.BoolVar(&c.quiet, "quiet", false, "show no progress on stderr")
	return c
}

// load reads and checks all manifests before the first results folder is touched. If data are needed, -all
// skips manifests whose data are missing, with a line that says so.
func (c *choice) load(stdout io.Writer, args []string, data bool) (all []*experiment.Experiment, err error) {
	names := append(c.names, args...)
	switch {
	case c.all && len(names) > 0:
		return nil, misuse("-all and the names of manifests exclude each other")
	case !c.all && len(names) == 0:
		return nil, misuse("nothing to do; give the names of manifests, or -all")
	case c.all:
		if names, err = experiment.All(); err != nil {
			return nil, err
		}
	}
	files := map[string]string{}
	for _, name := range names {
		e, err := experiment.Open(name, c.set, c.short, c.out)
		if err != nil && len(names) > 1 && !strings.Contains(err.Error(), name) {
			err = fmt.Errorf("%s: %w", name, err) // what -set gets wrong has no place in a file
		} else if err == nil && files[e.Dir] != "" {
			err = fmt.Errorf("%s and %s would both write to %s", files[e.Dir], e.File, e.Dir)
		}
		if err != nil {
			return nil, err
		}
		files[e.Dir] = e.File
		if data {
			err = e.Missing()
		}
		switch {
		case err == nil:
			all = append(all, e)
		case !c.all:
			return nil, err
		default:
			fmt.Fprintf(stdout, "%v; skipped\n", err)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no manifest to run in %s", experiment.Folder)
	}
	return all, nil
}

// verifyCommand runs experiments into a temporary folder and prints every file that differs from the results.
// Experiments that read other results read those in -out, which are compared themselves.
func verifyCommand(f *flag.FlagSet) action {
	c := choiceFlags(f)
	return func(ctx context.Context, in *invocation, names []string) error {
		experiments, err := c.load(in.stdout, names, true)
		if err != nil {
			return err
		}
		temporary, err := os.MkdirTemp("", "closedform-verify-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		var same []*experiment.Experiment
		var published []string
		for _, e := range experiments {
			if _, err := store.OpenResults(e.Dir); err != nil {
				return fmt.Errorf("%s: nothing to compare with: %w", e.Name, err)
			}
			if e.Elsewhere() {
				fmt.Fprintf(in.stdout, "%s: another version of its program computed it; skipped\n", e.Name)
				continue
			}
			same, published = append(same, e), append(published, e.Dir)
			e.Dir = filepath.Join(temporary, filepath.Base(e.Dir))
		}
		if err := newBatch(&invocation{in.words, io.Discard, in.stderr}, c).run(ctx, same); err != nil {
			return err
		}
		bad := 0
		for i, e := range same {
			lines, err := store.Compare(published[i], e.Dir)
			if err != nil {
				return err
			}
			verdict := "same bytes"
			if bad += len(lines); len(lines) > 0 {
				verdict = "differs"
			}
			for _, line := range append(lines, verdict) {
				fmt.Fprintf(in.stdout, "%s: %s\n", e.Name, line)
			}
		}
		if bad > 0 {
			return fmt.Errorf("%d files differ from the results", bad)
		}
		return nil
	}
}
