package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"closedform/runner/internal/store"
)

// foreignTolerance is the largest relative difference of two numbers that
// -verify accepts if the results were made on another processor architecture,
// whose fused multiply-adds move last digits.
const foreignTolerance = 1e-6

// verifyAll runs the experiments into a temporary folder and compares the results
// with those in -out. It names every file that differs. What follows from other
// results follows from those in -out, too, which are compared themselves.
func (p *program) verifyAll(ctx context.Context, experiments []*experiment) error {
	for _, e := range experiments {
		if _, err := store.OpenResults(p.dir(e)); err != nil {
			return fmt.Errorf("%s: no results to compare with: %w", e.Name, err)
		}
	}
	temporary, err := os.MkdirTemp("", "closedform-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	o := *p.options
	o.out = temporary
	fresh := *p
	fresh.options, fresh.stdout = &o, io.Discard
	bad := 0
	for _, e := range experiments {
		err := fresh.run(ctx, e)
		if errors.Is(err, context.Canceled) { // the cells go with the temporary folder
			err = interrupted("interrupted, not compared")
		}
		n := 0
		if err == nil {
			n, err = p.compare(e.Name, p.dir(e), fresh.dir(e))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		bad += n
	}
	if bad > 0 {
		return fmt.Errorf("%d files differ from the results in %s", bad, p.out)
	}
	return nil
}

// compare returns how many files of two results folders differ, and tells of them.
func (p *program) compare(name, committed, fresh string) (bad int, err error) {
	here, err := store.ReadRun(fresh)
	if err != nil {
		return 0, err
	}
	tolerance := 0.0
	made, err := store.ReadRun(committed)
	if err == nil && made.Architecture() != here.Architecture() {
		tolerance = foreignTolerance
		fmt.Fprintf(p.stdout, "%s: made on %s, verified on %s: numbers are compared within a relative tolerance of %g, figures are not compared\n",
			name, made.Architecture(), here.Architecture(), tolerance)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	lines, bad, err := store.Compare(committed, fresh, tolerance)
	for _, line := range lines {
		fmt.Fprintf(p.stdout, "%s: %s\n", name, line)
	}
	if bad == 0 && err == nil {
		fmt.Fprintf(p.stdout, "%s: verified\n", name)
	}
	return bad, err
}
