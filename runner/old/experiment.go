package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"closedform"
	"closedform/runner/internal/manifest"
	pool "closedform/runner/internal/oldpool"
	store "closedform/runner/internal/oldstore"
	study "closedform/runner/internal/oldstudy"
)

// experiment is a manifest on its way to a results folder.
type experiment struct {
	m            *manifest.Manifest
	study        study.Experiment
	cells        []study.Cell
	fingerprints []string // of each cell: its spec and the code version
}

func newExperiment(m *manifest.Manifest) (*experiment, error) {
	s, err := study.New(m)
	if err != nil {
		return nil, err
	}
	e := &experiment{m: m, study: s, cells: s.Cells()}
	version := codeVersion()
	for _, c := range e.cells {
		spec, err := json.Marshal(c.Spec)
		if err != nil {
			return nil, fmt.Errorf("cell %s: %w", c.Key, err)
		}
		e.fingerprints = append(e.fingerprints, checksum([]byte(version), spec))
	}
	return e, nil
}

// checksum returns the SHA-256, in hexadecimal, of all parts.
func checksum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// run computes the cells that are not there yet and, unless it is a shard's
// run, publishes the results.
func (e *experiment) run(ctx context.Context, stdout, stderr io.Writer, o *options, args []string) error {
	start := time.Now()
	dir := filepath.Join(o.out, e.m.Name)
	program, err := executable()
	if err != nil {
		return err
	}
	// Cells know the code that makes numbers; how they are drawn and written
	// may be any other code of the program.
	parts := [][]byte{append([]byte(fmt.Sprint(e.fingerprints)), e.m.Resolved()...), program}
	if o.shard.n == 0 { // a shard leaves cells only, and they follow from no other results
		sums, err := e.use(o.sources)
		if err != nil {
			return err
		}
		parts = append(parts, sums)
	}
	inputs := checksum(parts...)

	folder, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	if !o.force && o.shard.n == 0 && folder.Published(inputs) {
		fmt.Fprintf(stdout, "%s: %d cells, all done before; %s is up to date\n", e.m.Name, len(e.cells), dir)
		return nil
	}

	var todo []int
	mine := 0
	for i, c := range e.cells {
		if !o.shard.has(i) {
			continue
		}
		mine++
		if !o.force {
			if folder.HasCell(c.Key, e.fingerprints[i]) {
				continue
			}
			if _, _, err := folder.LoadCell(c.Key, e.fingerprints[i]); err != nil {
				e.warn(stderr, err)
			}
		}
		todo = append(todo, i)
	}
	if err := e.compute(ctx, stderr, o, folder, todo); err != nil {
		return err
	}
	if o.shard.n > 0 {
		fmt.Fprintf(stdout, "%s: shard %d/%d: %d cells, %d computed, %d done before, in %s; the same command without -shard merges\n",
			e.m.Name, o.shard.i, o.shard.n, mine, len(todo), mine-len(todo), rounded(start))
		return nil
	}
	cells := make([]*store.Cell, len(e.cells))
	for i := range cells {
		var again bool
		if cells[i], again, err = e.load(ctx, stderr, o, folder, i); err != nil {
			return err
		}
		if again && !slices.Contains(todo, i) {
			todo = append(todo, i)
		}
	}
	files, notes, err := e.publish(ctx, folder, inputs, o, args, cells, len(todo), start)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %d cells, %d computed, %d done before; %d files in %s, in %s\n",
		e.m.Name, mine, len(todo), mine-len(todo), files, dir, rounded(start))
	for _, note := range notes {
		fmt.Fprintf(stdout, "%s: %s\n", e.m.Name, note)
	}
	return nil
}

// warn tells of a cell that is damaged.
func (e *experiment) warn(stderr io.Writer, err error) {
	fmt.Fprintf(stderr, "%s: %v; computing it again\n", e.m.Name, err)
}

func rounded(start time.Time) time.Duration {
	return time.Since(start).Round(10 * time.Millisecond)
}

