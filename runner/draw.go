package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
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
			lacking, err := p.drawAgain(ctx, e)
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

// drawAgain draws figures of an experiment from its published tables. Figures that it
// no longer has are removed. It returns the reasons why figures were not drawn.
func (p *program) drawAgain(ctx context.Context, e *experiment.Experiment) (lack []string, err error) {
	dir := p.dir(e)
	results, err := store.OpenResults(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{"no results in " + dir + ": run it"}, nil
	}
	if err != nil {
		return nil, err
	}
	var files []store.File
	var names []string // of today's figures
	for _, d := range e.Study.Figures() {
		names = append(names, d.Name)
		drawn, err := experiment.Draw([]study.Figure{d}, results.Table)
		switch {
		case errors.Is(err, store.ErrNotCommitted):
			lack = append(lack, fmt.Sprintf("%v; to make it: %s", err, invocation(e)))
		case err != nil:
			if why, _ := e.Behind(dir); why != "" { // the tables may lack what the manifest has, at which drawing panics
				reason, _, _ := strings.Cut(err.Error(), "\n")
				err = fmt.Errorf("the results in %s are behind (%s): %s; to make them: %s", dir, why, reason, invocation(e))
			}
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
	return lack, folder.Replace(ctx, files, func(name string) bool {
		base, format, _ := strings.Cut(name, ".")
		return slices.Contains(experiment.Formats, format) && !slices.Contains(names, base)
	})
}
