package main

import (
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

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
)

func listCommand(f *flag.FlagSet) action {
	check := f.Bool("check", false, "print what is behind; fail unless results/STALE names just that")
	return func(ctx context.Context, in *invocation, _ []string) error {
		paths, err := experiment.All()
		var all []*experiment.Experiment
		for _, path := range paths {
			e, unread := experiment.Read(path, nil)
			if err = errors.Join(err, unread); unread == nil {
				e.Dir = filepath.Join(experiment.Results, e.Name)
				all = append(all, e)
			}
		}
		if *check && err == nil {
			return checkBehind(ctx, in.stdout, all)
		}
		return errors.Join(err, list(in.stdout, all))
	}
}

func list(w io.Writer, all []*experiment.Experiment) error {
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSTATE\tCELLS\tCPU\tQUESTION")
	duration := func(seconds float64) time.Duration {
		return time.Duration(seconds * float64(time.Second)).Round(10 * time.Millisecond)
	}
	cells, seconds := 0, 0.0
	for _, e := range all {
		n := len(e.Study.Cells())
		run, _ := store.ReadRun(e.Dir) // where there is none it took no time
		cpu := duration(run.CPUSeconds)
		fmt.Fprintf(table, "%s\t%s\t%d\t%v\t%s\n", e.Name, state(e), n, cpu, e.Kind.Asks)
		cells, seconds = cells+n, seconds+run.CPUSeconds
	}
	fmt.Fprintf(table, "sum\t\t%d\t%v\n", cells, duration(seconds))
	return table.Flush()
}

func state(e *experiment.Experiment) string {
	behind, err := e.Behind()
	results, unread := store.OpenResults(e.Dir)
	none := errors.Is(unread, fs.ErrNotExist)
	cells, _ := filepath.Glob(filepath.Join(e.Dir, "cells", "*.cell"))
	failed := store.Failure(e.Dir)
	switch {
	case err != nil, !none && unread != nil:
		return "cannot be read"
	case !none && len(results.Differing(false)) > 0:
		return "files differ"
	case !none && behind == "":
		return "computed"
	case failed != "":
		return "not finished: " + failed
	case !none:
		return "behind: " + behind
	case len(cells) > 0:
		return fmt.Sprintf("partly computed: %d of %d cells", len(cells), len(e.Study.Cells()))
	case e.Missing() != nil:
		return "needs data"
	}
	return "not run"
}

// checkBehind prints which published results are behind, and why: of experiments, and folders without one. It
// returns an error unless STALE names them, git ignores them or their program is not installed.
func checkBehind(ctx context.Context, w io.Writer, all []*experiment.Experiment) error {
	stale := filepath.Join(experiment.Results, "STALE")
	text, _ := os.ReadFile(stale) // absent where nothing is behind
	named := strings.Fields(string(text))
	known := map[string]bool{}
	var behind []string
	for _, e := range all {
		known[e.Name] = true
		why, err := e.Behind()
		if err != nil {
			return err
		}
		if why != "" {
			fmt.Fprintf(w, "%s: behind: %s\n", e.Name, why)
		}
		if why != "" && (slices.Contains(named, e.Name) || !e.Elsewhere()) {
			behind = append(behind, e.Name)
		}
	}
	files, _ := store.Git(ctx, "ls-files", "-z", "-c", "-o", "--exclude-standard", experiment.Results)
	for file := range strings.SplitSeq(files, "\x00") {
		if parts := strings.Split(file, "/"); len(parts) > 2 && !known[parts[1]] { // results/folder/file
			known[parts[1]] = true
			fmt.Fprintf(w, "%s: behind: no manifest in %s\n", parts[1], experiment.Folder)
			behind = append(behind, parts[1])
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
