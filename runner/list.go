package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"closedform/runner/internal/engine"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

func (p *program) listCommand(f *flag.FlagSet) action {
	p.resultsFlag(f)
	p.effortFlag(f)
	check := f.Bool("check", false,
		"print what is behind, of any effort; fail unless OUT/STALE names that and no more")
	return func(ctx context.Context, _ []string) error {
		paths, err := manifests()
		if err != nil {
			return err
		}
		if *check {
			return p.checkBehind(ctx, paths)
		}
		return p.list(paths)
	}
}

// list prints a line for every manifest of the effort, and their sum. Manifests that cannot be read are
// in the error.
func (p *program) list(paths []string) error {
	var failed []error
	table := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tEFFORT\tSTATE\tCELLS\tDATA\tCPU\tMEMORY\tQUESTION")
	cells, seconds := 0, 0.0
	for _, d := range p.describe(paths) {
		switch {
		case d.Experiment == nil:
			failed = append(failed, d.err)
		case p.takes(d.Effort):
			run, _ := store.ReadRun(p.dir(d.Experiment)) // nil: never run
			fmt.Fprint(table, p.line(d, run))
			cells += len(d.Study.Cells())
			if run != nil {
				seconds += run.CPUSeconds
			}
		}
	}
	fmt.Fprintf(table, "sum\t\t\t%d\t\t%s\n", cells, duration(seconds))
	return errors.Join(append(failed, table.Flush())...)
}

// checkBehind prints which results are behind, and why: of these manifests, and folders without one.
// It returns an error unless OUT/STALE names them. Results of programs that are not installed here may be
// behind without that, and so may folders of which git ignores all files.
func (p *program) checkBehind(ctx context.Context, paths []string) error {
	named, err := store.ReadStale(p.out)
	if err != nil {
		return err
	}
	var known, behind []string
	for _, d := range p.describe(paths) {
		if d.err != nil {
			return d.err
		}
		known = append(known, d.Name)
		if d.behind == "" {
			continue
		}
		fmt.Fprintf(p.stdout, "%s: behind: %s\n", d.Name, d.behind)
		if slices.Contains(named, d.Name) || !d.Elsewhere(p.dir(d.Experiment)) {
			behind = append(behind, d.Name)
		}
	}
	folders, _ := os.ReadDir(p.out) // none where nothing was run
	for _, f := range folders {
		if !f.IsDir() || slices.Contains(known, f.Name()) {
			continue
		}
		dir := filepath.Join(p.out, f.Name())
		files, err := store.Git(ctx, dir, "ls-files", "--cached", "--others", "--exclude-standard")
		if err == nil && files == "" {
			continue
		}
		fmt.Fprintf(p.stdout, "%s: behind: no manifest in %s\n", f.Name(), experiment.Folder)
		behind = append(behind, f.Name())
	}
	slices.Sort(named)
	slices.Sort(behind)
	file := filepath.Join(p.out, store.StaleFile)
	switch {
	case slices.Equal(named, behind):
		return nil
	case len(behind) == 0:
		return fmt.Errorf("%s names results that are not behind: remove it", file)
	}
	lines := strings.Join(behind, "\n")
	return fmt.Errorf("%s does not name what is behind; it needs these lines:\n%s", file, lines)
}

// line returns the line of an experiment, with its last run, which may be nil.
func (p *program) line(d description, run *store.Run) string {
	data := "none"
	if _, ok := d.Study.(study.WithData); ok {
		data = map[bool]string{true: "there", false: "missing"}[d.missing == nil]
	}
	cpu, memory := "-", "-"
	if run != nil {
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
	behind                 string // why its results are behind; empty: they are not
	err                    error  // why this cannot be told
}

// describe returns the descriptions of experiments, by the paths of their manifests.
func (p *program) describe(paths []string) []description {
	all := make([]description, len(paths))
	engine.Each(context.Background(), len(paths), func(_ context.Context, i int) error {
		d := &all[i]
		if d.Experiment, d.err = experiment.Read(paths[i], nil); d.err != nil {
			d.Experiment = nil
			return nil
		}
		d.missing = d.Missing()
		d.behind, d.err = d.Behind(p.dir(d.Experiment))
		return nil
	})
	return all
}

// state says whether the results, which are in a folder, are complete and up to date.
func (d *description) state(dir string) string {
	results, absent := store.OpenResults(dir)
	_, unread := store.ReadRun(dir)
	published := !errors.Is(absent, fs.ErrNotExist)
	cells, _ := filepath.Glob(filepath.Join(dir, "cells", "*.cell"))
	switch {
	case d.err != nil, published && (absent != nil || unread != nil):
		return "cannot be read"
	case published && len(results.Differing()) > 0:
		return "files differ"
	case published && d.behind != "":
		return "behind: " + d.behind
	case published:
		return "computed"
	case len(cells) > 0:
		return fmt.Sprintf("partly computed: %d of %d cells", len(cells), len(d.Study.Cells()))
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
