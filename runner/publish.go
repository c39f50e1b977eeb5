package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"closedform/runner/internal/quote"
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
	if run.Seeds, err = j.seeds(j.resolved); err != nil {
		return 0, nil, err
	}
	sums, err := j.sums(ctx, cells)
	if err != nil {
		return 0, nil, err
	}
	run.Adopted = j.provenance(sums)
	j.result = result(tables, run)
	err = j.folder.Publish(inputs, files, run, sums)
	j.folder.Prune(j.work.Prints)
	return len(files), notes, err
}

// files merges the cells into tables and draws the figures.
func (j *job) files(cells []table.Set) (files []store.File, tables table.Set, notes []string, err error) {
	if tables, err = j.study.Tables(cells); err != nil {
		return nil, nil, nil, err
	}
	saved := map[string][]byte{}
	if saving, ok := j.study.(study.Saving); ok {
		saved = saving.Saved(cells)
	}
	drawings, names := j.study.Figures(), slices.Sorted(maps.Keys(saved))
	if noted, ok := j.study.(study.Noted); ok {
		notes = noted.Notes(tables)
	}
	finding, err := quote.Fill(j.Finding, tables)
	if err != nil { // values other than the manifest's may leave out what it names
		notes = append(notes, fmt.Sprintf("finding: %v", err))
	}
	s := schema(tables, drawings, names, notes)
	s.Finding = finding
	files = []store.File{{Name: "manifest.toml", Data: j.resolved}, s.File(), {Name: "README.md", Data: j.readme(s)}}
	for _, name := range names {
		files = append(files, store.File{Name: name, Data: saved[name]})
	}
	var times table.Set
	if _, timed := j.study.(study.Timed); timed && !j.verify {
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
	drawn, err := draw(drawings, func(name string) (*table.Table, error) {
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
