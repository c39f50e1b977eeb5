// Package pipeline takes experiments from their manifests to their published results:
//
//	find.go      reads the manifests, and finds the folders of their results
//	pipeline.go  reads the data, lists the cells, identifies all that the results follow from, computes the
//	             missing cells, makes tables of the cells, and publishes all files
//	draw.go      draws figures of the tables, and writes README.md and the pages about all results
//	check.go     compares published results with what these steps make
package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"closedform"
	"closedform/runner/internal/engine"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/own"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
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

type job struct {
	*batch
	*Experiment
	run      *store.Run
	work     engine.Work
	manifest []byte // text of the manifest with all values spelled out
	inputs   string // identifies all that the results follow from

	tables table.Tables // the tables as published, for figures and texts
	files  []store.File
	page   report.README // page.Tables has the descriptions of the columns
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

// prepare returns the experiment as a job whose results folder is open.
func (b *batch) prepare(ctx context.Context, e *Experiment) (*job, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	j := &job{batch: b, Experiment: e, run: store.NewRun(ctx, b.Words), work: engine.Work{Name: e.Name}}
	j.run.Manifest, j.run.SourceDigest, j.run.Fused = e.Name, SourceDigest(), fused
	j.run.Seeds, j.run.Overrides = e.Swept, append(j.run.Overrides, e.Overrides...)
	var err error
	if j.run.Programs, err = e.FindPrograms(); err != nil {
		return nil, err
	}
	if j.manifest, err = e.resolved(); err != nil { // before Prepare, which changes values of the manifest
		return nil, err
	}
	if err := e.Study.Prepare(ctx); err != nil {
		return nil, err
	}
	sources, err := e.use()
	if err != nil {
		return nil, err
	}
	w := &j.work
	if w.Cells = e.Study.Cells(); len(w.Cells) > manifest.MaxCells {
		return nil, fmt.Errorf("%d cells; allowed: up to %d", len(w.Cells), manifest.MaxCells)
	}
	for _, c := range w.Cells {
		spec, err := json.Marshal(c.Spec)
		if err != nil {
			return nil, fmt.Errorf("cell %s: %w", c.Key, err)
		}
		w.Prints = append(w.Prints, checksum([]byte(SourceDigest()), spec))
	}
	cells := checksum(fmt.Append(nil, w.Prints))
	j.inputs = checksum([]byte(cells), j.manifest, executable(), sources)
	w.Last, _ = store.ReadRun(filepath.Join(Results, e.Name)) // an error: cell times are unknown
	w.Folder, err = store.Open(e.Dir, cells)
	return j, err
}

// compute computes the missing cells, and makes the tables of all cells. It completes the provenance.
func (j *job) compute(ctx context.Context) error {
	if d, ok := j.Study.(study.WithData); ok {
		_, about := d.Files()
		for _, line := range about {
			fmt.Fprintln(j.progress, line)
		}
	}
	cells, err := j.engine.Compute(ctx, &j.work)
	if err != nil {
		return err
	}
	j.run.Computed = int(j.work.Computed.Load())
	j.run.Reused = len(cells) - j.run.Computed
	j.run.AddTimes(cells, func(i int) string { return j.work.Cells[i].Group() })
	j.files = []store.File{{Name: "manifest.toml", Data: j.manifest}}
	var sets []table.Tables
	for _, c := range cells {
		sets, j.files = append(sets, c.Tables), append(j.files, c.Files...)
		for _, file := range c.Files {
			j.page.Kept = append(j.page.Kept, file.Name)
		}
	}
	for _, t := range j.Study.Tables(sets) {
		file := store.TableFile(t)
		written, err := file.Table()
		if err != nil {
			return err
		}
		about := t.Rows(nil)
		about.Packed = strings.HasSuffix(file.Name, ".gz")
		j.tables, j.files = append(j.tables, written), append(j.files, file)
		j.page.Tables = append(j.page.Tables, about)
	}
	j.run.Seconds = time.Since(j.run.Start).Seconds()
	return nil
}

// publish puts the results of a run into their folder, unless another process has just done so.
func (j *job) publish(ctx context.Context, run *store.Run) error {
	release, err := own.Replace(j.Dir)
	if err != nil {
		return err
	}
	defer release()
	readme := j.readme(&j.page, j.tables, run)
	published, err := j.work.Folder.Publish(ctx, j.inputs, j.files, readme, run)
	if err != nil {
		return err
	}
	if !published {
		j.print("is up to date\n")
		return nil
	}
	text := fmt.Sprintf("has %d files, in %.2f s\n", len(j.files), j.run.Seconds)
	if run != j.run {
		text += fmt.Sprintf("  unchanged: the results, and their seconds, are those of the run of %s\n",
			run.Start.Format(time.DateOnly))
	}
	j.print(text + report.Text(j.page.Result))
	return nil
}

func (j *job) print(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	cells, computed := len(j.work.Cells), int(j.work.Computed.Load())
	fmt.Fprintf(j.Stdout, "%s: %d cells, %d computed, %d done before; %s %s",
		j.Name, cells, computed, cells-computed, j.Dir, text)
}

// use lets a derived experiment read the results of others, and returns their checksums.
func (e *Experiment) use() (sums []byte, err error) {
	d, ok := e.Study.(study.Derived)
	if !ok {
		return nil, nil
	}
	out := cmp.Or(e.out, Results)
	for _, name := range d.Sources() {
		r, err := store.OpenResults(filepath.Join(out, name))
		if errors.Is(err, fs.ErrNotExist) {
			if _, unknown := find(name); unknown != nil {
				err = unknown
			} else {
				err = fmt.Errorf("%w; run it first: %s", err, CommandLine([]string{"-exp", name, "-out", out}))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("reads the results of %s: %w", name, err)
		}
		sums = append(sums, r.Sums()...)
	}
	return sums, d.Use(store.Published(out))
}

// resolved returns the manifest with all values spelled out. Outside of [Folder], its folder is an absolute
// path, because the results may be read from any working directory.
func (e *Experiment) resolved() ([]byte, error) {
	m := *e.Manifest
	if m.Folder, _ = filepath.Abs(m.Folder); store.SameFile(m.Folder, Folder) {
		m.Folder = Folder
	}
	return m.Resolved(e.Study)
}

// SourceDigest identifies the code that makes the cells of all studies. Tests replace it.
var SourceDigest = closedform.Digest

// executable identifies the program. The source digest does not cover how tables are written and drawn.
var executable = sync.OnceValue(func() []byte {
	path, _ := os.Executable()
	code, unread := os.ReadFile(path)
	return fmt.Appendf(nil, "%x %v", sha256.Sum256(code), unread)
})

func checksum(parts ...[]byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", parts)))
}
