package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"closedform/runner/internal/pool"
)

// Slurm computes the cells of all experiments in one job array of a cluster, and merges and publishes them
// in a job that depends on it. It uses only Slurm's commands.
type Slurm struct {
	Chunk    int    // cells of a task; 0: as many as make a hundred tasks
	Limit    int    // tasks at a time; 0: as the cluster likes
	Options  string // of sbatch
	Out      string // -out of the jobs; empty: they choose it
	DryRun   bool   // print the script, and no more
	Wait     bool   // until the jobs are done
	Stdout   io.Writer
	Stderr   io.Writer // for warnings
	Progress io.Writer

	work    []*Work
	missing [][]int // of each
}

// Compute implements [Engine].
func (s *Slurm) Compute(ctx context.Context, w *Work) error {
	if err := w.Folder.Others(w.keys(w.all()), w.Prints); err != nil {
		return err
	}
	has, _ := w.present()
	missing := part(len(w.Cells), func(i int) bool { return !has[i] })
	if len(missing)+len(s.work) == 0 && !s.DryRun {
		return (&Here{Pool: pool.New(1), Stderr: s.Stderr, Progress: io.Discard}).Compute(ctx, w)
	}
	s.work, s.missing = append(s.work, w), append(s.missing, missing)
	return ErrLater
}

// Finish implements [Engine]: it submits the jobs.
func (s *Slurm) Finish(ctx context.Context) error {
	if len(s.work) == 0 {
		return nil
	}
	p, err := s.plan()
	if err != nil {
		return err
	}
	switch {
	case s.DryRun && p.cells == 0:
		fmt.Fprintf(s.Stdout, "%s: no cell is missing\n", p.name)
		return nil
	case s.DryRun:
		fmt.Fprintf(s.Stdout, "%s\n# After it, with --dependency=afterany:ARRAY, and the id ARRAY as its argument:\n%s",
			p.array, p.merge)
		return nil
	}
	if err := p.write(); err != nil {
		return err
	}
	array, err := command(ctx, "sbatch", "--parsable", p.arrayFile())
	if err != nil {
		return fmt.Errorf("%w (%s; -chunk makes them fewer)", err, count(len(p.tasks), "task"))
	}
	array, _, _ = strings.Cut(array, ";") // and the cluster's name
	merge, err := command(ctx, "sbatch", "--parsable", "--dependency=afterany:"+array, p.mergeFile(), array)
	if err != nil {
		_, err2 := command(ctx, "scancel", array)
		return errors.Join(err, err2)
	}
	merge, _, _ = strings.Cut(merge, ";")
	fmt.Fprintf(s.Stdout, "%s: job %s computes %s in %s, job %s merges; %s\n",
		p.name, array, count(p.cells, "cell"), count(len(p.tasks), "task"), merge, p.arrayFile())
	if s.Wait {
		return s.wait(ctx, p, array, merge)
	}
	return nil
}

// command runs a command of Slurm and returns its output. The error quotes it.
func command(ctx context.Context, name string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil && ctx.Err() == nil {
		said := strings.ReplaceAll(strings.TrimSpace(stderr.String()), "\n", "; ")
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			said = "-engine slurm needs the commands of Slurm"
		}
		return "", fmt.Errorf("%s: %w: %s", name, err, said)
	}
	return strings.TrimSpace(stdout.String()), ctx.Err()
}

// lost is the number of unanswered queries in a row after which waiting ends.
const lost = 100

// wait shows the progress, counted from the finished cells, until the merging job has
// ended, and returns the error of that job.
func (s *Slurm) wait(ctx context.Context, p *plan, array, merge string) error {
	total := 0
	for _, w := range s.work {
		total += len(w.Cells)
	}
	there := func() (n int) {
		for _, w := range s.work {
			_, count := w.present()
			n += count
		}
		return n
	}
	progress := new(Board).Start(s.Progress, p.name, total, there())
	for silent := 0; ; {
		begin, note := time.Now(), ""
		waiting, err := queued(ctx, merge)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("jobs %s and %s keep running; scancel %[1]s %[2]s stops them: %w", array, merge, ctx.Err())
		case err == nil:
			silent = 0
		case silent == lost:
			return err
		default:
			silent++
			note = ", " + err.Error()
		}
		progress.At(there(), note)
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
	return fmt.Errorf("job %s, which merges: %v; the same command again resumes\n%s",
		merge, state, strings.TrimSpace(string(log)))
}
