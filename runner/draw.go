package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

const drawExamples = "go run ./runner draw fig1_12"

func drawCommand(f *flag.FlagSet) action {
	c := choiceFlags(f)
	return func(ctx context.Context, in *invocation, names []string) error {
		experiments, err := c.load(in.stdout, names, false)
		if err != nil {
			return err
		}
		var undrawn []error
		for _, e := range experiments {
			n, missing, err := c.draw(ctx, e)
			if err != nil {
				return errors.Join(append(undrawn, fmt.Errorf("%s: %w", e.Name, err))...)
			}
			if n >= 0 {
				fmt.Fprintf(in.stdout, "%s: %d figures drawn\n", e.Name, n)
			}
			for _, why := range missing {
				if why = e.Name + ": " + why; c.all {
					fmt.Fprintln(in.stdout, why)
				} else {
					undrawn = append(undrawn, errors.New(why))
				}
			}
		}
		return errors.Join(append(undrawn, writePage(*c.out, filepath.Join(*c.out, page)))...)
	}
}

// draw draws the figures of an experiment from its published tables and removes those that it no longer has. It returns how many were drawn, −1 if there are no results, and why others were not.
func (c *choice) draw(ctx context.Context, e *experiment.Experiment) (drawn int, missing []string, err error) {
	dir := c.dir(e)
	results, err := store.OpenResults(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return -1, []string{"no results in " + dir + ": run it"}, nil
	}
	if err != nil {
		return 0, nil, err
	}
	var files []store.File
	var names []string
	for _, figure := range e.Study.Figures() {
		names = append(names, figure.Name)
		formats, err := experiment.Draw([]study.Figure{figure}, results.Table)
		switch {
		case errors.Is(err, store.ErrNotCommitted):
			missing = append(missing, fmt.Sprintf("%v; to make it: %s", err, rerun(e)))
		case err != nil:
			if why, _ := e.Behind(dir); why != "" { // drawing may panic if the tables lack what the manifest has
				reason, _, _ := strings.Cut(err.Error(), "\n")
				err = fmt.Errorf("the results in %s are behind (%s): %s; to make them: %s", dir, why, reason, rerun(e))
			}
			return 0, nil, err
		}
		files = append(files, formats...)
	}
	folder, err := store.Open(dir)
	if err != nil {
		return 0, nil, err
	}
	defer folder.Close()
	return len(files) / len(experiment.Formats), missing, folder.Replace(ctx, files, func(name string) bool {
		base, format, _ := strings.Cut(name, ".")
		return slices.Contains(experiment.Formats, format) && !slices.Contains(names, base)
	})
}

// rerun returns the command line that runs the experiment.
func rerun(e *experiment.Experiment) string {
	if e.Folder != experiment.Folder {
		return commandLine([]string{"-exp", "FOLDER/manifest.toml", "-out", "ANOTHER"})
	}
	words := []string{"-exp", e.Name}
	for _, o := range e.Overrides {
		words = append(words, "-set", o)
	}
	return commandLine(words)
}
