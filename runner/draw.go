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
			words := []string{"-exp", e.File}
			for _, s := range e.Overrides {
				words = append(words, "-set", s)
			}
			err := draw(ctx, in.stdout, e, commandLine(words))
			if c.all && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotCommitted)) {
				fmt.Fprintln(in.stdout, err)
			} else {
				undrawn = errors.Join(undrawn, err)
			}
		}
		_, err = writePages(experiments)
		return errors.Join(undrawn, err)
	}
}

// draw draws the figures from the published tables and removes old ones. The command again makes the tables.
func draw(ctx context.Context, w io.Writer, e *experiment.Experiment, again string) (failed error) {
	results, err := store.OpenResults(e.Dir)
	if err != nil {
		return fmt.Errorf("%s: %w; to make them: %s", e.Name, err, again)
	}
	var files []store.File
	var names []string
	for _, figure := range e.Study.Figures() {
		names = append(names, figure.Name)
		err := engine.Each(ctx, 1, func(context.Context, int) error { // a panic is an error, too
			formats, err := experiment.Draw(figure, results.Table)
			files = append(files, formats...)
			return err
		})
		if err == nil {
			continue
		}
		if why, _ := e.Behind(e.Dir); why != "" { // tables may lack columns
			err = fmt.Errorf("%w; the results in %s are behind: %s", err, e.Dir, why)
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w; to make it: %s", e.Name, err, again))
	}
	folder, err := store.Open(e.Dir, "")
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
