package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/report"
)

const runExamples = `go run ./runner run fig1_12 -set model.lambda=0.3 -set sweep.seed=1..5
  go run ./runner run -data my.csv -class kind       a table of your own; it writes the manifest

The first one writes into results/fig1_12@model.lambda=0.3,sweep.seed=1..5, and without -set into
results/fig1_12. experiments/slurm.sbatch runs the same command as a job array of a cluster.`

func runCommand(f *flag.FlagSet) action {
	c := choiceFlags(f)
	data := f.String("data", "", "CSV `file` with a header line, or .csv.gz: write a manifest beside it and\n"+
		"run it. It learns three quarters of the rows, tests the others, and saves the network")
	test := f.String("test", "", "CSV `file` of test rows for -data (default: a quarter of its rows)")
	own := tableFlags(f)
	return func(ctx context.Context, in *invocation, names []string) error {
		table := given(f, "data")
		for _, name := range strings.Fields("test class categorical ignore missing separator decimal all-rows") {
			if given(f, name) && !table {
				return misuse("-%s needs -data: it says how that table is read", name)
			}
		}
		if table {
			if len(c.names)+len(names) > 0 || c.all {
				return misuse("-data runs the manifest that it writes: give no other one")
			}
			own.File, own.Test = *data, *test
			manifest, err := own.Manifest(in.stdout)
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
		pages, failed := writePages(experiments)
		if err = errors.Join(err, failed); err != nil {
			return err
		}
		for _, page := range pages {
			fmt.Fprintf(in.stdout, "open %s\n", page)
		}
		if table {
			network := filepath.Join(experiments[0].Dir, "network.npz")
			fmt.Fprintf(in.stdout, "\nnew rows: go run ./runner predict %s -data FILE -wrong 0.05\n", quoted(network))
		}
		return nil
	}
}

func writePages(all []*experiment.Experiment) (pages []string, failed error) {
	wrote := map[string]bool{}
	for _, e := range all {
		out := filepath.Dir(e.Dir)
		made, _ := filepath.Glob(filepath.Join(out, "*", "run.json"))
		if made == nil || wrote[out] {
			continue
		}
		page, err := report.Write(out, experiment.Folder, experiment.Published(out))
		wrote[out], pages, failed = true, append(pages, page), errors.Join(failed, err)
	}
	return pages, failed
}
