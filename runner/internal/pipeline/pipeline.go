// Package pipeline takes experiments from their manifests to their published results:
//
//	find.go   reads the manifests, and finds the folders of their results
//	job.go    reads the data, lists the cells, identifies all that the results follow from, computes the
//	          missing cells, makes tables of the cells, and publishes all files
//	draw.go   draws figures of the tables, and writes README.md and the pages about all results
//	check.go  compares published results with what these steps make
package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"closedform"
	"closedform/runner/internal/engine"
	"closedform/runner/internal/study"
)

// Request is a command line: the experiments, the values that replace those of their manifests, and how to
// run.
type Request struct {
	Words     []string // words of the command line
	Names     []string // manifests: paths, or names in [Folder]
	All       bool     // all manifests in Folder, in place of names
	Overrides []string // values that replace those of the manifests, as key=value
	Short     bool     // run the short forms of the manifests
	Again     bool     // run also confirmations that are published
	Out       string   // folder of the results folders; empty: the default for each manifest
	Workers   uint     // number of cells that are computed at a time
	Quiet     bool     // no progress on Stderr

	Stdout, Stderr io.Writer
}

type batch struct {
	*Request
	progress io.Writer
	engine   *engine.Engine
	mu       sync.Mutex // held while an experiment reads its data, which takes the most memory, or prints
}

var fused = closedform.Fused()

// Run runs experiments, and writes the pages about all results. It returns the results folders.
func (r *Request) Run(ctx context.Context) (dirs []string, err error) {
	experiments, err := r.Find(true)
	if err != nil {
		return nil, err
	}
	for _, e := range experiments {
		dirs = append(dirs, e.Dir)
	}
	failed := r.run(ctx, experiments)
	return dirs, r.writePages(experiments, failed)
}

// run runs experiments at the same time, first those that do not read the results of others. Each is
// published as soon as its cells are done. After the first error no cell starts.
func (r *Request) run(ctx context.Context, experiments []*Experiment) error {
	progress := r.Stderr
	if r.Quiet {
		progress = io.Discard
	}
	if fused {
		fmt.Fprintf(progress, "fused multiply-adds: results may differ in the last digits; for identical bytes "+
			"rebuild: GOFLAGS=-gcflags=all=-d=fmahash=qn %s%s\n", GoRun, quoted(r.Words))
	}
	cells := engine.New(max(1, int(r.Workers)), r.Stderr, progress)
	b := &batch{Request: r, progress: progress, engine: cells}
	for _, last := range []bool{false, true} {
		group, computing := errgroup.WithContext(ctx)
		for _, e := range experiments {
			if _, derived := e.Study.(study.Derived); derived != last {
				continue
			}
			group.Go(func() error {
				if err := b.runOne(ctx, computing, e); err != nil {
					return fmt.Errorf("%s: %w", e.Name, err)
				}
				e.Study = nil // frees the experiment's data
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// runOne takes one experiment through all steps, unless its results are published already. An error is kept
// in the results folder. After an error of another experiment, computing is cancelled, and an experiment
// whose cells are all done is still published.
func (b *batch) runOne(ctx, computing context.Context, e *Experiment) (err error) {
	j, err := b.prepare(ctx, e)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil && !errors.Is(err, context.Canceled) {
			j.work.Folder.Failed(err)
		}
		j.work.Folder.Close()
	}()
	if j.work.Folder.Published(j.inputs) {
		j.print("is up to date\n")
		return nil
	}
	if err := j.compute(computing); err != nil {
		return err
	}
	figures, err := drawAll(j.Study.Figures(), j.tables.Read)
	if err != nil {
		return err
	}
	j.files = append(j.files, figures...)
	return j.publish(ctx, cmp.Or(j.verified, j.work.Folder.Maker(j.files, j.run)))
}

func (j *job) print(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	cells, computed := len(j.work.Cells), int(j.work.Computed.Load())
	fmt.Fprintf(j.Stdout, "%s: %d cells, %d computed, %d done before; %s %s",
		j.Name, cells, computed, cells-computed, j.Dir, text)
}
