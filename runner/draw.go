package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"closedform/figures"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

var formats = []string{"png", "svg", "pdf"}

// reader reads a table as it was published.
type reader func(name string) (*table.Table, error)

// once returns a reader that reads each table once.
func (r reader) once() reader {
	tables := map[string]*table.Table{}
	return func(name string) (t *table.Table, err error) {
		if tables[name] == nil {
			tables[name], err = r(name)
		}
		return tables[name], err
	}
}

// draw returns the files of figures, each drawn of the tables that it needs, and no
// others.
func draw(drawings []study.Figure, read reader) ([]store.File, error) {
	needs := make([]table.Set, len(drawings))
	for i, d := range drawings {
		for _, name := range d.Needs {
			t, err := read(name)
			if err != nil {
				return nil, fmt.Errorf("figure %s needs %w", d.Name, err)
			}
			needs[i] = append(needs[i], t)
		}
	}
	pages := make([]*figures.Figure, len(drawings))
	files := make([]store.File, len(drawings)*len(formats))
	err := parallel(len(drawings), func(i int) (err error) {
		if pages[i], err = drawings[i].Draw(needs[i]); err != nil {
			err = fmt.Errorf("figure %s: %w", drawings[i].Name, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return files, parallel(len(files), func(k int) error {
		i, format := k/len(formats), formats[k%len(formats)]
		data, err := pages[i].Encode(format)
		files[k] = store.File{Name: drawings[i].Name + "." + format, Data: data}
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

// drawAgain draws the figures of an experiment from its published tables, and tells
// of those whose tables are not there.
func (p *program) drawAgain(e *experiment) error {
	dir := filepath.Join(p.out, e.Name)
	results, err := store.OpenResults(dir)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(p.stdout, "%s: no results in %s: run -exp %[1]s\n", e.Name, dir)
		return nil
	}
	if err != nil {
		return err
	}
	read := reader(results.Table).once()
	var files []store.File
	for _, d := range e.study.Figures() {
		drawn, err := draw([]study.Figure{d}, read)
		switch {
		case errors.Is(err, store.ErrNotCommitted):
			fmt.Fprintf(p.stdout, "%s: %v: run -exp %[1]s\n", e.Name, err)
			continue
		case err != nil:
			return err
		}
		files = append(files, drawn...)
	}
	folder, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	fmt.Fprintf(p.stdout, "%s: %d figures drawn\n", e.Name, len(files)/len(formats))
	return folder.Replace(files)
}
