package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"text/tabwriter"
	"time"

	"closedform/runner/internal/config"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

// listAll prints a line for every manifest of the effort in experiments/. Those that
// cannot be read are in the error.
func (p *program) listAll() error {
	names, err := config.List(manifests)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tEFFORT\tCELLS\tDATA\tTOOK\tQUESTION")
	var failed error
	for _, name := range names {
		e, err := newExperiment(filepath.Join(manifests, name+".toml"), p.set)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if !p.takes(e.Effort) {
			continue
		}
		data := "none"
		if _, ok := e.study.(study.WithData); ok {
			data = "there"
			if e.missing() != nil {
				data = "missing"
			}
		}
		took := "-"
		if run, err := store.ReadRun(filepath.Join(p.out, e.Name)); err == nil {
			took = time.Duration(run.Seconds * float64(time.Second)).Round(time.Second).String()
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", e.Name, e.Effort, len(e.study.Cells()), data, took, e.kind.Asks)
	}
	return errors.Join(table.Flush(), failed)
}
