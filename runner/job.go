package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"closedform/runner/internal/engine"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/own"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

// job is a run of an experiment.
type job struct {
	*program
	*experiment.Experiment
	start    time.Time
	dir      string
	work     engine.Work
	manifest []byte // with all values spelled out
}

// run prepares the experiment, computes the missing cells and, unless another process has just
// done so, publishes the results. An error of another experiment may cancel the context of computing.
func (j *job) run(compute, publish context.Context) error {
	inputs, upToDate, err := j.begin(compute)
	if j.work.Folder != nil {
		defer j.work.Folder.Close()
	}
	if err == nil && !upToDate {
		err = j.engine.Compute(compute, &j.work)
	}
	if err != nil {
		return err
	}
	j.publishing.Lock()
	defer j.publishing.Unlock()
	if upToDate {
		fmt.Fprintf(j.stdout, "%s: %d cells, all done before; %s is up to date\n", j.Name, len(j.work.Cells), j.dir)
	} else if err := j.publish(publish, inputs); err != nil {
		return err
	}
	if j.published != nil {
		return j.published(j.Experiment)
	}
	return nil
}

// begin prepares the experiment and opens its folder. It reports whether the results are already
// published.
func (j *job) begin(ctx context.Context) (inputs string, upToDate bool, err error) {
	j.preparing.Lock()
	defer j.preparing.Unlock()
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	j.start = time.Now()
	if inputs, err = j.prepare(ctx); err != nil {
		return "", false, err
	}
	if j.work.Folder, err = store.Open(j.dir); err != nil {
		return "", false, err
	}
	if j.work.Folder.Published(inputs) {
		return inputs, true, nil
	}
	if err := own.Unlearned(j.dir); err != nil {
		return "", false, err
	}
	if d, ok := j.Study.(study.WithData); ok && !j.quiet {
		for _, line := range d.About() {
			fmt.Fprintln(j.stderr, line)
		}
	}
	j.work.Name = j.Name
	j.work.Last, _ = store.ReadRun(filepath.Join(j.sources, filepath.Base(j.dir)))
	return inputs, false, nil
}

func (j *job) took() time.Duration { return time.Since(j.start).Round(10 * time.Millisecond) }

// prepare prepares the experiment and returns a line that identifies all that its
// results follow from.
func (j *job) prepare(ctx context.Context) (inputs string, err error) {
	if err := j.Study.Prepare(ctx); err != nil {
		return "", err
	}
	var sums []byte
	if d, ok := j.Study.(study.Derived); ok {
		if sums, err = experiment.Use(d, j.sources); err != nil {
			return "", err
		}
	}
	if j.work.Cells, j.work.Prints, err = j.Cells(); err != nil {
		return "", err
	}
	if j.manifest, err = j.Resolved(j.Study); err != nil {
		return "", err
	}
	program, err := experiment.Executable()
	return experiment.Checksum([]byte(fmt.Sprint(j.work.Prints)), j.manifest, program, sums), err
}
