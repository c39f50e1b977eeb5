package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"closedform/runner/internal/config"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
)

// page is the file of the results' page that links to the files beside it.
const page = "index.html"

// picture is the figure that the page begins with.
const picture = "posterior/distance"

// writePage makes the page of all results in -out: with links, or with everything in
// the file. It has a section for every manifest in experiments/, unless others are
// run into a folder of their own, and for every other folder.
func (p *program) writePage(ctx context.Context, file string) error {
	names, err := config.List(manifests)
	if err != nil {
		return err
	}
	if p.out != "results" && p.report == "" && !p.all {
		names = slices.DeleteFunc(names, func(name string) bool {
			_, err := os.Stat(filepath.Join(p.out, name))
			return err != nil
		})
	}
	made := report.Page{Results: p.out, Picture: picture, Since: p.diff}
	if made.Stale, err = store.ReadStale(p.out); err != nil {
		return err
	}
	if p.diff != "" {
		if made.Diffs, err = p.diffs(ctx); err != nil {
			return err
		}
	}
	made.Embed = filepath.Clean(file) != filepath.Join(p.out, page)
	folders, err := os.ReadDir(p.out)
	if err != nil {
		return err
	}
	for _, name := range names {
		made.Experiments = append(made.Experiments, p.describe(ctx, name, filepath.Join(manifests, name+".toml")))
	}
	for _, f := range folders {
		if f.IsDir() && !slices.Contains(names, f.Name()) {
			made.Experiments = append(made.Experiments, p.describe(ctx, f.Name(), filepath.Join(p.out, f.Name(), "manifest.toml")))
		}
	}
	return made.Write(file)
}

// describe returns what the page is told of an experiment.
func (p *program) describe(ctx context.Context, name, path string) report.Experiment {
	r := report.Experiment{Name: name, Command: "go run ./runner -exp " + name}
	if r.Own = filepath.Dir(path) != manifests; r.Own {
		r.Command = "go run ./runner -exp " + path + " -out FOLDER"
	}
	text, err := os.ReadFile(path)
	r.Manifest = string(text)
	if err == nil {
		var e *experiment
		if e, err = newExperiment(path, nil); err == nil {
			r.Asks, r.Group, r.Missing, r.Cells = e.kind.Asks, e.Group, e.missing(), len(e.study.Cells())
			dir := filepath.Join(p.out, name)
			r.Behind, err = p.behind(e, dir)
			r.Done = p.kept(ctx, e, dir)
		}
	}
	r.Err = err
	return r
}

// kept returns how many cells are done of an experiment that is not published.
func (p *program) kept(ctx context.Context, e *experiment, dir string) int {
	_, published := store.OpenResults(dir)
	if files, _ := os.ReadDir(filepath.Join(dir, "cells")); published == nil || len(files) == 0 {
		return 0
	}
	if e.missing() != nil || e.study.Prepare(ctx) != nil {
		return 0
	}
	cells := e.study.Cells()
	versions, _, err := codeVersions(e.study, cells)
	if err != nil {
		return 0
	}
	of, err := origins(versions, cells)
	if err != nil {
		return 0
	}
	keys := make([]string, len(cells))
	for i, c := range cells {
		keys[i] = c.Key
	}
	stock := store.NewStock(dir, keys, fingerprints(of))
	stock.Look()
	return stock.Count
}
