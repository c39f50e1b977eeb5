package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"closedform/internal/check"
)

// The tasks of a plan have each missing cell once, of one experiment each, and are read as they were written.
func TestTasks(t *testing.T) {
	for _, c := range []struct{ chunk, tasks, cells int }{{0, 100, 3}, {1, 205, 1}, {4, 52, 4}, {1000, 2, 105}} {
		s := &Slurm{Chunk: c.chunk}
		missing := map[string]int{"x": 105, "y": 100}
		for _, name := range []string{"x", "y"} {
			w := work(t, missing[name], func(context.Context, int) error { return nil })
			w.Name = name
			if taken, err := s.Take(w); !taken || err != nil {
				t.Fatal(taken, err)
			}
		}
		p, err := s.plan()
		if err == nil {
			err = s.write(p)
		}
		check.OK(t, err)
		found := map[string][]int{}
		for i := range p.tasks {
			task, err := ReadTask(filepath.Join(p.dir, strconv.Itoa(i)))
			if err != nil || len(task.Cells) > c.cells || !task.Has(task.Name, task.Cells[0]) || task.Has("z", task.Cells[0]) {
				t.Fatalf("task %d is %v, %v", i, task, err)
			}
			found[task.Name] = append(found[task.Name], task.Cells...)
		}
		for _, w := range s.work {
			check.Equal(t, fmt.Sprintf("chunk %d: of %s there", c.chunk, w.Name), found[w.Name], w.All())
		}
		if len(p.tasks) > c.tasks {
			t.Errorf("chunk %d makes %d tasks", c.chunk, len(p.tasks))
		}
		for _, number := range []string{strconv.Itoa(len(p.tasks)), "-1", "x"} {
			_, err := ReadTask(filepath.Join(p.dir, number))
			check.Refuses(t, fmt.Sprintf("task %s", number), err, "no task of this number")
		}
	}
}
