package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"closedform/runner/internal/store"
)

// diffs compares the published tables in -out with those of the commit of -diff: of the
// experiments of the command line or, without any, of all.
func (p *program) diffs(ctx context.Context) ([]*store.Diff, error) {
	revision, err := store.OpenRevision(ctx, p.out, p.diff)
	if err != nil {
		return nil, fmt.Errorf("-diff %s: %w", p.diff, err)
	}
	folders, err := resultsFolders(p.out)
	if err != nil {
		return nil, err
	}
	folders = append(folders, revision.Folders()...)
	slices.Sort(folders)
	folders = slices.Compact(folders)
	names := folders
	if len(p.exp) > 0 {
		names = nil
		for _, path := range p.exp {
			name := strings.TrimSuffix(filepath.Base(path), ".toml")
			if !slices.Contains(folders, name) {
				return nil, fmt.Errorf("-diff %s: no results of %s, neither in %s nor at that commit", p.diff, name, p.out)
			}
			names = append(names, name)
		}
	}
	diffs := make([]*store.Diff, len(names))
	return diffs, parallel(len(names), func(i int) (err error) {
		diffs[i], err = store.DiffResults(ctx, revision, names[i])
		return err
	})
}

// resultsFolders returns the names of the folders in -out, without those of -set.
func resultsFolders(out string) (names []string, err error) {
	entries, err := os.ReadDir(out)
	for _, e := range entries {
		if e.IsDir() && !strings.Contains(e.Name(), "@") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// printDiffs prints for each experiment its largest changes, and then a line for each.
func (p *program) printDiffs(ctx context.Context) error {
	diffs, err := p.diffs(ctx)
	if err != nil {
		return err
	}
	for _, d := range diffs {
		if len(d.Changes) == 0 {
			continue
		}
		fmt.Fprintf(p.stdout, "%s\n", d.Name)
		table := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
		fmt.Fprintln(table, "  TABLE\tROW\tCOLUMN\tOLD\tNEW\tCHANGE")
		for _, c := range d.Largest() {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\n", c.Table, c.Row, c.Column, c.Old, c.New, c.By)
		}
		if err := table.Flush(); err != nil {
			return err
		}
		if more := d.More(); more > 0 {
			fmt.Fprintf(p.stdout, "  and %d more\n", more)
		}
		fmt.Fprintln(p.stdout)
	}
	for _, d := range diffs {
		fmt.Fprintf(p.stdout, "%s: %s\n", d.Name, d)
	}
	return nil
}
