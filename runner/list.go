package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
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

const listExamples = "go run ./runner list -check"

func listCommand(f *flag.FlagSet) action {
	out := experiment.Results
	outFlag(f, &out, experiment.Results)
	check := f.Bool("check", false, "print what is behind; fail unless OUT/STALE names just that")
	return func(ctx context.Context, in *invocation, _ []string) error {
		paths, err := experiment.All()
		if err != nil {
			return err
		}
		all := make([]entry, len(paths))
		engine.Each(ctx, len(paths), func(_ context.Context, i int) error {
			all[i].read(paths[i], out)
			return nil
		})
		if *check {
			return checkBehind(ctx, in.stdout, all, out)
		}
		return list(in.stdout, all)
	}
}

// entry is what is known of an experiment without its data.
type entry struct {
	*experiment.Experiment        // nil: its manifest cannot be read
	dir                    string // of its results
	missing                error  // why its data cannot be read
	behind                 string // why its results are behind; empty: they are not
	err                    error  // why this is not known
}

func (e *entry) read(path, out string) {
	read, err := experiment.Read(path, nil)
	if e.err = err; err != nil {
		return
	}
	e.Experiment, e.dir = read, filepath.Join(out, read.Name)
	e.missing = e.Missing()
	e.behind, e.err = e.Behind(e.dir)
}

// list prints a line for every manifest, and the sum of their processor times. Manifests
// that cannot be read are in the error.
func list(w io.Writer, all []entry) (failed error) {
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tEFFORT\tSTATE\tCELLS\tDATA\tCPU\tQUESTION")
	cells, seconds := 0, 0.0
	for _, e := range all {
		if e.Experiment == nil {
			failed = errors.Join(failed, e.err)
			continue
		}
		data, cpu, n := "none", "-", len(e.Study.Cells())
		if _, ok := e.Study.(study.WithData); ok {
			data = map[bool]string{true: "there", false: "missing"}[e.missing == nil]
		}
		if run, err := store.ReadRun(e.dir); err == nil {
			seconds += run.CPUSeconds
			cpu = duration(run.CPUSeconds)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", e.Name, e.Effort, e.state(), n, data, cpu, e.Kind.Asks)
		cells += n
	}
	fmt.Fprintf(table, "sum\t\t\t%d\t\t%s\n", cells, duration(seconds))
	return errors.Join(failed, table.Flush())
}

// state says whether the results are complete and up to date.
func (e *entry) state() string {
	results, err := store.OpenResults(e.dir)
	_, unread := store.ReadRun(e.dir)
	none := errors.Is(err, fs.ErrNotExist)
	cells, _ := filepath.Glob(filepath.Join(e.dir, "cells", "*.cell"))
	failed := store.Failure(e.dir)
	switch {
	case e.err != nil, !none && cmp.Or(err, unread) != nil:
		return "cannot be read"
	case !none && len(results.Differing()) > 0:
		return "files differ"
	case !none && e.behind == "":
		return "computed"
	case failed != "":
		return "not finished: " + failed
	case !none:
		return "behind: " + e.behind
	case len(cells) > 0:
		return fmt.Sprintf("partly computed: %d of %d cells", len(cells), len(e.Study.Cells()))
	case e.missing != nil:
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
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Second).String()
}

// checkBehind prints which results in the folder out are behind, and why: of experiments, and folders without
// one. It returns an error unless OUT/STALE names them. Results of programs that are not installed may be
// behind without that, and so may folders of which git ignores all files.
func checkBehind(ctx context.Context, w io.Writer, all []entry, out string) error {
	stale := filepath.Join(out, "STALE")
	text, _ := os.ReadFile(stale) // absent where nothing is behind
	named := strings.Fields(string(text))
	known := map[string]bool{}
	var behind []string
	for _, e := range all {
		if e.err != nil {
			return e.err
		}
		known[e.Name] = true
		if e.behind == "" {
			continue
		}
		fmt.Fprintf(w, "%s: behind: %s\n", e.Name, e.behind)
		if slices.Contains(named, e.Name) || !e.Elsewhere(e.dir) {
			behind = append(behind, e.Name)
		}
	}
	folders, _ := os.ReadDir(out) // none where nothing was run
	for _, f := range folders {
		if !f.IsDir() || known[f.Name()] {
			continue
		}
		files, err := store.Git(ctx, filepath.Join(out, f.Name()), "ls-files", "--cached", "--others",
			"--exclude-standard")
		if err != nil || files != "" {
			fmt.Fprintf(w, "%s: behind: no manifest in %s\n", f.Name(), experiment.Folder)
			behind = append(behind, f.Name())
		}
	}
	slices.Sort(named)
	slices.Sort(behind)
	if !slices.Equal(named, behind) {
		return fmt.Errorf("%s must name what is behind, and no more: it needs these lines\n%s",
			stale, strings.Join(behind, "\n"))
	}
	return nil
}
