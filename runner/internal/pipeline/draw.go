package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Draw draws the figures of experiments, and writes README.md and the pages, again from the published tables.
// With All, it prints which experiments lack tables; otherwise missing tables are an error.
func (r *Request) Draw(ctx context.Context) (failed error) {
	experiments, err := r.Find(false)
	if err != nil {
		return err
	}
	for _, e := range experiments {
		err := e.draw(ctx, r.Stdout)
		if r.All && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotCommitted)) {
			fmt.Fprintln(r.Stdout, err)
		} else {
			failed = errors.Join(failed, err)
		}
	}
	return r.writePages(experiments, failed)
}

// draw replaces the figures that can be drawn, and README.md if all can be. An error says how to make the
// tables.
func (e *Experiment) draw(ctx context.Context, w io.Writer) error {
	published, err := store.OpenResults(e.Dir)
	if err != nil {
		return e.remake(err)
	}
	files, undrawn := drawAll(e.Study.Figures(), published.Table)
	fmt.Fprintf(w, "%s: %d figures drawn\n", e.Name, len(files)/2) // each figure is a PNG and a PDF file
	var readme []byte
	if undrawn == nil {
		readme, undrawn = e.rewritten()
	}
	folder, err := store.Open(e.Dir, "")
	if err != nil {
		return err
	}
	defer folder.Close()
	err = folder.Replace(ctx, files, readme)
	if undrawn != nil {
		err = errors.Join(e.remake(undrawn), err)
	}
	return err
}

// remake adds to an error of published results the command that makes them again.
func (e *Experiment) remake(err error) error {
	why, _ := e.outdated()
	if why != "" && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrNotCommitted) {
		err = fmt.Errorf("the results in %s are behind (%s)", e.Dir, why) // tables of older code may lack columns
	}
	words := []string{"-exp", e.File}
	for _, s := range e.Overrides {
		words = append(words, "-set", s)
	}
	if e.out != "" {
		words = append(words, "-out", e.out)
	}
	return fmt.Errorf("%s: %w; to make them: %s", e.Name, err, CommandLine(words))
}

// drawAll returns the files of the figures that can be drawn, and the errors of the others.
func drawAll(all []study.Figure, read func(string) (*table.Table, error)) (files []store.File, failed error) {
	for _, figure := range all {
		drawn, err := draw(figure, read)
		if files = append(files, drawn...); err != nil {
			failed = errors.Join(failed, fmt.Errorf("figure %s: %w", figure.Name, err))
		}
	}
	return files, failed
}

// caught makes a panic an error: a published table that other code or another manifest made may lack columns, at
// which reading panics.
func caught(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v", r)
	}
}

// draw draws a figure of the published tables that it needs.
func draw(figure study.Figure, read func(string) (*table.Table, error)) (files []store.File, err error) {
	defer caught(&err)
	var needs table.Tables
	for _, name := range figure.Needs {
		t, err := read(name)
		if err != nil {
			return nil, fmt.Errorf("needs %w", err)
		}
		needs = append(needs, t)
	}
	page := figure.Draw(needs)
	png, err1 := page.Encode("png")
	pdf, err2 := page.Encode("pdf")
	return []store.File{{Name: figure.Name + ".png", Data: png}, {Name: figure.Name + ".pdf", Data: pdf}},
		errors.Join(err1, err2)
}
