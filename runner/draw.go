package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
	"closedform/runner/internal/task"
)

func drawCommand(f *flag.FlagSet) action {
	c := choiceFlags(f)
	return func(ctx context.Context, in *invocation, names []string) error {
		experiments, err := c.load(in.stdout, names, false)
		if err != nil {
			return err
		}
		var undrawn error
		for _, e := range experiments {
			err := draw(ctx, in.stdout, e)
			if c.all && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotCommitted)) {
				fmt.Fprintln(in.stdout, err)
			} else {
				undrawn = errors.Join(undrawn, err)
			}
		}
		return errors.Join(undrawn, writePages(in.stdout, experiments))
	}
}

// draw draws the figures from the published tables. An error says how to make the tables.
func draw(ctx context.Context, w io.Writer, e *experiment.Experiment) error {
	var files []store.File
	results, err := store.OpenResults(e.Dir)
	if err == nil {
		files, err = drawAll(e.Study.Figures(), results.Table)
		fmt.Fprintf(w, "%s: %d figures drawn\n", e.Name, len(files)/2) // PNG and PDF
	}
	if err != nil {
		why, _ := e.Behind()
		if why != "" && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrNotCommitted) {
			err = fmt.Errorf("the results in %s are behind (%s)", e.Dir, why) // tables may lack columns
		}
		words := []string{"-exp", e.File}
		for _, s := range e.Overrides {
			words = append(words, "-set", s)
		}
		err = fmt.Errorf("%s: %w; to make them: %s", e.Name, err, commandLine(words))
	}
	if len(files) == 0 {
		return err
	}
	folder, unopened := store.Open(e.Dir, "")
	if unopened != nil {
		return unopened
	}
	defer folder.Close()
	return errors.Join(err, folder.Replace(ctx, files))
}

// drawAll returns the files of the figures that can be drawn, and the errors of the others.
func drawAll(all []study.Figure, read func(string) (*table.Table, error)) (files []store.File, failed error) {
	for _, figure := range all {
		_, err := task.Run(context.Background(), func(context.Context) error { // a panic is an error, too
			drawn, err := experiment.Draw(figure, read)
			files = append(files, drawn...)
			return err
		})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("figure %s: %w", figure.Name, err))
		}
	}
	return files, failed
}
