package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"closedform"
	"closedform/runner/internal/engine"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/own"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

// fused is whether the compiler fused multiply-adds, which unfused forbids it.
var fused = closedform.Fused()

const unfused = "-gcflags=all=-d=fmahash=qn"

// batch runs experiments together and publishes their results.
type batch struct {
	*invocation
	engine     engine.Engine
	dir        func(*experiment.Experiment) string // their results folders
	sources    string                              // folder of the results that they read
	published  func(*experiment.Experiment) error  // called after each is published
	advice     string                              // after an interruption
	preparing  sync.Mutex                          // takes the most memory: one at a time
	publishing sync.Mutex                          // prints: one at a time
}

// newBatch returns a batch whose results are in the folders of the choice.
func newBatch(in *invocation, c *choice) *batch {
	b := &batch{invocation: in, dir: c.dir, sources: cmp.Or(c.out, experiment.Results)}
	b.published = func(*experiment.Experiment) error { return nil }
	b.advice = "to go on: " + commandLine(in.words)
	b.engine.Pool = engine.NewPool(max(1, int(c.workers)))
	b.engine.Stderr, b.engine.Progress.W = in.stderr, in.stderr
	if c.quiet {
		b.engine.Progress.W = io.Discard
	}
	if fused {
		fmt.Fprintf(b.engine.Progress.W, "fused multiply-adds: results may differ in the last digits; "+
			"for identical bytes rebuild: GOFLAGS=%s %s\n", unfused, commandLine(in.words))
	}
	return b
}

// run runs experiments at the same time, so that no processor is idle while any of them has a cell to start:
// first those that do not read the results of others, then those that do. Each is published as soon as its
// cells are done. After the first error no cell starts.
func (b *batch) run(ctx context.Context, experiments []*experiment.Experiment) error {
	var err error
	for _, derived := range []bool{false, true} {
		group, inner := errgroup.WithContext(ctx)
		for _, e := range experiments {
			if _, is := e.Study.(study.Derived); is != derived || err != nil {
				continue
			}
			group.Go(func() error {
				if err := b.runOne(inner, ctx, e); err != nil {
					return fmt.Errorf("%s: %w", e.Name, err)
				}
				e.Study = nil // frees its data
				return nil
			})
		}
		err = cmp.Or(err, group.Wait())
	}
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("%w; %s", context.Canceled, b.advice)
	}
	return err
}

// job is the run of an experiment.
type job struct {
	*batch
	*experiment.Experiment
	start  time.Time
	dir    string
	inputs string // identifies all that the results follow from
	work   engine.Work

	digest   string // of the manifest
	manifest []byte // with all values spelled out
}

// runOne prepares the experiment, computes the missing cells and, unless another process has just
// done so, publishes the results. An error of another experiment may cancel the context of computing.
func (b *batch) runOne(compute, publish context.Context, e *experiment.Experiment) error {
	j := &job{batch: b, Experiment: e, dir: b.dir(e)}
	if err := j.prepare(compute); err != nil {
		return err
	}
	defer j.work.Folder.Close()
	upToDate := j.work.Folder.Published(j.inputs)
	if !upToDate {
		if err := j.compute(compute); err != nil {
			return j.failed(err)
		}
	}
	b.publishing.Lock()
	defer b.publishing.Unlock()
	if upToDate {
		fmt.Fprintf(b.stdout, "%s: %d cells, all done before; %s is up to date\n", j.Name, len(j.work.Cells), j.dir)
	} else if err := j.publish(publish); err != nil {
		return j.failed(err)
	}
	return b.published(e)
}

// failed keeps an error in the folder of the results.
func (j *job) failed(err error) error {
	if !errors.Is(err, context.Canceled) {
		j.work.Folder.Failed(err)
	}
	return err
}

// compute says what the data are and computes the missing cells.
func (j *job) compute(ctx context.Context) error {
	release, err := own.Replace(j.dir)
	if err != nil {
		return err
	}
	release() // until the results are published
	if d, ok := j.Study.(study.WithData); ok {
		for _, line := range d.About() {
			fmt.Fprintln(j.engine.Progress.W, line)
		}
	}
	return j.engine.Compute(ctx, &j.work)
}

// prepare prepares the experiment and opens its folder.
func (j *job) prepare(ctx context.Context) error {
	j.preparing.Lock()
	defer j.preparing.Unlock()
	j.start = time.Now()
	err := cmp.Or(ctx.Err(), j.Free(j.dir))
	if err == nil {
		j.digest, err = j.Digest()
	}
	if err == nil {
		err = j.Study.Prepare(ctx)
	}
	var sums []byte
	if d, ok := j.Study.(study.Derived); ok && err == nil {
		sums, err = experiment.Use(d, j.sources)
	}
	if err == nil {
		j.work.Cells, j.work.Prints, err = j.Cells()
	}
	if err == nil {
		j.manifest, err = j.Resolved()
	}
	if err != nil {
		return err
	}
	cells := fmt.Sprint(j.work.Prints)
	j.inputs = experiment.Checksum([]byte(cells), j.manifest, experiment.Executable(), sums)
	j.work.Name = j.Name
	published := []string{filepath.Join(experiment.Results, j.Name), filepath.Join(j.sources, j.Name)}
	for _, dir := range append(published, j.dir) { // the last one is the best
		if last, err := store.ReadRun(dir); err == nil {
			j.work.Last = last
		}
	}
	j.work.Folder, err = store.Open(j.dir, experiment.Checksum([]byte(cells)))
	return err
}
