package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"closedform/runner/internal/config"
	"closedform/runner/internal/engine"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// job is an experiment that is being run.
type job struct {
	*program
	*experiment
	start    time.Time
	dir      string
	folder   *store.Folder
	resolved []byte // the manifest
	version  string // of the code
	cells    []study.Cell
	prints   []string      // their fingerprints
	mine     int           // those of the shard
	done     []*store.Cell // nil: not yet
}

// interrupted is the error of a run that a signal has ended.
type interrupted string

func (e interrupted) Error() string { return string(e) }
func (interrupted) Unwrap() error   { return context.Canceled }

// run runs an experiment.
func (p *program) run(ctx context.Context, e *experiment) error {
	j := &job{program: p, experiment: e, start: time.Now(), dir: p.dir(e)}
	err := j.run(ctx)
	if errors.Is(err, context.Canceled) {
		done := 0
		for _, c := range j.done {
			if c != nil {
				done++
			}
		}
		return interrupted(fmt.Sprintf("interrupted with %d of %d cells done; to go on: %s",
			done, j.mine, p.command()))
	}
	return err
}

// run computes the cells that are not there yet and, unless it is a shard's
// run, publishes the results.
func (j *job) run(ctx context.Context) error {
	inputs, err := j.prepare(ctx)
	if err != nil {
		return err
	}
	shard := j.shard.n > 0
	if j.folder, err = store.Open(j.dir, shard); err != nil {
		return err
	}
	defer j.folder.Close()
	if !shard && j.folder.Published(inputs) {
		fmt.Fprintf(j.stdout, "%s: %d cells, all done before; %s is up to date\n%s",
			j.Name, len(j.cells), j.dir, j.first())
		return nil
	}
	if d, ok := j.study.(study.WithData); ok && !j.quiet {
		for _, line := range d.About() {
			fmt.Fprintln(j.stderr, line)
		}
	}
	todo := j.reuse()
	if err := j.compute(ctx, todo); err != nil {
		return err
	}
	if shard {
		fmt.Fprintf(j.stdout, "%s: shard %d/%d: %d cells, %d computed, %d done before, in %s; "+
			"the same command without -shard merges\n",
			j.Name, j.shard.i, j.shard.n, j.mine, len(todo), j.mine-len(todo), j.took())
		return nil
	}
	files, notes, err := j.publish(ctx, inputs, len(todo))
	if err != nil {
		return err
	}
	fmt.Fprintf(j.stdout, "%s: %d cells, %d computed, %d done before; %d files in %s, in %s\n",
		j.Name, j.mine, len(todo), j.mine-len(todo), files, j.dir, j.took())
	for _, note := range notes {
		fmt.Fprintf(j.stdout, "%s: %s\n", j.Name, note)
	}
	fmt.Fprint(j.stdout, j.first())
	return nil
}

func (j *job) took() time.Duration { return time.Since(j.start).Round(10 * time.Millisecond) }

// prepare gets the experiment ready and returns what stands for all that its
// results follow from.
func (j *job) prepare(ctx context.Context) (inputs string, err error) {
	if err := j.study.Prepare(ctx); err != nil {
		return "", err
	}
	var sums []byte
	if d, ok := j.study.(study.Derived); ok && j.shard.n == 0 { // cells follow from no other results
		if sums, err = j.use(d); err != nil {
			return "", err
		}
	}
	if j.cells, err = j.experiment.cells(); err != nil {
		return "", err
	}
	if j.version, err = codeVersion(j.study); err != nil {
		return "", err
	}
	if j.prints, err = fingerprints(j.version, j.cells); err != nil {
		return "", err
	}
	if j.resolved, err = j.Resolved(j.study); err != nil {
		return "", err
	}
	program, err := executable()
	return checksum([]byte(fmt.Sprint(j.prints)), j.resolved, program, sums), err
}

// use lets an experiment read the results of others, and returns their checksums.
func (j *job) use(d study.Derived) (sums []byte, err error) {
	sources := map[string]*store.Results{}
	for _, name := range d.Sources() {
		r, err := store.OpenResults(filepath.Join(j.sources, name))
		if errors.Is(err, fs.ErrNotExist) {
			if _, err = config.Find(name, manifests); err == nil {
				err = fmt.Errorf("run it first: -exp %s -out %s", name, j.sources)
			}
			err = fmt.Errorf("none in %s: %w", j.sources, err)
		}
		if err != nil {
			return nil, fmt.Errorf("reads the results of %s: %w", name, err)
		}
		sources[name] = r
		sums = append(sums, r.Sums()...)
	}
	return sums, d.Use(func(experiment, name string) (*table.Table, error) {
		if sources[experiment] == nil {
			return nil, fmt.Errorf("%s is not one of its sources: %s", experiment, strings.Join(d.Sources(), ", "))
		}
		return sources[experiment].Table(name)
	})
}

// reuse loads the cells that are there, and returns the indices of those still to
// be computed.
func (j *job) reuse() (todo []int) {
	j.done = make([]*store.Cell, len(j.cells))
	for i, c := range j.cells {
		if !j.shard.has(i) {
			continue
		}
		j.mine++
		var err error
		if j.done[i], err = j.folder.LoadCell(c.Key, j.prints[i]); err != nil {
			fmt.Fprintf(j.stderr, "%s: %v; computing it again\n", j.Name, err)
		}
		if j.done[i] == nil {
			todo = append(todo, i)
		}
	}
	return todo
}

// compute computes cells and keeps each as soon as it is done.
func (j *job) compute(ctx context.Context, todo []int) error {
	cells := make([]study.Cell, len(todo))
	for k, i := range todo {
		cells[k] = j.cells[i]
	}
	w := j.stderr
	if j.quiet {
		w = io.Discard
	}
	progress := engine.Start(w, j.Name, j.mine, j.mine-len(todo))
	defer progress.Stop()
	return engine.Compute(ctx, j.workers, cells, func(k int, tables table.Set, took time.Duration) error {
		i := todo[k]
		j.done[i] = &store.Cell{Key: j.cells[i].Key, Fingerprint: j.prints[i], Tables: tables, Seconds: took.Seconds()}
		if err := j.folder.SaveCell(j.done[i]); err != nil {
			return err
		}
		progress.Done()
		return nil
	})
}
