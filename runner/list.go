package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

func (p *program) listCommand(f *flag.FlagSet) action {
	p.resultsFlag(f)
	p.effortFlag(f)
	check := f.Bool("check", false, "print what is behind, of any effort; fail unless OUT/STALE names that and no more")
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

// list prints a line for every manifest of the effort. Those that cannot be read are in the error.
func (p *program) list(paths []string) error {
	var failed []error
	table := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tEFFORT\tSTATE\tCELLS\tDATA\tCPU\tMEMORY\tQUESTION")
	about, read := p.describe(paths)
	for i, e := range read {
		switch {
		case e == nil:
			failed = append(failed, about[i].Err)
		case p.takes(e.Effort):
			fmt.Fprint(table, p.line(about[i], e))
		}
	}
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
	about, read := p.describe(paths)
	for i, e := range about {
		if e.Err != nil {
			return e.Err
		}
		known = append(known, e.Name)
		if e.Behind == "" {
			continue
		}
		fmt.Fprintf(p.stdout, "%s: behind: %s\n", e.Name, e.Behind)
		if slices.Contains(named, e.Name) || !read[i].Elsewhere(filepath.Join(p.out, e.Name)) {
			behind = append(behind, e.Name)
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

// line returns the line of an experiment.
func (p *program) line(about report.Experiment, e *experiment.Experiment) string {
	data := "none"
	if _, ok := e.Study.(study.WithData); ok {
		data = map[bool]string{true: "there", false: "missing"}[about.Missing == nil]
	}
	cpu, memory := "-", "-"
	if run, err := store.ReadRun(p.dir(e)); err == nil {
		if run.Memory > 0 {
			memory = fmt.Sprintf("%.0f MB", float64(run.Memory)/1e6)
		}
		cpu = duration(run.CPUSeconds)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n",
		e.Name, e.Effort, report.State(p.out, about), about.Cells, data, cpu, memory, about.Asks)
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
