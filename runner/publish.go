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
	unlock, err := j.work.Folder.Lock(ctx) // of several processes the first publishes
	if err != nil {
		return err
	}
	defer unlock()
	if j.work.Folder.Published(inputs) {
		fmt.Fprintf(j.stdout, "%s: %s; %s is up to date\n", j.Name, j.counts(), j.dir)
		return nil
	}
	cells, err := j.work.Tables()
	if err != nil {
		return err
	}
	tables, err := j.Study.Tables(cells)
	if err != nil {
		return err
	}
	files, notes, err := j.files(cells, tables)
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	run := store.NewRun(ctx, j.args, j.start)
	run.Manifest, run.SourceDigest, run.Fused = j.Name, experiment.SourceDigest(), fused
	run.Overrides = append(run.Overrides, j.Overrides...)
	run.Computed, run.Reused = j.work.Computed, len(j.work.Cells)-j.work.Computed
	run.Seconds, run.Memory = time.Since(j.start).Seconds(), store.PeakMemory()
	run.AddTimes(j.work.Done, func(i int) string { return j.work.Cells[i].Group() })
	if run.Seeds, err = j.SeedsOf(j.work.Manifest); err != nil {
		return err
	}
	if err := j.work.Folder.Publish(inputs, files, run); err != nil {
		return err
	}
	fmt.Fprintf(j.stdout, "%s: %s; %d files in %s, in %s\n", j.Name, j.counts(), len(files), j.dir, j.took())
	for _, note := range notes {
		fmt.Fprintf(j.stdout, "%s: %s\n", j.Name, note)
	}
	fmt.Fprint(j.stdout, report.Result(tables, run))
	return nil
}

// counts returns how many cells there are, and how many of them this process has computed.
func (j *job) counts() string {
	n := len(j.work.Cells)
	return fmt.Sprintf("%d cells, %d computed, %d done before", n, j.work.Computed, n-j.work.Computed)
}

// files returns the files of the results, with figures drawn of the tables as they are written, and notes.
func (j *job) files(cells []table.Set, tables table.Set) (files []store.File, notes []string, err error) {
	s := new(store.Schema)
	for _, t := range slices.Concat(cells...) {
		if t.File != nil {
			s.Kept, files = append(s.Kept, t.Name), append(files, store.File{Name: t.Name, Data: t.File})
		}
	}
	drawings := j.Study.Figures()
	if noted, ok := j.Study.(study.Noted); ok {
		notes = noted.Notes(tables)
	}
	if s.Finding, err = quote.Fill(j.Finding, tables); err != nil { // values other than the manifest's may leave out what it names
		notes = append(notes, fmt.Sprintf("finding: %v", err))
	}
	if s.Programs, err = j.FindPrograms(); err != nil {
		return nil, nil, err
	}
	s.Notes = notes
	for _, t := range tables {
		s.AddTable(t)
	}
	for _, f := range drawings {
		s.Figures = append(s.Figures, store.FigureSchema{Name: f.Name, Needs: f.Needs})
	}
	files = append(files, store.File{Name: "manifest.toml", Data: j.work.Manifest}, s.File(), j.readme(s))
	written := map[string]store.File{}
	for _, t := range tables {
		written[t.Name] = store.TableFile(t)
		files = append(files, written[t.Name])
	}
	drawn, err := experiment.Draw(drawings, func(name string) (*table.Table, error) {
		if file, ok := written[name]; ok {
			return file.Table()
		}
		return nil, fmt.Errorf("a table %s, which is not made", name)
	})
	return append(files, drawn...), notes, err
}

// readme returns the README of the results folder.
func (j *job) readme(s *store.Schema) store.File {
	return store.File{Name: "README.md", Data: report.README(j.Name, j.Kind.Asks, invocation(j.Experiment), s)}
}
