package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"

	"closedform/runner/internal/config"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
)

// page is the file of the page of the results that links to the files beside it.
const page = "index.html"

// picture is the figure at the top of the page.
const picture = "posterior/maps_25"

func (p *program) reportCommand(f *flag.FlagSet) action {
	p.resultsFlag(f)
	since := f.String("diff", "", "show the changes of the tables since this `commit`")
	return func(ctx context.Context, args []string) error {
		p.all = true
		return p.writePage(ctx, args[0], *since)
	}
}

// writePage writes the page of all results in -out, with links to files or with embedded files. It has a
// section for every manifest in experiments/ (with another -out, only for those that have results there) and for
// every other folder. With since, it has the changes since that commit.
func (p *program) writePage(ctx context.Context, file, since string) error {
	names, err := config.List(experiment.Folder)
	if err != nil {
		return err
	}
	if p.out != "results" && !p.all {
		names = slices.DeleteFunc(names, func(name string) bool {
			_, err := os.Stat(filepath.Join(p.out, name))
			return err != nil
		})
	}
	made := report.Page{Results: p.out, Picture: picture, Since: since}
	if made.Stale, err = store.ReadStale(p.out); err != nil {
		return err
	}
	if since != "" {
		if made.Diffs, err = p.diffs(ctx, since, nil); err != nil {
			return err
		}
	}
	made.Embed = filepath.Clean(file) != filepath.Join(p.out, page)
	folders, err := os.ReadDir(p.out)
	if err != nil {
		return err
	}
	add := func(name, path string) {
		e, _ := p.describe(name, path)
		made.Experiments = append(made.Experiments, e)
	}
	for _, name := range names {
		add(name, filepath.Join(experiment.Folder, name+".toml"))
	}
	for _, f := range folders {
		if f.IsDir() && !slices.Contains(names, f.Name()) {
			add(f.Name(), filepath.Join(p.out, f.Name(), "manifest.toml"))
		}
	}
	return made.Write(file)
}

// describe returns the description of an experiment for the page, and the experiment if its manifest can be read.
func (p *program) describe(name, path string) (r report.Experiment, e *experiment.Experiment) {
	r = report.Experiment{Name: name, Command: "go run ./runner -exp " + name}
	if r.Own = filepath.Dir(path) != experiment.Folder; r.Own {
		r.Command = "go run ./runner -exp " + path + " -out FOLDER"
	}
	text, err := os.ReadFile(path)
	r.Manifest = string(text)
	if err == nil {
		e, err = experiment.Read(path, nil)
	}
	if err != nil {
		r.Err = err
		return r, nil
	}
	if !r.Own {
		r.Name = e.Name
	}
	dir := filepath.Join(p.out, r.Name)
	r.Asks, r.Group, r.Missing, r.Cells = e.Kind.Asks, e.Group, e.Missing(), len(e.Study.Cells())
	r.Behind, r.Err = e.Behind(dir)
	r.Done = kept(dir)
	return r, e
}

// kept returns the number of finished cells in a results folder that is not published.
func kept(dir string) int {
	if _, err := store.OpenResults(dir); err == nil {
		return 0
	}
	cells, _ := filepath.Glob(filepath.Join(dir, "cells", "*.cell"))
	return len(cells)
}
