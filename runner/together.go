package main

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"closedform/runner/internal/engine"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/study"
)

// together runs experiments: first those that do not read the results of
// others, then those that do. It returns how many it has run.
func (p *program) together(ctx context.Context, experiments []*experiment.Experiment) (ran int, err error) {
	var first, last []*experiment.Experiment
	for _, e := range experiments {
		if _, derived := e.Study.(study.Derived); derived {
			last = append(last, e)
		} else {
			first = append(first, e)
		}
	}
	ran, err = p.atOnce(ctx, first)
	if err != nil {
		return ran, err
	}
	more, err := p.atOnce(ctx, last)
	return ran + more, err
}

// atOnce runs experiments at the same time, so that no processor is idle while any of them
// has a cell to start, and publishes each as soon as its cells are done. After the first error
// it starts no cell, unless it merges a job array.
func (p *program) atOnce(ctx context.Context, experiments []*experiment.Experiment) (ran int, err error) {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	jobs, errs := make([]*job, len(experiments)), make([]error, len(experiments))
	var group errgroup.Group
	here, local := p.engine.(*engine.Here)
	merging := local && here.Merge != ""
	if !local || merging {
		group.SetLimit(1) // a cluster has the experiments in their order
	}
	for i, e := range experiments {
		jobs[i] = &job{program: p, Experiment: e, dir: p.dir(e)}
		group.Go(func() error {
			errs[i] = jobs[i].run(inner, ctx)
			if errs[i] == nil {
				e.Study, jobs[i] = nil, nil // its data
			} else if !merging {
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
	if cancelled && (ctx.Err() != nil || len(failed) == 0) {
		failed = append(failed, p.interrupted(jobs))
	}
	return ran, errors.Join(failed...)
}

// interrupted is the error of a run that a signal has ended.
type interrupted string

func (e interrupted) Error() string { return string(e) }
func (interrupted) Unwrap() error   { return context.Canceled }

// interrupted returns the error that says how many cells are done of the experiments that are not
// published; published ones are nil.
func (p *program) interrupted(jobs []*job) error {
	done, all, name, of := 0, 0, "", 0
	for _, j := range jobs {
		if j == nil {
			continue
		}
		for _, c := range j.work.Done {
			if c != nil {
				done++
			}
		}
		all += j.work.Mine
		name = j.Name
		of++
	}
	if of > 1 {
		name = fmt.Sprintf("%d experiments", of)
	}
	if p.verifying { // the cells go with the temporary folder
		return interrupted(name + ": interrupted, not compared")
	}
	return interrupted(fmt.Sprintf("%s: interrupted with %d of %d cells done; to go on: %s", name, done, all, p.command()))
}
