package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
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
	about, read := p.describe(paths)
	for i, e := range read {
		switch {
		case e == nil:
			failed = append(failed, about[i].Err)
		case p.takes(e.Effort):
			fmt.Fprint(table, p.line(about[i], e))
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
