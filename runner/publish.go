package main

import (
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
func (j *job) publish(ctx context.Context) error {
	cells, err := j.work.Tables()
	if err != nil {
		return err
	}
	tables, err := j.Study.Tables(cells)
	if err != nil {
		return err
	}
	readme, files, err := j.files(cells, tables)
	if err != nil {
		return err
	}
	run, err := j.provenance(ctx)
	if err != nil {
		return err
	}
	unlock, err := j.work.Folder.Lock(ctx) // of several processes the first publishes
	if err != nil {
		return err
	}
	defer unlock()
	counts := fmt.Sprintf("%d cells, %d computed, %d done before", len(j.work.Cells), run.Computed, run.Reused)
	if j.work.Folder.Published(j.inputs) {
		fmt.Fprintf(j.stdout, "%s: %s; %s is up to date\n", j.Name, counts, j.dir)
		return nil
	}
	err = j.work.Folder.Publish(j.inputs, files, run, func(run *store.Run) []byte {
		args := run.Command[min(1, len(run.Command)):] // a damaged run.json may have none
		readme.Command, readme.Programs = commandLine(args), run.Programs
		readme.Result = report.NewResult(tables, run)
		return readme.Markdown()
	})
	if err != nil {
		return err
	}
	took := time.Since(j.start).Round(10 * time.Millisecond)
	fmt.Fprintf(j.stdout, "%s: %s; %d files in %s, in %s\n", j.Name, counts, len(files), j.dir, took)
	for _, note := range readme.Notes {
		fmt.Fprintf(j.stdout, "%s: %s\n", j.Name, note)
	}
	fmt.Fprint(j.stdout, report.NewResult(tables, run).Text())
	return nil
}

// provenance returns what run.json says.
func (j *job) provenance(ctx context.Context) (run *store.Run, err error) {
	run = store.NewRun(ctx, j.words, j.start)
	run.Manifest, run.ManifestDigest = j.Name, j.Digest
	run.SourceDigest, run.Fused = experiment.SourceDigest(), fused
	run.Overrides = append(run.Overrides, j.Overrides...)
	run.Computed, run.Reused = j.work.Computed, len(j.work.Cells)-j.work.Computed
	run.Seconds, run.Memory = time.Since(j.start).Seconds(), store.PeakMemory()
	run.AddTimes(j.work.Done, func(i int) string { return j.work.Cells[i].Group() })
	if run.Seeds, err = j.SeedsOf(j.work.Manifest); err == nil {
		run.Programs, err = j.FindPrograms()
	}
	return run, err
}

// files returns what the README of the results says of them, and the files, with figures drawn from the
// tables as they are written.
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
		if r.Finding, err = quote.Fill(j.Finding, tables); err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("finding: %v", err))
		}
	}
	files = append(files, store.File{Name: "manifest.toml", Data: j.work.Manifest})
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
