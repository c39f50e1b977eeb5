package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/study"
)

// together runs experiments: first those that do not read the results of
// others, then those that do. It returns how many it has run.
func (p *program) together(ctx context.Context, experiments []*experiment.Experiment) (ran int, err error) {
	for _, derived := range []bool{false, true} {
		n, err := p.atOnce(ctx, slices.DeleteFunc(slices.Clone(experiments), func(e *experiment.Experiment) bool {
			_, is := e.Study.(study.Derived)
			return is != derived
		}))
		if ran += n; err != nil {
			return ran, err
		}
	}
	return ran, nil
}

// atOnce runs experiments at the same time, so that no processor is idle while any of them
// has a cell to start, and publishes each as soon as its cells are done. After the first error
// it starts no cell.
func (p *program) atOnce(ctx context.Context, experiments []*experiment.Experiment) (ran int, err error) {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, len(experiments))
	var group errgroup.Group
	for i, e := range experiments {
		group.Go(func() error {
			errs[i] = (&job{program: p, Experiment: e, dir: p.dir(e)}).run(inner, ctx)
			if errs[i] == nil {
				e.Study = nil // its data
			} else {
				stop()
			}
			return nil
		})
	}
	group.Wait()
	var failed []error
	cancelled := false
	for i, err := range errs {
		switch {
		case err == nil:
			ran++
		case errors.Is(err, context.Canceled):
			cancelled = true
		default:
			failed = append(failed, fmt.Errorf("%s: %w", experiments[i].Name, err))
		}
	}
	switch {
	case cancelled && p.verifying: // the cells go with the temporary folder
		failed = append(failed, interrupted("interrupted, not compared"))
	case cancelled && (ctx.Err() != nil || len(failed) == 0):
		failed = append(failed, interrupted("interrupted; to go on: "+commandLine(p.args)))
	}
	return ran, errors.Join(failed...)
}

// interrupted is the error of a run that a signal has ended.
type interrupted string

func (e interrupted) Error() string { return string(e) }
func (interrupted) Unwrap() error   { return context.Canceled }
