package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
)

func (p *program) staleCommand(f *flag.FlagSet) action {
	p.resultsFlag(f)
	check := f.Bool("check", false, "write nothing; fail if OUT/STALE is wrong")
	return func(context.Context, []string) error { return p.writeStale(*check) }
}

// findStale returns the experiments that are behind, with the reasons: manifests in experiments/,
// and folders in -out without one.
func (p *program) findStale() (map[string]string, error) {
	paths, err := manifests()
	if err != nil {
		return nil, err
	}
	why := map[string]string{}
	folders, err := resultsFolders(p.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, name := range folders {
		why[name] = "no manifest in " + experiment.Folder
	}
	for _, d := range p.describe(paths) {
		if d.err != nil {
			return nil, d.err
		}
		if why[d.Name] = d.behind; d.behind == "" {
			delete(why, d.Name)
		}
	}
	return why, nil
}

// writeStale writes the list of the experiments that are behind to OUT/STALE or, with check,
// returns an error if the file differs from it.
func (p *program) writeStale(check bool) error {
	why, err := p.findStale()
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(why))
	for _, name := range names {
		fmt.Fprintf(p.stdout, "%s: behind: %s\n", name, why[name])
	}
	if !check {
		return store.WriteStale(p.out, names)
	}
	listed, err := store.ReadStale(p.out)
	if err == nil && !slices.Equal(listed, names) {
		err = fmt.Errorf("%s lists %q, and behind are %q; \"runner stale\" writes it again", filepath.Join(p.out, store.StaleFile), listed, names)
	}
	return err
}
