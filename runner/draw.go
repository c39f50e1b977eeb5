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
		var undrawn error
		folders := map[string]bool{}
		for _, e := range experiments {
			if err := c.check(e); err != nil {
				return err
			}
			drawn, missing, err := c.draw(ctx, in.stdout, e)
			if undrawn = errors.Join(undrawn, missing); err != nil {
				return errors.Join(undrawn, fmt.Errorf("%s: %w", e.Name, err))
			}
			if drawn {
				folders[filepath.Dir(c.dir(e))] = true
			}
		}
		if c.all && undrawn != nil {
			fmt.Fprintln(in.stdout, undrawn)
			undrawn = nil
		}
		for out := range folders {
			undrawn = errors.Join(undrawn, writePage(out, filepath.Join(out, page)))
		}
		return undrawn
	}
}

// draw draws the figures of an experiment from its published tables and removes those that it no longer has.
// It returns whether there are results, and why figures could not be drawn.
func (c *choice) draw(ctx context.Context, w io.Writer, e *experiment.Experiment) (drawn bool, missing, err error) {
	dir := c.dir(e)
	results, err := store.OpenResults(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("%s: %w: run it", e.Name, err), nil
	}
	if err != nil {
		return false, nil, err
	}
	words := []string{"-exp", e.File}
	for _, s := range c.set {
		words = append(words, "-set", s)
	}
	again := commandLine(words)
	var files []store.File
	var names []string
	for _, figure := range e.Study.Figures() {
		names = append(names, figure.Name)
		formats, err := experiment.Draw([]study.Figure{figure}, results.Table)
		why := ""
		if err != nil {
			why, _ = e.Behind(dir)
		}
		switch {
		case errors.Is(err, store.ErrNotCommitted):
			missing = errors.Join(missing, fmt.Errorf("%s: %w; to make it: %s", e.Name, err, again))
		case err != nil && why != "": // tables may lack what the manifest has
			return false, missing, fmt.Errorf("figure %s cannot be drawn: the results in %s are behind (%s); "+
				"to make them: %s", figure.Name, dir, why, again)
		case err != nil:
			return false, missing, err
		}
		files = append(files, formats...)
	}
	folder, err := store.Open(dir)
	if err != nil {
		return false, missing, err
	}
	defer folder.Close()
	fmt.Fprintf(w, "%s: %d figures drawn\n", e.Name, len(files)/len(experiment.Formats))
	return true, missing, folder.Replace(ctx, files, func(name string) bool {
		base, format, _ := strings.Cut(name, ".")
		return slices.Contains(experiment.Formats, format) && !slices.Contains(names, base)
	})
}
