package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"closedform/runner/internal/engine"
	"closedform/runner/internal/pool"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

// computeShortForm computes the short form of the experiment, once, and sets the digests of
// its cells and tables, the strata of the cells, and the descriptions of the columns.
func (j *job) computeShortForm(ctx context.Context) error {
	if j.shortSums != nil {
		return nil
	}
	e, err := j.Experiment.ShortForm(nil)
	if err != nil {
		return err
	}
	short := &job{program: j.program, Experiment: e, start: time.Now(), work: engine.Work{Last: j.work.Last}}
	if _, err := short.prepare(ctx); err != nil {
		return err
	}
	// In a pool of its own: publishing does not wait for the cells of other experiments.
	cells, err := short.work.Recompute(ctx, pool.New(1), short.work.All())
	var tables table.Set
	if err == nil {
		tables, err = e.Study.Tables(cells)
	}
	if err != nil {
		return fmt.Errorf("the short form: %w", err)
	}
	j.shortSums = &store.CellSums{Tables: store.ShortDigest(tables.Digest())}
	j.describe(append(cells, tables)...)
	for i, c := range short.work.Cells {
		j.shortSums.Short = append(j.shortSums.Short, short.sum(i, cells[i]))
		j.shortStrata = append(j.shortStrata, c.Group())
	}
	return nil
}

// describe notes the descriptions of the columns of tables that the current code has made.
func (j *job) describe(sets ...table.Set) {
	if j.docs == nil {
		j.docs = map[[2]string]string{}
	}
	for _, set := range sets {
		for _, t := range set {
			for _, c := range t.Columns {
				j.docs[[2]string{t.Name, c.Name}] = c.Doc
			}
		}
	}
}

// sum returns the line of a cell for cells.sums.
func (j *job) sum(i int, content table.Set) store.CellSum {
	of := j.origins[i]
	return store.CellSum{
		Key: j.work.Cells[i].Key, Code: of.Code,
		Spec: store.ShortSpec(of.Spec), Digest: store.ShortDigest(content.Digest()),
	}
}

// sums returns the digests of the cells. It computes the short form unless the published results
// have it, by the same code and manifest.
func (j *job) sums(ctx context.Context, cells []table.Set) (*store.CellSums, error) {
	was, err := store.ReadCellSums(j.dir)
	if err != nil {
		was = new(store.CellSums) // none, or damaged: they are about to be replaced
	}
	sums := new(store.CellSums)
	if len(j.Short) > 0 && len(j.Overrides) == 0 && !j.verifying {
		run, err1 := store.ReadRun(j.dir)
		text, err2 := os.ReadFile(filepath.Join(j.dir, "manifest.toml"))
		if err1 == nil && err2 == nil && was.Tables != "" && run.CodeVersion == j.version && bytes.Equal(text, j.work.Manifest) {
			sums.Tables, sums.Short = was.Tables, was.Short
		} else if err := j.computeShortForm(ctx); err != nil {
			return nil, err
		} else {
			sums.Tables, sums.Short = j.shortSums.Tables, j.shortSums.Short
		}
	}
	for i := range j.work.Cells {
		sums.Cells = append(sums.Cells, j.sum(i, cells[i]))
	}
	return sums, nil
}
