package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"closedform/runner/internal/store"
)

// lost is for how many looks in a row Slurm may not answer.
const lost = 100

// wait shows how far the jobs are, counted from the cells that are there, until the job
// that merges has ended. The error is that of the job.
func (s *Slurm) wait(ctx context.Context, p *plan, array, merge string) error {
	stocks, total, there := make([]*store.Stock, len(s.work)), 0, 0
	look := func() (n int) {
		for _, stock := range stocks {
			stock.Look()
			n += stock.Count
		}
		return n
	}
	for i, w := range s.work {
		stocks[i] = store.NewStock(w.Folder.Dir(), w.keys(), w.Prints)
		total += len(w.Cells)
	}
	progress := new(Board).Start(s.Progress, p.name, total, look())
	for silent := 0; ; {
		begin := time.Now()
		tasks, waiting, err := queue(ctx, array, merge)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("the jobs %s and %s go on, but for scancel %[1]s %[2]s: %w", array, merge, ctx.Err())
		case err == nil:
			silent = 0
		case silent == lost:
			return err
		default:
			silent++
			tasks = ", " + err.Error()
		}
		there = look()
		progress.At(there, tasks)
		if !waiting {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(max(2*poll, 3*time.Since(begin))):
		}
	}
	progress.Stop()
	log, err := os.ReadFile(filepath.Join(p.dir, merge+".log"))
	state := states(ctx, merge)[merge]
	if err == nil && state.state == "COMPLETED" {
		_, err = s.Stdout.Write(log)
		return err
	}
	return fmt.Errorf("job %s, which merges: %v; the same command again goes on\n%s",
		merge, state, strings.TrimSpace(string(log)))
}
