package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"closedform/runner/internal/engine"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/own"
	"closedform/runner/internal/quote"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// publish makes the results folder from the cells and prints what was done.
func (j *job) publish(ctx context.Context) error {
	release, err := own.Replace(j.dir)
	if err != nil {
		return err
	}
	defer release()
	cells, err := j.work.Load()
	if err != nil {
		return err
	}
	sets := make([]table.Set, len(cells))
	for i, c := range cells {
		sets[i] = c.Tables
	}
	tables, err := j.Study.Tables(sets)
	if err != nil {
		return err
	}
	readme, files, err := j.files(sets, tables)
	if err != nil {
		return err
	}
	run, err := j.provenance(ctx, cells)
	if err != nil {
		return err
	}
	made := j.work.Folder.Made(files, run)
	words := made.Command[min(1, len(made.Command)):] // a damaged run.json may have none
	readme.Command, readme.Programs = commandLine(words), made.Programs
	result := report.NewResult(tables, made)
	readme.Result = result
	published, err := j.work.Folder.Publish(ctx, j.inputs, files, made, readme.Markdown())
	if err != nil {
		return err
	}
	counts := fmt.Sprintf("%d cells, %d computed, %d done before", len(j.work.Cells), run.Computed, run.Reused)
	if !published { // another process has
		fmt.Fprintf(j.stdout, "%s: %s; %s is up to date\n", j.Name, counts, j.dir)
		return nil
	}
	took := time.Since(j.start).Round(10 * time.Millisecond)
	fmt.Fprintf(j.stdout, "%s: %s; %d files in %s, in %s\n", j.Name, counts, len(files), j.dir, took)
	for _, note := range readme.Notes {
		fmt.Fprintf(j.stdout, "%s: %s\n", j.Name, note)
	}
	fmt.Fprint(j.stdout, result.Text())
	return nil
}

// provenance returns what run.json says.
func (j *job) provenance(ctx context.Context, cells []*store.Cell) (run *store.Run, err error) {
	run = store.NewRun(ctx, j.words, j.start)
	run.Manifest, run.ManifestDigest = j.Name, j.digest
	run.SourceDigest, run.Fused = experiment.SourceDigest(), fused
	run.Overrides = append(run.Overrides, j.Overrides...)
	run.Computed, run.Reused = j.work.Computed, len(j.work.Cells)-j.work.Computed
	run.Seconds = time.Since(j.start).Seconds()
	run.AddTimes(cells, func(i int) string { return j.work.Cells[i].Group() })
	run.Seeds = j.Swept
	run.Programs, err = j.FindPrograms()
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
		if r.Finding, err = quote.Fill(j.Finding, quote.Of(tables)); err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("finding: %v", err))
		}
	}
	files = append(files, store.File{Name: "manifest.toml", Data: j.manifest})
	written := map[string]func() (*table.Table, error){}
	for _, t := range tables {
		file := store.TableFile(t)
		written[t.Name] = sync.OnceValues(file.Table)
		files = append(files, file)
	}
	drawn := make([][]store.File, len(r.Figures))
	err = engine.Each(context.Background(), len(drawn), func(_ context.Context, i int) (err error) {
		drawn[i], err = experiment.Draw(r.Figures[i], func(name string) (*table.Table, error) {
			if read, ok := written[name]; ok {
				return read()
			}
			return nil, fmt.Errorf("a table %s, which is not made", name)
		})
		return err
	})
	return r, append(files, slices.Concat(drawn...)...), err
}
