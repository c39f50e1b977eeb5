package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/pool"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
)

// page is the file of the page of the results that links to the files beside it.
const page = "index.html"

// picture is the figure at the top of the page.
const picture = "posterior/maps_25"

func (p *program) reportCommand(f *flag.FlagSet) action {
	p.resultsFlag(f)
	return func(_ context.Context, args []string) error {
		p.all = true
		return p.writePage(args[0])
	}
}

// writePage writes the page of all results in -out, with links to files or with embedded files. It has a
// section for every manifest in experiments/ (with another -out, only for those that have results there) and for
// every other folder.
func (p *program) writePage(file string) error {
	paths, _ := manifests() // none where there is no folder of manifests
	if p.out != "results" && !p.all {
		paths = slices.DeleteFunc(paths, func(path string) bool {
			_, err := os.Stat(filepath.Join(p.out, nameOf(path)))
			return err != nil
		})
	}
	made := report.Page{Results: p.out, Picture: picture}
	var err error
	if made.Stale, err = store.ReadStale(p.out); err != nil {
		return err
	}
	made.Embed = filepath.Clean(file) != filepath.Join(p.out, page)
	folders, err := os.ReadDir(p.out)
	if err != nil {
		return err
	}
	for _, f := range folders {
		if f.IsDir() && !slices.Contains(paths, filepath.Join(experiment.Folder, f.Name()+".toml")) {
			paths = append(paths, filepath.Join(p.out, f.Name(), "manifest.toml"))
		}
	}
	made.Experiments, _ = p.describe(paths)
	return made.Write(file)
}

// nameOf returns the name of the experiment whose manifest is at path, by the names of the file or, in results, the folder.
func nameOf(path string) string {
	if filepath.Dir(path) != experiment.Folder {
		return filepath.Base(filepath.Dir(path))
	}
	return strings.TrimSuffix(filepath.Base(path), ".toml")
}

// describe returns the descriptions of experiments for the page, by the paths of their manifests, and those experiments whose
// manifests can be read.
func (p *program) describe(paths []string) ([]report.Experiment, []*experiment.Experiment) {
	all, read := make([]report.Experiment, len(paths)), make([]*experiment.Experiment, len(paths))
	pool.Each(context.Background(), len(paths), func(_ context.Context, i int) error {
		all[i], read[i] = p.describeOne(paths[i])
		return nil
	})
	return all, read
}

func (p *program) describeOne(path string) (r report.Experiment, e *experiment.Experiment) {
	r.Name = nameOf(path)
	r.Command = "go run ./runner -exp " + r.Name
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
	if _, err := store.OpenResults(dir); err != nil { // not published
		cells, _ := filepath.Glob(filepath.Join(dir, "cells", "*.cell"))
		r.Done = len(cells)
	}
	return r, e
}
