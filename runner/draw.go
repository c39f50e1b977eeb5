package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

func (p *program) drawCommand(f *flag.FlagSet) action {
	p.choiceFlags(f)
	return func(ctx context.Context, names []string) error {
		var undrawn []error
		err := p.inTurn(ctx, names, false, func(e *experiment.Experiment) error {
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
// no longer has are removed. It returns the reasons why figures were not drawn.
func (p *program) drawAgain(e *experiment.Experiment) (lack []string, err error) {
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
	for _, d := range e.Study.Figures() {
		names = append(names, d.Name)
		drawn, err := experiment.Draw([]study.Figure{d}, results.Table)
		switch {
		case errors.Is(err, fs.ErrNotExist) && store.Timed(d.Name):
			lacking["no times of methods yet; to measure: "+invocation(e, "time ")]++
			continue
		case errors.Is(err, store.ErrNotCommitted):
			lacking[fmt.Sprintf("%v; to make it: %s", errors.Unwrap(err), invocation(e, ""))]++
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
	fmt.Fprintf(p.stdout, "%s: %d figures drawn\n", e.Name, len(files)/len(experiment.Formats))
	for _, why := range slices.Sorted(maps.Keys(lacking)) {
		lack = append(lack, fmt.Sprintf("%d of %d figures not drawn: %s", lacking[why], len(names), why))
	}
	return lack, folder.Replace(files, func(name string) bool {
		base, format, _ := strings.Cut(name, ".")
		return slices.Contains(experiment.Formats, format) && !slices.Contains(names, base)
	})
}
