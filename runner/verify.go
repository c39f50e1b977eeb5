package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
)

func (p *program) verifyCommand(f *flag.FlagSet) action {
	p.workFlags(f)
	p.shortFlag(f)
	return p.verify
}

// verify runs the experiments into a temporary folder and compares each result with that in -out as
// soon as it is done. It prints every file that differs. Experiments that read other
// results read those in -out, which are compared themselves.
func (p *program) verify(ctx context.Context, names []string) error {
	experiments, err := p.load(names, true)
	if err != nil {
		return err
	}
	var same []*experiment.Experiment
	for _, e := range experiments {
		if _, err := store.OpenResults(p.dir(e)); err != nil {
			return fmt.Errorf("%s: no results to compare with: %w", e.Name, err)
		}
		run, err1 := store.ReadRun(p.dir(e))
		programs, err2 := e.FindPrograms()
		if err := errors.Join(err1, err2); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		if slices.Equal(programs, run.Programs) {
			same = append(same, e)
		} else {
			fmt.Fprintf(p.stdout, "%s: computed by %s, not by %s; skipped\n",
				e.Name, strings.Join(run.Programs, ", "), strings.Join(programs, ", "))
		}
	}
	temporary, err := os.MkdirTemp("", "closedform-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	stdout, bad := p.stdout, 0
	p.verifying, p.out, p.stdout = true, temporary, io.Discard
	p.published = func(e *experiment.Experiment) error {
		fresh := p.dir(e)
		n, err := compare(stdout, e.Name, filepath.Join(p.sources, filepath.Base(fresh)), fresh)
		bad += n
		return errors.Join(err, os.RemoveAll(fresh))
	}
	if _, err := p.together(ctx, same); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d files differ from the results in %s", bad, p.sources)
	}
	return nil
}

// compare returns how many files of two results folders differ, and prints them.
func compare(w io.Writer, name, committed, fresh string) (bad int, err error) {
	lines, bad, err := store.Compare(committed, fresh)
	if err != nil {
		return 0, err
	}
	for _, line := range lines {
		fmt.Fprintf(w, "%s: %s\n", name, line)
	}
	verdict := "same bytes"
	switch {
	case bad > 0:
		verdict = "differs"
	case len(lines) > 0:
		verdict = fmt.Sprintf("equal to %g", store.Tolerance)
	}
	fmt.Fprintf(w, "%s: %s\n", name, verdict)
	return bad, nil
}
