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
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

var fused = closedform.Fused()

const unfused = "-gcflags=all=-d=fmahash=qn"

type batch struct {
	*invocation
	engine     engine.Engine
	sources    string     // folder of the results that they read
	preparing  sync.Mutex // takes the most memory: one at a time
	publishing sync.Mutex // prints: one at a time
}

func newBatch(in *invocation, c *choice) *batch {
	b := &batch{invocation: in, sources: cmp.Or(c.out, experiment.Results)}
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

// run runs experiments at the same time, first those that do not read the results of others, so that no
// processor is idle. Each is published as soon as its cells are done. After the first error no cell starts.
func (b *batch) run(ctx context.Context, experiments []*experiment.Experiment) (err error) {
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
	return err
}

type job struct {
	*batch
	*experiment.Experiment
	start  time.Time
	inputs string // identifies all that the results follow from
	work   engine.Work

	digest   string // of the manifest
	manifest []byte // with all values spelled out
}

// runOne computes the missing cells and, unless another process has just done so, publishes the results. It
// keeps an error in their folder. An error of another experiment may cancel the context compute.
func (b *batch) runOne(compute, publish context.Context, e *experiment.Experiment) (err error) {
	j := &job{batch: b, Experiment: e}
	if err := j.prepare(compute); err != nil {
		return err
	}
	defer j.work.Folder.Close()
	defer func() {
		if err != nil && !errors.Is(err, context.Canceled) {
			j.work.Folder.Failed(err)
		}
	}()
	if j.work.Folder.Published(j.inputs) {
		j.print("is up to date")
		return nil
	}
	if d, ok := j.Study.(study.WithData); ok {
		for _, line := range d.About() {
			fmt.Fprintln(j.engine.Progress.W, line)
		}
	}
	if err := j.engine.Compute(compute, &j.work); err != nil {
		return err
	}
	return j.publish(publish)
}

func (j *job) print(folder string, lines ...string) {
	j.publishing.Lock()
	defer j.publishing.Unlock()
	all := len(j.work.Cells)
	fmt.Fprintf(j.stdout, "%s: %d cells, %d computed, %d done before; %s %s\n", j.Name, all, j.work.Computed,
		all-j.work.Computed, j.Dir, folder)
	for _, line := range lines {
		fmt.Fprint(j.stdout, line)
	}
}

func (j *job) prepare(ctx context.Context) (err error) {
	j.preparing.Lock()
	defer j.preparing.Unlock()
	j.start = time.Now()
	j.digest, err = j.Digest()
	if err = cmp.Or(err, ctx.Err()); err == nil {
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
	cells := experiment.Checksum(fmt.Append(nil, j.work.Prints))
	j.inputs = experiment.Checksum([]byte(cells), j.manifest, experiment.Executable(), sums)
	j.work.Name = j.Name
	for _, dir := range []string{filepath.Join(experiment.Results, j.Name), j.Dir} { // the last is the best
		if last, err := store.ReadRun(dir); err == nil {
			j.work.Last = last
		}
	}
	j.work.Folder, err = store.Open(j.Dir, cells)
	return err
}
