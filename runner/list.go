package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/pool"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

func (p *program) listCommand(f *flag.FlagSet) action {
	p.resultsFlag(f)
	p.effortFlag(f)
	return p.list
}

// list prints a line for every manifest of the effort in experiments/. Those that
// cannot be read are in the error.
func (p *program) list(context.Context, []string) error {
	paths, err := manifests()
	if err != nil {
		return err
	}
	var failed []error
	table := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tEFFORT\tSTATE\tCELLS\tDATA\tCPU\tMEMORY\tQUESTION")
	for _, d := range p.describe(paths) {
		switch {
		case d.Experiment == nil:
			failed = append(failed, d.err)
		case p.takes(d.Effort):
			fmt.Fprint(table, p.line(d))
		}
	}
	failed = append(failed, table.Flush())
	if stale, err := store.ReadStale(p.out); err != nil || len(stale) > 0 {
		fmt.Fprintf(p.stdout, "%s lists as behind: %s\n", filepath.Join(p.out, store.StaleFile), strings.Join(stale, ", "))
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// line returns the line of an experiment.
func (p *program) line(d description) string {
	data := "none"
	if _, ok := d.Study.(study.WithData); ok {
		data = map[bool]string{true: "there", false: "missing"}[d.missing == nil]
	}
	cpu, memory := "-", "-"
	if run, err := store.ReadRun(p.dir(d.Experiment)); err == nil {
		if run.Memory > 0 {
			memory = fmt.Sprintf("%.0f MB", float64(run.Memory)/1e6)
		}
		cpu = duration(run.CPUSeconds)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", d.Name, d.Effort, d.state(p.dir(d.Experiment)),
		len(d.Study.Cells()), data, cpu, memory, d.Kind.Asks)
}

// description is what is known of an experiment without its data.
type description struct {
	*experiment.Experiment        // nil: its manifest cannot be read
	missing                error  // why its data cannot be read
	behind                 string // why its results are behind the current code; empty: they are not
	err                    error  // why this cannot be told
}

// describe returns the descriptions of experiments, by the paths of their manifests.
func (p *program) describe(paths []string) []description {
	all := make([]description, len(paths))
	pool.Each(context.Background(), len(paths), func(_ context.Context, i int) error {
		d := &all[i]
		if d.Experiment, d.err = experiment.Read(paths[i], nil); d.err != nil {
			d.Experiment = nil
			return nil
		}
		d.missing = d.Missing() // it asks programs for their versions, which Behind compares
		d.behind, d.err = d.Behind(p.dir(d.Experiment))
		return nil
	})
	return all
}

// state returns in a word whether the results, which are in a folder, are complete and up to date.
func (d *description) state(dir string) string {
	results, absent := store.OpenResults(dir)
	run, unread := store.ReadRun(dir)
	published := !errors.Is(absent, fs.ErrNotExist)
	cells, _ := filepath.Glob(filepath.Join(dir, "cells", "*.cell"))
	switch {
	case d.err != nil, published && (absent != nil || unread != nil):
		return "cannot be read"
	case published && len(results.Differing()) > 0:
		return "files differ"
	case published && d.behind != "":
		return "behind"
	case published && run.Adopted != nil:
		return "adopted"
	case published:
		return "computed"
	case len(cells) > 0:
		return "partly computed"
	case d.missing != nil:
		return "needs data"
	}
	return "not run"
}

// duration returns seconds in words, "-" if they are not known.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d == 0:
		return "-"
	case d < time.Second:
		return max(d.Round(time.Millisecond), time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
