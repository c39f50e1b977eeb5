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
	"closedform/runner/internal/quote"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

var fused = closedform.Fused()

type batch struct {
	*invocation
	log     io.Writer // of progress
	engine  *engine.Engine
	sources string     // folder of the results that they read
	mu      sync.Mutex // of preparing, which takes the most memory, and printing
}

func newBatch(in *invocation, c *choice) *batch {
	b := &batch{invocation: in, log: in.stderr, sources: cmp.Or(c.out, experiment.Results)}
	if c.quiet {
		b.log = io.Discard
	}
	b.engine = engine.New(max(1, int(c.workers)), in.stderr, b.log)
	if fused {
		fmt.Fprintf(b.log, "fused multiply-adds: results may differ in the last digits; for identical bytes "+
			"rebuild: GOFLAGS=-gcflags=all=-d=fmahash=qn %s\n", commandLine(in.words))
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
	run      *store.Run
	work     engine.Work
	inputs   string // identifies all that the results follow from
	manifest []byte // with all values spelled out
}

// runOne computes the missing cells and, unless another process has just done so, publishes the results. It
// keeps an error in their folder. An error of another experiment may cancel the context compute.
func (b *batch) runOne(compute, publish context.Context, e *experiment.Experiment) (err error) {
	j := &job{batch: b, Experiment: e}
	if err := j.prepare(publish); err != nil { // also after an error elsewhere: its cells may be done
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
	if d, ok := j.Study.(study.WithData); ok {
		_, about := d.Files()
		for _, line := range about {
			fmt.Fprintln(j.log, line)
		}
	}
	if err := j.engine.Compute(compute, &j.work); err != nil {
		return err
	}
	return j.publish(publish)
}

func (j *job) print(folder string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	cells, computed := len(j.work.Cells), int(j.work.Computed.Load())
	fmt.Fprintf(j.stdout, "%s: %d cells, %d computed, %d done before; %s %s",
		j.Name, cells, computed, cells-computed, j.Dir, folder)
}

func (j *job) prepare(ctx context.Context) (err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.run = store.NewRun(ctx, j.words)
	j.run.Manifest, j.run.SourceDigest, j.run.Fused = j.Name, experiment.SourceDigest(), fused
	j.run.Seeds, j.run.Overrides = j.Swept, append(j.run.Overrides, j.Overrides...)
	j.run.Programs, err = j.FindPrograms()
	if err == nil {
		j.manifest, err = j.Resolved() // before data set values
	}
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
	if err != nil {
		return err
	}
	cells := experiment.Checksum(fmt.Append(nil, j.work.Prints))
	j.inputs = experiment.Checksum([]byte(cells), j.manifest, experiment.Executable(), sums)
	j.work.Name = j.Name
	j.work.Last, _ = store.ReadRun(filepath.Join(experiment.Results, j.Name)) // if there is one
	j.work.Folder, err = store.Open(j.Dir, cells)
	return err
}

func (j *job) publish(ctx context.Context) error {
	release, err := own.Replace(j.Dir)
	if err != nil {
		return err
	}
	defer release()
	cells, err := j.work.Load()
	if err != nil {
		return err
	}
	r := &report.README{Name: j.Name, Asks: j.Kind.Asks, Figures: j.Study.Figures()}
	files, err := j.files(cells, r)
	if err != nil {
		return err
	}
	var problem []string       // with the finding
	if len(j.Overrides) == 0 { // a finding is of the values of the manifest
		if r.Finding, err = quote.Fill(j.Finding, r.Tables.Read); err != nil {
			problem = []string{fmt.Sprintf("finding: %v", err)}
		}
	}
	j.run.Computed = int(j.work.Computed.Load())
	j.run.Reused = len(cells) - j.run.Computed
	j.run.AddTimes(cells, func(i int) string { return j.work.Cells[i].Group() })
	j.run.Seconds = time.Since(j.run.Start).Seconds()
	published, err := j.work.Folder.Publish(ctx, j.inputs, files, j.run, func(made *store.Run) []byte {
		r.Command, r.Programs = commandLine(made.Command[min(1, len(made.Command)):]), made.Programs
		if s, ok := j.Study.(study.WithResult); ok {
			r.Result = s.Result(r.Tables, made.CellSeconds)
		}
		r.Result.Notes = append(r.Result.Notes, problem...)
		return r.Markdown()
	})
	if err != nil {
		return err
	}
	text := "is up to date\n" // by another process
	if published {
		text = fmt.Sprintf("has %d files, in %.2f s\n", len(files), j.run.Seconds)
		text += report.Text(r.Result)
	}
	j.print(text)
	return nil
}

// files returns the manifest, the files that the cells have, the tables, and the figures, which are drawn
// from the tables as written. It sets those of the README.
func (j *job) files(cells []*store.Cell, r *report.README) (files []store.File, err error) {
	files = []store.File{{Name: "manifest.toml", Data: j.manifest}}
	var sets []table.Set
	for _, c := range cells {
		sets = append(sets, c.Tables)
		for _, t := range c.Tables {
			if t.File != nil {
				r.Kept, files = append(r.Kept, t.Name), append(files, store.File{Name: t.Name, Data: t.File})
			}
		}
	}
	r.Tables = j.Study.Tables(sets)
	var written table.Set
	for _, t := range r.Tables {
		file := store.TableFile(t)
		t, err := file.Table()
		if err != nil {
			return nil, err
		}
		written, files = append(written, t), append(files, file)
	}
	drawn, err := drawAll(r.Figures, written.Read)
	return append(files, drawn...), err
}
