package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"closedform/runner/internal/data"
	"closedform/runner/internal/manifest"
	study "closedform/runner/internal/oldstudy"
)

// run does what the command line asks for. Every manifest is read and checked
// before the first results folder is touched.
func run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	o, err := parse(stdout, args)
	if err != nil {
		return err
	}
	if o.list {
		return list(stdout, o.effort)
	}
	if len(o.fetch) > 0 {
		return data.Fetch(ctx, dataSets, o.fetch, o.mirror, stdout)
	}
	experiments, err := load(stdout, o)
	if err != nil {
		return err
	}
	if o.verify {
		return verify(ctx, stdout, stderr, o, experiments, args)
	}
	for _, e := range experiments {
		if err := e.run(ctx, stdout, stderr, o, args); err != nil {
			return err
		}
	}
	return nil
}

// load reads the manifests of the command line. Of all manifests, those whose data
// are not there are skipped, with a line that says so.
func load(stdout io.Writer, o *options) ([]*experiment, error) {
	names := o.exp
	if o.all {
		var err error
		if names, err = manifest.List(manifests); err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("no manifest in %s", manifests)
		}
	}
	var experiments []*experiment
	skipped := 0
	files := map[string]string{}
	for _, name := range names {
		path, err := manifest.Find(name, manifests)
		if err != nil {
			return nil, err
		}
		m, err := manifest.Load(path, study.Kinds, o.set)
		if err != nil {
			// What -set gets wrong has no place in a file.
			if len(names) > 1 && !strings.HasPrefix(err.Error(), path) {
				err = fmt.Errorf("%s: %w", path, err)
			}
			return nil, err
		}
		if other, twice := files[m.Name]; twice {
			return nil, fmt.Errorf("%s: name = %q: %s has the same, and both would write to one folder", path, m.Name, other)
		}
		files[m.Name] = path
		if !o.effort.has(m.Effort) {
			continue
		}
		if len(m.Missing) > 0 {
			if !o.all {
				return nil, missing(m)
			}
			fmt.Fprintf(stdout, "%v; skipped\n", missing(m))
			skipped++
			continue
		}
		e, err := newExperiment(m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		experiments = append(experiments, e)
	}
	if len(experiments) == 0 && skipped == 0 {
		return nil, fmt.Errorf("no manifest in %s has effort = %q", manifests, o.effort)
	}
	sourcedLast(experiments)
	return experiments, nil
}

// list prints a line for every manifest of the given effort in experiments/.
// Those that cannot be read are in the error.
func list(w io.Writer, effort effort) error {
	names, err := manifest.List(manifests)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSTUDY\tEFFORT\tCELLS\tMANIFEST")
	var failed error
	for _, name := range names {
		path := filepath.Join(manifests, name+".toml")
		m, err := manifest.Load(path, study.Kinds, nil)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if !effort.has(m.Effort) {
			continue
		}
		if len(m.Missing) > 0 {
			fmt.Fprintf(table, "%s\t%s\t%s\t-\t%s (needs data)\n", m.Name, m.Study, m.Effort, path)
			continue
		}
		e, err := newExperiment(m)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", path, err))
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", m.Name, m.Study, m.Effort, len(e.cells), path)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return failed
}

// executable returns the running program, for a checksum of all its code.
func executable() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
