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
	"strings"

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
	names, err := p.manifests()
	if err != nil {
		return nil, err
	}
	experiments, reasons := make([]*experiment.Experiment, len(names)), make([]string, len(names))
	err = experiment.Parallel(len(names), func(i int) (err error) {
		if experiments[i], err = experiment.Read(filepath.Join(experiment.Folder, names[i]+".toml"), nil); err == nil {
			reasons[i], err = experiments[i].Behind(filepath.Join(p.out, experiments[i].Name))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	folders, err := resultsFolders(p.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	why := map[string]string{}
	for _, name := range folders {
		why[name] = "no manifest in " + experiment.Folder
	}
	for i, e := range experiments {
		if why[e.Name] = reasons[i]; reasons[i] == "" {
			delete(why, e.Name)
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
	listed, err := store.ReadStale(p.out)
	if err != nil {
		return err
	}
	var names, wrong []string
	for _, name := range slices.Sorted(maps.Keys(why)) {
		names = append(names, name)
		fmt.Fprintf(p.stdout, "%s: behind: %s\n", name, why[name])
		if !slices.Contains(listed, name) {
			wrong = append(wrong, name+" is behind and not listed")
		}
	}
	for _, name := range listed {
		if why[name] == "" {
			wrong = append(wrong, name+" is listed and not behind")
		}
	}
	switch {
	case !check:
		return store.WriteStale(p.out, names)
	case len(wrong) > 0:
		return fmt.Errorf("%s: %s; \"runner stale\" writes it again", filepath.Join(p.out, store.StaleFile), strings.Join(wrong, "; "))
	}
	return nil
}
