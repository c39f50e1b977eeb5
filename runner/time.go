package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/pool"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

func (p *program) timeCommand(f *flag.FlagSet) action {
	p.choiceFlags(f)
	return func(ctx context.Context, names []string) error {
		return p.inTurn(ctx, names, true, func(e *experiment.Experiment) error { return p.timeMethods(ctx, e) })
	}
}

// timeMethods measures the times of a published experiment, while this program does nothing
// else, and writes their tables and figures into its results folder.
func (p *program) timeMethods(ctx context.Context, e *experiment.Experiment) error {
	timed, ok := e.Study.(study.Timed)
	if !ok {
		if !p.all {
			fmt.Fprintf(p.stdout, "%s: the study %s measures no times\n", e.Name, e.Kind.Name)
		}
		return nil
	}
	begin, dir := time.Now(), p.dir(e)
	tables, err := p.timeable(ctx, e)
	if errors.Is(err, fs.ErrNotExist) && p.all {
		fmt.Fprintf(p.stdout, "%s: %v\n", e.Name, err)
		return nil
	}
	if err != nil {
		return err
	}
	var times table.Set
	_, err = pool.Measure(ctx, func(ctx context.Context) (err error) {
		times, err = timed.Measure(ctx, tables)
		return err
	})
	if errors.Is(err, context.Canceled) {
		return interrupted("interrupted; the times in " + dir + " are as they were")
	}
	if err != nil {
		return err
	}
	var files []store.File
	for _, t := range times {
		files = append(files, store.TableFile(t))
	}
	all := slices.Concat(times, tables)
	drawings := slices.DeleteFunc(e.Study.Figures(), func(f study.Figure) bool { return !store.Timed(f.Name) })
	drawn, err := experiment.Draw(drawings, func(name string) (*table.Table, error) {
		if t := all.Get(name); t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("a table %s, which is not there", name)
	})
	if err != nil {
		return err
	}
	folder, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	files = append(files, drawn...)
	if err := folder.Replace(files, store.Timed); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s: times measured; %d files in %s, in %s\n",
		e.Name, len(files), dir, time.Since(begin).Round(10*time.Millisecond))
	return nil
}

// timeable prepares an experiment and returns its published tables, without packed ones. The error
// is fs.ErrNotExist if nothing is published.
func (p *program) timeable(ctx context.Context, e *experiment.Experiment) (table.Set, error) {
	dir := p.dir(e)
	results, err := store.OpenResults(dir)
	if err != nil {
		return nil, fmt.Errorf("times are measured of published results; run it first: %w", err)
	}
	if err := e.Study.Prepare(ctx); err != nil {
		return nil, err
	}
	resolved, err := e.Resolved(e.Study)
	if err != nil {
		return nil, err
	}
	was, err := os.ReadFile(filepath.Join(dir, "manifest.toml"))
	if err != nil || !bytes.Equal(was, resolved) {
		return nil, errors.Join(fmt.Errorf("the results in %s are of another manifest; run it first", dir), err)
	}
	return results.Tables()
}

// timesThere returns the measured times in the results folder, for their figures. The
// note says that there are none, or that they are of another version of the experiment; such
// times are kept.
func (j *job) timesThere(tables table.Set) (times table.Set, note string) {
	times, err := store.MeasuredTimes(j.dir)
	measure := "; to measure: " + invocation(j.Experiment, "time ")
	switch {
	case err != nil:
		return nil, err.Error() + measure
	case len(times) == 0:
		return nil, "no times of methods yet" + measure
	}
	for _, t := range times {
		for _, of := range tables {
			if of.Packed {
				continue
			}
			if column := differs(t, of); column != "" {
				return nil, fmt.Sprintf("%s has other values of %s than %s, and stays as it is%s",
					store.TableName(t), column, store.TableName(of), measure)
			}
			if of.Has("method") {
				break // the first has all of them
			}
		}
	}
	return times, ""
}

// differs returns a column, of those that say what was measured, that has other values in two
// tables which both have it.
func differs(a, b *table.Table) (column string) {
	for _, column := range []string{"set", "method", "classes", "axis"} {
		if a.Has(column) && b.Has(column) {
			x, y := a.Distinct(column), b.Distinct(column)
			slices.Sort(x)
			slices.Sort(y)
			if !slices.Equal(x, y) {
				return column
			}
		}
	}
	return ""
}
