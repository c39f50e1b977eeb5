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

const verifyExamples = "go run ./runner verify -all -effort quick"

// verifyCommand runs experiments into a temporary folder and compares each result with that in -out as
// soon as it is done. It prints every file that differs. Experiments that read other
// results read those in -out, which are compared themselves.
func verifyCommand(f *flag.FlagSet) action {
	c := choiceFlags(f)
	c.runFlags(f)
	return func(ctx context.Context, in *invocation, names []string) error {
		experiments, err := c.load(in.stdout, names, true)
		if err != nil {
			return err
		}
		var same []*experiment.Experiment
		for _, e := range experiments {
			if _, err := store.OpenResults(c.dir(e)); err != nil {
				return fmt.Errorf("%s: nothing to compare with: %w", e.Name, err)
			}
			if e.Elsewhere(c.dir(e)) {
				fmt.Fprintf(in.stdout, "%s: another version of its program computed it; skipped\n", e.Name)
			} else {
				same = append(same, e)
			}
		}
		temporary, err := os.MkdirTemp("", "closedform-verify-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		b := newBatch(&invocation{in.words, io.Discard, in.stderr}, c)
		b.advice = "not compared" // the cells go with the temporary folder
		b.dir = func(e *experiment.Experiment) string { return filepath.Join(temporary, filepath.Base(c.dir(e))) }
		bad := 0
		b.published = func(e *experiment.Experiment) error {
			lines, err := store.Compare(c.dir(e), b.dir(e))
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
			return os.RemoveAll(b.dir(e))
		}
		if err := b.run(ctx, same); err != nil {
			return err
		}
		if bad > 0 {
			return fmt.Errorf("%d files differ from the results", bad)
		}
		return nil
	}
}
