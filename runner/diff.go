package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"closedform/runner/internal/store"
)

// diffs compares the published tables in -out with those of a commit, for the named experiments or, without names, all.
func (p *program) diffs(ctx context.Context, commit string, of []string) ([]*store.Diff, error) {
	folders, err := resultsFolders(p.out)
	if err != nil {
		return nil, err
	}
	diffs, err := store.DiffResults(ctx, p.out, commit, folders)
	if err != nil || len(of) == 0 {
		return diffs, err
	}
	var some []*store.Diff
	for _, path := range of {
		name := strings.TrimSuffix(filepath.Base(path), ".toml")
		i := slices.IndexFunc(diffs, func(d *store.Diff) bool { return d.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no results of %s, neither in %s nor at %s", name, p.out, commit)
		}
		some = append(some, diffs[i])
	}
	return some, nil
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

func (p *program) diffCommand(f *flag.FlagSet) action {
	p.resultsFlag(f)
	return p.printDiffs
}

// printDiffs prints for each experiment its largest changes, and then a line for each.
func (p *program) printDiffs(ctx context.Context, args []string) error {
	diffs, err := p.diffs(ctx, args[0], args[1:])
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
