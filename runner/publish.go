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

// publish makes the results folder from the cells and returns the number of files,
// and the notes on them.
func (j *job) publish(ctx context.Context, inputs string, computed int) (n int, notes []string, err error) {
	cells, err := j.work.Tables()
	if err != nil {
		return 0, nil, err
	}
	files, tables, notes, err := j.files(cells)
	if err != nil {
		return 0, nil, err
	}
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	run := store.NewRun(ctx, j.args, j.start)
	run.Manifest, run.CodeVersion, run.Fused = j.Name, j.version, fused
	run.Overrides = append(run.Overrides, j.Overrides...)
	run.Computed, run.Reused = computed, len(j.work.Cells)-computed
	run.Seconds, run.Memory = time.Since(j.start).Seconds(), store.PeakMemory()
	strata := make([]string, len(j.work.Cells))
	for i, c := range j.work.Cells {
		strata[i] = c.Group()
	}
	run.AddTimes(j.work.Done, strata)
	if run.Seeds, err = j.SeedsOf(j.resolved); err != nil {
		return 0, nil, err
	}
	sums, err := j.sums(ctx, cells)
	if err != nil {
		return 0, nil, err
	}
	run.Adopted = j.provenance(sums)
	j.result = report.Result(tables, run)
	err = j.folder.Publish(inputs, files, run, sums)
	j.folder.Prune(j.work.Prints)
	return len(files), notes, err
}

// files merges the cells into tables and draws the figures.
func (j *job) files(cells []table.Set) (files []store.File, tables table.Set, notes []string, err error) {
	if tables, err = j.Study.Tables(cells); err != nil {
		return nil, nil, nil, err
	}
	var names []string // of files
	for _, t := range slices.Concat(cells...) {
		if t.File != nil {
			names, files = append(names, t.Name), append(files, store.File{Name: t.Name, Data: t.File})
		}
	}
	drawings := j.Study.Figures()
	if noted, ok := j.Study.(study.Noted); ok {
		notes = noted.Notes(tables)
	}
	finding, err := quote.Fill(j.Finding, tables)
	if err != nil { // values other than the manifest's may leave out what it names
		notes = append(notes, fmt.Sprintf("finding: %v", err))
	}
	programs, err := j.FindPrograms()
	if err != nil {
		return nil, nil, nil, err
	}
	s := &store.Schema{Finding: finding, Kept: names, Notes: notes, Programs: programs}
	for _, t := range tables {
		s.AddTable(t)
	}
	for _, f := range drawings {
		s.Figures = append(s.Figures, store.FigureSchema{Name: f.Name, Needs: f.Needs})
	}
	files = append(files, store.File{Name: "manifest.toml", Data: j.resolved}, s.File(),
		store.File{Name: "README.md", Data: report.README(j.Name, j.Kind.Asks, invocation(j.Experiment, ""), s)})
	var times table.Set
	if _, timed := j.Study.(study.Timed); timed && !j.verifying {
		var note string
		if times, note = j.timesThere(tables); note != "" {
			notes = append(notes, note)
		}
	}
	if times == nil {
		drawings = slices.DeleteFunc(drawings, func(f study.Figure) bool { return store.Timed(f.Name) })
	}
	written := map[string]store.File{}
	for _, t := range append(slices.Clone(tables), store.CellTimes(j.work.Done)) {
		written[t.Name] = store.TableFile(t)
		files = append(files, written[t.Name])
	}
	drawn, err := experiment.Draw(drawings, func(name string) (*table.Table, error) {
		if t := times.Get(name); t != nil {
			return t, nil
		}
		if file, ok := written[name]; ok {
			return file.Table()
		}
		return nil, fmt.Errorf("a table %s, which is not made", name)
	})
	return append(files, drawn...), tables, notes, err
}
