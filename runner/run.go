package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/own"
)

func (p *program) runCommand(f *flag.FlagSet) action {
	p.workFlags(f)
	p.shortFlag(f)
	data := f.String("data", "", "CSV `file` with a header line, or .csv.gz: write a manifest beside it and run that manifest. It learns\n"+
		"three quarters of the rows, tests the others, and saves the network")
	test := f.String("test", "", "CSV `file` of test rows with the columns of -data (default: a quarter of the rows of -data)")
	format := tableFlags(f)
	return func(ctx context.Context, names []string) error {
		alone := len(p.exp)+len(names) == 0 && !p.all
		if p.given["data"] && !alone {
			return misuse("-data runs the manifest that it writes: give no other one")
		}
		for _, name := range []string{"test", "class", "categorical", "ignore", "missing", "separator", "decimal"} {
			if p.given[name] && !p.given["data"] {
				return misuse("-%s needs -data: it says how that table is read", name)
			}
		}
		if p.given["data"] {
			manifest, err := own.Manifest(p.stdout, *data, *test, *format)
			if err != nil {
				return err
			}
			names = []string{manifest}
		}
		experiments, err := p.load(names, true)
		if err == nil && p.given["data"] {
			err = own.Free(p.dir(experiments[0]), *data)
		}
		if err != nil {
			return err
		}
		return p.runAll(ctx, experiments)
	}
}

func (p *program) shortFlag(f *flag.FlagSet) {
	f.BoolVar(&p.short, "short", false, "run the short forms of the experiments, with the values of the key short")
}

// runAll runs experiments and writes the page of the results.
func (p *program) runAll(ctx context.Context, experiments []*experiment.Experiment) error {
	ran, err := p.together(ctx, experiments)
	if ran == 0 {
		return err
	}
	file := filepath.Join(p.out, page)
	if err := errors.Join(err, p.writePage(file)); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "open %s\n", file)
	if p.given["data"] {
		network := filepath.Join(p.dir(experiments[0]), "network.npz")
		fmt.Fprintf(p.stdout, "\nnew rows: go run ./runner predict %s -data FILE -wrong 0.05\n", quoted(network))
	}
	return nil
}

// inTurn calls do for one experiment after the other, up to the first error. data says whether their data are needed.
func (p *program) inTurn(ctx context.Context, names []string, data bool, do func(e *experiment.Experiment) error) error {
	experiments, err := p.load(names, data)
	if err != nil {
		return err
	}
	for _, e := range experiments {
		if err := do(e); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return p.writePage(filepath.Join(p.out, page))
}
