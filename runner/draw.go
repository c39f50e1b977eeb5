package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

var formats = []string{"png", "svg", "pdf"}

// draw returns the files of figures, each drawn of the tables that it needs, and no
// others, as they were published.
func draw(drawings []study.Figure, read func(name string) (*table.Table, error)) ([]store.File, error) {
	tables, needs := map[string]*table.Table{}, make([]table.Set, len(drawings))
	for i, d := range drawings {
		for _, name := range d.Needs {
			if tables[name] == nil {
				t, err := read(name)
				if err != nil {
					return nil, fmt.Errorf("figure %s needs %w", d.Name, err)
				}
				tables[name] = t
			}
			needs[i] = append(needs[i], tables[name])
		}
	}
	files := make([]store.File, len(drawings)*len(formats))
	return files, parallel(len(drawings), func(i int) error {
		page, err := drawings[i].Draw(needs[i])
		for k, format := range formats {
			var data []byte
			if err == nil {
				data, err = page.Encode(format)
			}
			files[i*len(formats)+k] = store.File{Name: drawings[i].Name + "." + format, Data: data}
		}
		if err != nil {
			return fmt.Errorf("figure %s: %w", drawings[i].Name, err)
		}
		return nil
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

func (p *program) drawCommand(f *flag.FlagSet) action {
	p.choiceFlags(f)
	return func(ctx context.Context, names []string) error {
		var undrawn []error
		err := p.inTurn(ctx, names, false, func(e *experiment) error {
			lacking, err := p.drawAgain(e)
			for _, why := range lacking {
				why = e.Name + ": " + why
				if p.all {
					fmt.Fprintln(p.stdout, why)
				} else {
					undrawn = append(undrawn, errors.New(why))
				}
			}
			return err
		})
		return errors.Join(append(undrawn, err)...)
	}
}

// drawAgain draws the figures of an experiment from its published tables. Figures that it
// has no longer are removed. It returns what keeps figures from being drawn.
func (p *program) drawAgain(e *experiment) (lack []string, err error) {
	dir := p.dir(e)
	results, err := store.OpenResults(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{"no results in " + dir + ": run it"}, nil
	}
	if err != nil {
		return nil, err
	}
	var files []store.File
	var names []string          // of today's figures
	lacking := map[string]int{} // how many are not drawn, by the reason
	for _, d := range e.study.Figures() {
		names = append(names, d.Name)
		drawn, err := draw([]study.Figure{d}, results.Table)
		switch {
		case errors.Is(err, fs.ErrNotExist) && store.Timed(d.Name):
			lacking["no times of methods yet; to measure: "+e.invocation("time ")]++
			continue
		case errors.Is(err, store.ErrNotCommitted):
			lacking[fmt.Sprintf("%v; to make it: %s", errors.Unwrap(err), e.invocation(""))]++
			continue
		case err != nil:
			return nil, err
		}
		files = append(files, drawn...)
	}
	folder, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	fmt.Fprintf(p.stdout, "%s: %d figures drawn\n", e.Name, len(files)/len(formats))
	for _, why := range slices.Sorted(maps.Keys(lacking)) {
		lack = append(lack, fmt.Sprintf("%d of %d figures not drawn: %s", lacking[why], len(names), why))
	}
	return lack, folder.Replace(files, func(name string) bool {
		base, format, _ := strings.Cut(name, ".")
		return slices.Contains(formats, format) && !slices.Contains(names, base)
	})
}
