package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
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
	tables, err := timeable(ctx, e, dir)
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
	folder, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Replace(files, store.Timed); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s: times measured in %s\n", e.Name, time.Since(begin).Round(10*time.Millisecond))
	_, err = p.drawAgain(e, store.Timed)
	return err
}

// timeable prepares an experiment and returns its tables published in dir, without packed ones. The error
// is fs.ErrNotExist if nothing is published.
func timeable(ctx context.Context, e *experiment.Experiment, dir string) (table.Set, error) {
	results, err := store.OpenResults(dir)
	if err != nil {
		return nil, fmt.Errorf("times are measured of published results; run it first: %w", err)
	}
	if why, err := e.Behind(dir); why != "" || err != nil {
		return nil, cmp.Or(err, fmt.Errorf("the results in %s are behind (%s); run it first", dir, why))
	}
	if err := e.Study.Prepare(ctx); err != nil {
		return nil, err
	}
	return results.Tables()
}
