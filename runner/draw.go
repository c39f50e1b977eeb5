package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
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
			missing, err := c.draw(ctx, in.stdout, e)
			if undrawn = append(undrawn, missing...); err != nil {
				return errors.Join(append(undrawn, fmt.Errorf("%s: %w", e.Name, err))...)
			}
		}
		err = errors.Join(undrawn...)
		if c.all && err != nil {
			fmt.Fprintln(in.stdout, err)
			err = nil
		}
		return errors.Join(err, writePage(*c.out, filepath.Join(*c.out, page)))
	}
}

// draw draws the figures of an experiment from its published tables and removes those that it no longer has.
// It returns why figures could not be drawn.
func (c *choice) draw(ctx context.Context, w io.Writer, e *experiment.Experiment) ([]error, error) {
	dir := c.dir(e)
	results, err := store.OpenResults(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []error{fmt.Errorf("%s: no results in %s: run it", e.Name, dir)}, nil
	}
	if err != nil {
		return nil, err
	}
	words := []string{"-exp", e.File}
	for _, s := range c.set {
		words = append(words, "-set", s)
	}
	again := commandLine(words)
	var missing []error
	var files []store.File
	var names []string
	for _, figure := range e.Study.Figures() {
		names = append(names, figure.Name)
		formats, err := experiment.Draw([]study.Figure{figure}, results.Table)
		if errors.Is(err, store.ErrNotCommitted) {
			missing = append(missing, fmt.Errorf("%s: %w; to make it: %s", e.Name, err, again))
			continue
		}
		if err != nil {
			if why, _ := e.Behind(dir); why != "" { // drawing may panic if tables lack what the manifest has
				reason, _, _ := strings.Cut(err.Error(), "\n")
				err = fmt.Errorf("the results in %s are behind (%s): %s; to make them: %s", dir, why, reason, again)
			}
			return missing, err
		}
		files = append(files, formats...)
	}
	folder, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	fmt.Fprintf(w, "%s: %d figures drawn\n", e.Name, len(files)/len(experiment.Formats))
	return missing, folder.Replace(ctx, files, func(name string) bool {
		base, format, _ := strings.Cut(name, ".")
		return slices.Contains(experiment.Formats, format) && !slices.Contains(names, base)
	})
}
