package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/quote"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// publish makes the results folder from the cells and prints what was done.
func (j *job) publish(ctx context.Context, inputs string) error {
	done, err := j.work.Load()
	if err != nil {
		return err
	}
	cells := make([]table.Set, len(done))
	for i, c := range done {
		cells[i] = c.Tables
	}
	tables, err := j.Study.Tables(cells)
	if err != nil {
		return err
	}
	readme, files, err := j.files(cells, tables)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	run := store.NewRun(ctx, j.args, j.start)
	run.Manifest, run.SourceDigest, run.Fused = j.Name, experiment.SourceDigest(), fused
	run.Overrides = append(run.Overrides, j.Overrides...)
	run.Computed, run.Reused = j.work.Computed, len(j.work.Cells)-j.work.Computed
	run.Seconds, run.Memory = time.Since(j.start).Seconds(), store.PeakMemory()
	run.AddTimes(done, func(i int) string { return j.work.Cells[i].Group() })
	if run.Seeds, err = j.SeedsOf(j.manifest); err != nil {
		return err
	}
	if run.Programs, err = j.FindPrograms(); err != nil {
		return err
	}
	made := j.work.Folder.Made(files, run)
	args := made.Command[min(1, len(made.Command)):] // a damaged run.json may have none
	readme.Command, readme.Programs = commandLine(args), made.Programs
	readme.Result = report.NewResult(tables, made)
	published, err := j.work.Folder.Publish(ctx, inputs, files, made, readme.Markdown())
	if err != nil {
		return err
	}
	if !published { // another process has
		fmt.Fprintf(j.stdout, "%s: %s; %s is up to date\n", j.Name, j.counts(), j.dir)
		return nil
	}
	fmt.Fprintf(j.stdout, "%s: %s; %d files in %s, in %s\n", j.Name, j.counts(), len(files), j.dir, j.took())
	for _, note := range readme.Notes {
		fmt.Fprintf(j.stdout, "%s: %s\n", j.Name, note)
	}
	fmt.Fprint(j.stdout, report.NewResult(tables, run).Text())
	return nil
}

// counts returns how many cells there are, and how many of them this process has computed.
func (j *job) counts() string {
	n := len(j.work.Cells)
	return fmt.Sprintf("%d cells, %d computed, %d done before", n, j.work.Computed, n-j.work.Computed)
}

// files returns what the README of the results says of them, and the files, with figures drawn of the tables as
// they are written.
func (j *job) files(cells []table.Set, tables table.Set) (r *report.README, files []store.File, err error) {
	r = &report.README{Name: j.Name, Asks: j.Kind.Asks, Tables: tables, Figures: j.Study.Figures()}
	for _, t := range slices.Concat(cells...) {
		if t.File != nil {
			r.Kept, files = append(r.Kept, t.Name), append(files, store.File{Name: t.Name, Data: t.File})
		}
	}
	if noted, ok := j.Study.(study.Noted); ok {
		r.Notes = noted.Notes(tables)
	}
	if len(j.Overrides) == 0 { // a finding is of the values of the manifest
		if r.Finding, err = quote.Fill(j.Finding, quote.Of(tables)); err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("finding: %v", err))
		}
	}
	files = append(files, store.File{Name: "manifest.toml", Data: j.manifest})
	written := map[string]store.File{}
	for _, t := range tables {
		written[t.Name] = store.TableFile(t)
		files = append(files, written[t.Name])
	}
	drawn, err := experiment.Draw(r.Figures, func(name string) (*table.Table, error) {
		if file, ok := written[name]; ok {
			return file.Table()
		}
		return nil, fmt.Errorf("a table %s, which is not made", name)
	})
	return r, append(files, drawn...), err
}
