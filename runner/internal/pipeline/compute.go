package pipeline

import (
	"context"
	"fmt"
	"strings"
	"time"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

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
