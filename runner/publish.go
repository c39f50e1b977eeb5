package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// publish makes the results folder from the cells and returns the number of files,
// and the notes on them.
func (j *job) publish(ctx context.Context, inputs string, computed int) (n int, notes []string, err error) {
	files, notes, err := j.files(ctx)
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
	if run.Seeds, err = j.seeds(j.resolved); err != nil {
		return 0, nil, err
	}
	sums, err := j.sums(ctx)
	if err != nil {
		return 0, nil, err
	}
	run.Adopted = j.provenance(sums)
	err = j.folder.Publish(inputs, files, run, sums)
	j.folder.Prune(j.work.Prints)
	return len(files), notes, err
}

// files merges the cells into tables and draws the figures.
func (j *job) files(ctx context.Context) (files []store.File, notes []string, err error) {
	cells := make([]table.Set, len(j.done))
	seconds := table.New("timing", table.Text("key", ""), table.Num("seconds", ""))
	for i, c := range j.done {
		cells[i] = c.Tables
		seconds.Add(c.Key, c.Seconds)
	}
	tables, err := j.study.Tables(cells)
	if err != nil {
		return nil, nil, err
	}
	drawings := j.study.Figures()
	saved := map[string][]byte{}
	if saving, ok := j.study.(study.Saving); ok {
		saved = saving.Saved(cells)
	}
	names := slices.Sorted(maps.Keys(saved))
	readme := j.readme(tables, drawings, names)
	files = []store.File{{Name: "manifest.toml", Data: j.resolved}, {Name: "README.md", Data: readme}}
	for _, name := range names {
		files = append(files, store.File{Name: name, Data: saved[name]})
	}
	if noted, ok := j.study.(study.Noted); ok {
		notes = noted.Notes(tables)
	}
	if j.verify { // nothing is timed
		drawings = slices.DeleteFunc(drawings, func(f study.Figure) bool { return store.Timed(f.Name) })
	} else if timed, ok := j.study.(study.Timed); ok {
		times, err := timed.Measure(ctx, tables)
		if err != nil {
			return nil, nil, err
		}
		tables = slices.Concat(tables, times)
	}
	written := map[string]store.File{}
	for _, t := range append(slices.Clone(tables), seconds) {
		written[t.Name] = store.TableFile(t)
		files = append(files, written[t.Name])
	}
	drawn, err := draw(drawings, func(name string) (*table.Table, error) {
		if file, ok := written[name]; ok {
			return file.Table()
		}
		return nil, fmt.Errorf("a table %s, which is not made", name)
	})
	return append(files, drawn...), notes, err
}