// compute runs the cells with the given indices and keeps each as soon as it is
// done.
func (e *experiment) compute(ctx context.Context, stderr io.Writer, o *options, folder *store.Folder, todo []int) error {
	if len(todo) == 0 {
		return nil
	}
	names := make([]string, len(todo))
	for i, c := range todo {
		names[i] = e.cells[c].Key
	}
	work := func(ctx context.Context, i int) error {
		c, begin := e.cells[todo[i]], time.Now()
		tables, err := c.Run(ctx)
		if err != nil {
			return err
		}
		return folder.SaveCell(&store.Cell{
			Key: c.Key, Fingerprint: e.fingerprints[todo[i]], Tables: tables, Seconds: time.Since(begin).Seconds(),
		})
	}
	err := pool.Run(ctx, o.workers, names, work, pool.NewProgress(o.progress, stderr, e.m.Name))
	switch {
	case errors.Is(err, context.Canceled):
		done := 0
		for i, c := range e.cells {
			if folder.HasCell(c.Key, e.fingerprints[i]) {
				done++
			}
		}
		return fmt.Errorf("%s: interrupted with %d of %d cells done; the same command goes on from there: %w", e.m.Name, done, len(e.cells), err)
	case err != nil:
		return fmt.Errorf("%s: %w", e.m.Name, err)
	}
	return nil
}

// publish merges the cells into the tables and figures of the results folder
// and returns the number of files, and the notes of the report.
func (e *experiment) publish(ctx context.Context, folder *store.Folder, inputs string, o *options, args []string, cells []*store.Cell, computed int, start time.Time) (int, []string, error) {
	tables := make([][]store.Table, len(cells))
	for i, c := range cells {
		tables[i] = c.Tables
	}
	report, err := e.study.Report(tables)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", e.m.Name, err)
	}
	if timed, ok := e.study.(study.Timed); ok && !o.verify {
		times, err := timed.Measure(ctx, report.Tables)
		if err != nil {
			return 0, nil, fmt.Errorf("%s: %w", e.m.Name, err)
		}
		report.Tables = append(report.Tables, times.Tables...)
		report.Figures = append(report.Figures, times.Figures...)
	}
	files := []store.File{{Name: "manifest.toml", Data: e.m.Resolved()}}
	for _, t := range report.Tables {
		files = append(files, t.File())
	}
	drawings, err := encode(report.Figures)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", e.m.Name, err)
	}
	files = append(files, drawings...)

	run := store.NewRun(ctx, append([]string{"runner"}, args...), start)
	run.Manifest, run.CodeVersion = e.m.Name, codeVersion()
	run.Overrides = append(run.Overrides, e.m.Overrides...)
	for _, seed := range e.m.Seeds {
		run.Seeds = append(run.Seeds, int64(seed))
	}
	run.Computed, run.Reused = computed, len(e.cells)-computed
	run.Seconds = time.Since(start).Seconds()
	if err := ctx.Err(); err != nil {
		return 0, nil, fmt.Errorf("%s: interrupted with all cells done; the same command writes the results: %w", e.m.Name, err)
	}
	return len(files), report.Notes, folder.Publish(inputs, files, run, cells)
}

// load returns a cell that is done. One that turns out to be damaged is computed
// again, and again tells so.
func (e *experiment) load(ctx context.Context, stderr io.Writer, o *options, folder *store.Folder, i int) (_ *store.Cell, again bool, _ error) {
	for range 2 {
		c, ok, err := folder.LoadCell(e.cells[i].Key, e.fingerprints[i])
		if ok {
			return c, again, nil
		}
		if err != nil {
			e.warn(stderr, err)
		}
		again = true
		if err := e.compute(ctx, stderr, o, folder, []int{i}); err != nil {
			return nil, again, err
		}
	}
	return nil, again, fmt.Errorf("%s: cell %s cannot be read back", e.m.Name, e.cells[i].Key)
}

// encode returns the files of the figures, several at a time.
func encode(drawings []study.Figure) ([]store.File, error) {
	formats := []string{"png", "svg", "pdf"}
	files := make([]store.File, len(drawings)*len(formats))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range files {
		d, format := drawings[i/len(formats)], formats[i%len(formats)]
		group.Go(func() error {
			data, err := d.Drawing.Encode(format)
			files[i] = store.File{Name: d.Name + "." + format, Data: data}
			return err
		})
	}
	return files, group.Wait()
}

// codeVersion returns the version of the code that makes the cells.
func codeVersion() string {
	v, err := closedform.Version("closedform/runner/internal/oldstudy")
	if err != nil {
		panic(err)
	}
	return v
}
