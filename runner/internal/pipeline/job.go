package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"closedform"
	"closedform/runner/internal/engine"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/own"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

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
