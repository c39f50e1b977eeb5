package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"closedform/runner/internal/engine"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
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
		for _, e := range experiments {
			err := c.draw(ctx, in.stdout, e)
			if c.all && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotCommitted)) {
				fmt.Fprintln(in.stdout, err)
			} else {
				undrawn = errors.Join(undrawn, err)
			}
		}
		_, err = c.writePages(experiments)
		return errors.Join(undrawn, err)
	}
}

// draw draws the figures of an experiment from its published tables and removes those that it no longer has.
func (c *choice) draw(ctx context.Context, w io.Writer, e *experiment.Experiment) (failed error) {
	dir := c.dir(e)
	results, err := store.OpenResults(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: run it", err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
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
		var formats []store.File
		err := engine.Each(ctx, 1, func(context.Context, int) (err error) { // a panic is an error, too
			formats, err = experiment.Draw(figure, results.Table)
			return err
		})
		if files = append(files, formats...); err == nil {
			continue
		}
		why, _ := e.Behind(dir)
		switch {
		case errors.Is(err, store.ErrNotCommitted):
			failed = errors.Join(failed, fmt.Errorf("%s: %w; to make it: %s", e.Name, err, again))
		case why != "": // tables may lack what the manifest has
			return fmt.Errorf("%s: figure %s cannot be drawn: the results in %s are behind (%s); to make them: %s",
				e.Name, figure.Name, dir, why, again)
		default:
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	folder, err := store.Open(dir, "")
	if err != nil {
		return err
	}
	defer folder.Close()
	fmt.Fprintf(w, "%s: %d figures drawn\n", e.Name, len(files)/len(experiment.Formats))
	return errors.Join(failed, folder.Replace(ctx, files, func(name string) bool {
		base, format, _ := strings.Cut(name, ".")
		return slices.Contains(experiment.Formats, format) && !slices.Contains(names, base)
	}))
}
