package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"closedform/figures"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// publish merges the cells into the tables and figures of the results folder
// and returns the number of files, and the notes on them.
func (j *job) publish(ctx context.Context, inputs string, computed int) (files int, notes []string, err error) {
	cells := make([]table.Set, len(j.done))
	seconds := table.New("timing", table.Text("key", ""), table.Num("seconds", ""))
	for i, c := range j.done {
		cells[i] = c.Tables
		seconds.Add(c.Key, c.Seconds)
	}
	tables, err := j.study.Tables(cells)
	if err != nil {
		return 0, nil, err
	}
	drawings := j.study.Figures()
	all := []store.File{{Name: "manifest.toml", Data: j.resolved}, {Name: "README.md", Data: j.readme(tables, drawings)}}
	if noted, ok := j.study.(study.Noted); ok {
		notes = noted.Notes(tables)
	}
	if timed, ok := j.study.(study.Timed); ok && !j.verify {
		times, err := timed.Measure(ctx, tables)
		if err != nil {
			return 0, nil, err
		}
		tables = append(tables, times...)
	}
	published := map[string]store.File{}
	for _, t := range append(tables[:len(tables):len(tables)], seconds) {
		published[t.Name] = store.TableFile(t)
		all = append(all, published[t.Name])
	}
	if j.verify { // nothing was timed
		drawings = slices.DeleteFunc(drawings, func(f study.Figure) bool { return store.Timed(f.Name) })
	}
	drawn, err := draw(drawings, func(name string) (*table.Table, error) {
		file, ok := published[name]
		if !ok {
			return nil, fmt.Errorf("there is no table %s", name)
		}
		return file.Table()
	})
	if err != nil {
		return 0, nil, err
	}
	all = append(all, drawn...)
	if err := ctx.Err(); err != nil {
		return 0, nil, fmt.Errorf("interrupted with all cells done; the same command writes the results: %w", err)
	}
	run := store.NewRun(ctx, j.args, j.start)
	run.Manifest, run.CodeVersion = j.Name, j.version
	run.Overrides = append(run.Overrides, j.Overrides...)
	run.Computed, run.Reused = computed, len(j.cells)-computed
	run.Seconds = time.Since(j.start).Seconds()
	if run.Seeds, err = j.seeds(j.resolved); err != nil {
		return 0, nil, err
	}
	return len(all), notes, j.folder.Publish(inputs, all, run)
}

// draw returns the files of figures, drawn of tables as they were published: of
// those that each needs, and no others.
func draw(drawings []study.Figure, read func(name string) (*table.Table, error)) ([]store.File, error) {
	formats := []string{"png", "svg", "pdf"}
	pages := make([]*figures.Figure, len(drawings))
	files := make([]store.File, len(drawings)*len(formats))
	tables := table.Set{}
	for _, d := range drawings {
		for _, name := range d.Needs {
			if tables.Get(name) != nil {
				continue
			}
			t, err := read(name)
			if err != nil {
				return nil, fmt.Errorf("figure %s: %w", d.Name, err)
			}
			tables = append(tables, t)
		}
	}
	err := parallel(len(drawings), func(i int) (err error) {
		var own table.Set
		for _, name := range drawings[i].Needs {
			own = append(own, tables.Get(name))
		}
		if pages[i], err = drawings[i].Draw(own); err != nil {
			err = fmt.Errorf("figure %s: %w", drawings[i].Name, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return files, parallel(len(files), func(i int) error {
		format := formats[i%len(formats)]
		data, err := pages[i/len(formats)].Encode(format)
		files[i] = store.File{Name: drawings[i/len(formats)].Name + "." + format, Data: data}
		return err
	})
}

// parallel calls do for 0 to n-1, several at a time.
func parallel(n int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

// drawAgain draws the figures of experiments from their published tables. Those
// whose tables are not there are told of.
func (p *program) drawAgain(experiments []*experiment) error {
	for _, e := range experiments {
		dir := filepath.Join(p.out, e.Name)
		results, err := store.OpenResults(dir)
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(p.stdout, "%s: no results in %s: run -exp %[1]s\n", e.Name, dir)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		if err := p.redraw(e, dir, results); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return nil
}

func (p *program) redraw(e *experiment, dir string, results *store.Results) error {
	tables := table.Set{}
	read := func(name string) (*table.Table, error) {
		if t := tables.Get(name); t != nil {
			return t, nil
		}
		t, err := results.Table(name)
		if err == nil {
			tables = append(tables, t)
		}
		return t, err
	}
	var there []study.Figure
	for _, f := range e.study.Figures() {
		lacking := ""
		for _, name := range f.Needs {
			if _, err := read(name); errors.Is(err, store.ErrNotCommitted) {
				lacking = name
			} else if err != nil {
				return err
			}
		}
		if lacking == "" {
			there = append(there, f)
			continue
		}
		fmt.Fprintf(p.stdout, "%s: %s needs %s.csv.gz, which is not committed: run -exp %[1]s\n", e.Name, f.Name, lacking)
	}
	files, err := draw(there, read)
	if err != nil {
		return err
	}
	folder, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	fmt.Fprintf(p.stdout, "%s: %d figures drawn\n", e.Name, len(there))
	return folder.Replace(files)
}
