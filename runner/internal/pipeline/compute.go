package pipeline

import (
	"context"
	"fmt"
	"strings"
	"time"

	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

type results struct {
	tables table.Tables // the tables as published, for figures and texts
	files  []store.File
	page   report.README // page.Tables has the descriptions of the columns
}

// compute computes the missing cells, and returns the tables of all cells. It completes the provenance.
func (j *job) compute(ctx context.Context) (*results, error) {
	if d, ok := j.Study.(study.WithData); ok {
		_, about := d.Files()
		for _, line := range about {
			fmt.Fprintln(j.progress, line)
		}
	}
	cells, err := j.engine.Compute(ctx, &j.work)
	if err != nil {
		return nil, err
	}
	j.run.Computed = int(j.work.Computed.Load())
	j.run.Reused = len(cells) - j.run.Computed
	j.run.AddTimes(cells, func(i int) string { return j.work.Cells[i].Group() })
	r := &results{files: []store.File{{Name: "manifest.toml", Data: j.manifest}}}
	var sets []table.Tables
	for _, c := range cells {
		sets, r.files = append(sets, c.Tables), append(r.files, c.Files...)
		for _, file := range c.Files {
			r.page.Kept = append(r.page.Kept, file.Name)
		}
	}
	for _, t := range j.Study.Tables(sets) {
		file := store.TableFile(t)
		written, err := file.Table()
		if err != nil {
			return nil, err
		}
		about := t.Rows(nil)
		about.Packed = strings.HasSuffix(file.Name, ".gz")
		r.tables, r.files = append(r.tables, written), append(r.files, file)
		r.page.Tables = append(r.page.Tables, about)
	}
	j.run.Seconds = time.Since(j.run.Start).Seconds()
	return r, nil
}
