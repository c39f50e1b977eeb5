package pipeline

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"closedform/runner/internal/store"
)

// Verify runs experiments again in a temporary folder, and prints every file that differs from the published
// results. README.md is written for the run that made the published results. An experiment that reads the
// results of others reads the published ones, which are verified themselves.
func (r *Request) Verify(ctx context.Context) error {
	experiments, err := r.Find(true)
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "closedform-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	var verified []*Experiment
	var published []string
	for _, e := range experiments {
		if _, err := store.OpenResults(e.Dir); err != nil {
			return fmt.Errorf("%s: nothing to compare with: %w", e.Name, err)
		}
		if e.elsewhere() {
			fmt.Fprintf(r.Stdout, "%s: another version of its program computed it; skipped\n", e.Name)
			continue
		}
		if e.verified, err = store.ReadRun(e.Dir); err != nil {
			return fmt.Errorf("%s: nothing to compare with: %w", e.Name, err)
		}
		verified, published = append(verified, e), append(published, e.Dir)
		e.Dir = filepath.Join(temporary, filepath.Base(e.Dir))
	}
	silent := *r
	silent.Stdout = io.Discard
	if err := silent.run(ctx, verified); err != nil {
		return err
	}
	differing := 0
	for i, e := range verified {
		lines, err := store.Compare(published[i], e.Dir)
		if err != nil {
			return err
		}
		verdict := "same bytes"
		if differing += len(lines); len(lines) > 0 {
			verdict = "differs"
		}
		for _, line := range append(lines, verdict) {
			fmt.Fprintf(r.Stdout, "%s: %s\n", e.Name, line)
		}
	}
	if differing > 0 {
		return fmt.Errorf("%d files differ from the results", differing)
	}
	return nil
}
