package main

import (
	"context"
	"fmt"
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

func (j *job) publish(ctx context.Context) error {
	release, err := own.Replace(j.Dir)
	if err != nil {
		return err
	}
	defer release()
	cells, err := j.work.Load()
	if err != nil {
		return err
	}
	r := &report.README{Name: j.Name, Asks: j.Kind.Asks, Figures: j.Study.Figures()}
	files := []store.File{{Name: "manifest.toml", Data: j.manifest}}
	sets := make([]table.Set, len(cells))
	for i, c := range cells {
		sets[i] = c.Tables
		for _, t := range c.Tables {
			if t.File != nil {
				r.Kept, files = append(r.Kept, t.Name), append(files, store.File{Name: t.Name, Data: t.File})
			}
		}
	}
	r.Tables = j.Study.Tables(sets)
	if noted, ok := j.Study.(study.Noted); ok {
		r.Notes = noted.Notes(r.Tables)
	}
	if len(j.Overrides) == 0 { // a finding is of the values of the manifest
		if r.Finding, err = quote.Fill(j.Finding, quote.Of(r.Tables)); err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("finding: %v", err))
		}
	}
	made, err := j.files(r)
	if err != nil {
		return err
	}
	files = append(files, made...)
	run, err := j.provenance(ctx, cells)
	if err != nil {
		return err
	}
	published, err := j.work.Folder.Publish(ctx, j.inputs, files, run, func(made *store.Run) []byte {
		r.Command, r.Programs = commandLine(made.Command[min(1, len(made.Command)):]), made.Programs
		r.Result = report.NewResult(r.Tables, made)
		return r.Markdown()
	})
	switch {
	case err != nil:
		return err
	case !published: // another process has
		j.print("is up to date")
		return nil
	}
	var lines []string
	for _, note := range r.Notes {
		lines = append(lines, fmt.Sprintf("%s: %s\n", j.Name, note))
	}
	took := time.Since(j.start).Round(10 * time.Millisecond)
	j.print(fmt.Sprintf("has %d files, in %s", len(files), took), append(lines, r.Result.Text())...)
	return nil
}

func (j *job) provenance(ctx context.Context, cells []*store.Cell) (run *store.Run, err error) {
	run = store.NewRun(ctx, j.words, j.start)
	run.Manifest, run.ManifestDigest = j.Name, j.digest
	run.SourceDigest, run.Fused = experiment.SourceDigest(), fused
	run.Overrides = append(run.Overrides, j.Overrides...)
	run.Computed, run.Reused = j.work.Computed, len(cells)-j.work.Computed
	run.Seconds = time.Since(j.start).Seconds()
	run.AddTimes(cells, func(i int) string { return j.work.Cells[i].Group() })
	run.Seeds = j.Swept
	run.Programs, err = j.FindPrograms()
	return run, err
}

// files returns the files of the tables, and of the figures, which are drawn from the tables as written.
func (j *job) files(r *report.README) (files []store.File, err error) {
	var written table.Set
	for _, t := range r.Tables {
		file := store.TableFile(t)
		t, err := file.Table()
		if err != nil {
			return nil, err
		}
		written, files = append(written, t), append(files, file)
	}
	drawn := make([][]store.File, len(r.Figures))
	err = engine.Each(context.Background(), len(drawn), func(_ context.Context, i int) (err error) {
		drawn[i], err = experiment.Draw(r.Figures[i], quote.Of(written))
		return err
	})
	for _, formats := range drawn {
		files = append(files, formats...)
	}
	return files, err
}
