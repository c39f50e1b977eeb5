package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"closedform/runner/internal/store"
)

// Merge is the part of [Slurm] that comes after an array: all cells must be there.
type Merge struct {
	Dir    string // of the plan
	Array  string // the id of the array
	Stderr io.Writer
}

// Compute implements [Engine]. The error says which cells are missing, and why. A file that
// is damaged is removed, so that the next array computes what was in it.
func (m *Merge) Compute(ctx context.Context, w *Work) error {
	all := part(len(w.Cells), func(int) bool { return true })
	for _, err := range w.look(all, runtime.GOMAXPROCS(0)) {
		fmt.Fprintf(m.Stderr, "%s: %v\n", w.Name, err)
		if bad := (*store.CellError)(nil); errors.As(err, &bad) && errors.Is(err, store.ErrDamaged) {
			os.Remove(bad.File)
		}
	}
	if missing := w.absent(all); len(missing) > 0 {
		return m.why(ctx, w, missing)
	}
	return nil
}

// Finish implements [Engine].
func (m *Merge) Finish(context.Context) error { return nil }

const (
	mostTold = 10 // tasks
	mostKeys = 3  // cells of a task
	mostTail = 5  // lines of its log
)

// why returns the error that says which tasks did not compute their cells.
func (m *Merge) why(ctx context.Context, w *Work, missing []int) error {
	tasks, err := readTasks(m.Dir)
	if err != nil {
		return err
	}
	all := states(ctx, m.Array)
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %s are missing; the same command again computes them",
		len(missing), count(len(w.Cells), "cell"))
	told := 0
	for number, t := range tasks {
		var keys []string
		for _, i := range missing {
			if t.Has(w.Name, i) {
				keys = append(keys, w.Cells[i].Key)
			}
		}
		if len(keys) == 0 {
			continue
		}
		if told++; told > mostTold {
			fmt.Fprintf(&b, "\n  … and more")
			break
		}
		id := fmt.Sprintf("%s_%d", m.Array, number)
		fmt.Fprintf(&b, "\n  task %s (%v), %s: %s", id, all[id],
			count(len(keys), "cell"), strings.Join(keys[:min(len(keys), mostKeys)], ", "))
		log := filepath.Join(m.Dir, id+".log")
		text, err := os.ReadFile(log)
		if err != nil {
			fmt.Fprintf(&b, "\n    no log: %v", err)
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		fmt.Fprintf(&b, "\n    %s ends:", log)
		for _, line := range lines[max(0, len(lines)-mostTail):] {
			fmt.Fprintf(&b, "\n      %s", line)
		}
	}
	return errors.New(b.String())
}
