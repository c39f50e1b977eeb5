package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
)

const verifyExamples = "go run ./runner verify order own_data stability"

// verifyCommand runs experiments into a temporary folder and prints every file that differs from the results.
// Experiments that read other results read those in -out, which are compared themselves.
func verifyCommand(f *flag.FlagSet) action {
	c := choiceFlags(f)
	return func(ctx context.Context, in *invocation, names []string) error {
		experiments, err := c.load(in.stdout, names, true)
		if err != nil {
			return err
		}
		temporary, err := os.MkdirTemp("", "closedform-verify-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		var same []*experiment.Experiment
		var published []string
		for _, e := range experiments {
			if _, err := store.OpenResults(e.Dir); err != nil {
				return fmt.Errorf("%s: nothing to compare with: %w", e.Name, err)
			}
			if e.Elsewhere(e.Dir) {
				fmt.Fprintf(in.stdout, "%s: another version of its program computed it; skipped\n", e.Name)
				continue
			}
			same, published = append(same, e), append(published, e.Dir)
			e.Dir = filepath.Join(temporary, filepath.Base(e.Dir))
		}
		if err := newBatch(&invocation{in.words, io.Discard, in.stderr}, c).run(ctx, same); err != nil {
			return err
		}
		bad := 0
		for i, e := range same {
			lines, err := store.Compare(published[i], e.Dir)
			if err != nil {
				return err
			}
			verdict := "same bytes"
			if bad += len(lines); len(lines) > 0 {
				verdict = "differs"
			}
			for _, line := range append(lines, verdict) {
				fmt.Fprintf(in.stdout, "%s: %s\n", e.Name, line)
			}
		}
		if bad > 0 {
			return fmt.Errorf("%d files differ from the results", bad)
		}
		return nil
	}
}
