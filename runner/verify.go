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
		lines, err := store.Compare(filepath.Join(p.sources, filepath.Base(fresh)), fresh)
		if err != nil {
			return err
		}
		for _, line := range lines {
			fmt.Fprintf(stdout, "%s: %s\n", e.Name, line)
		}
		fmt.Fprintf(stdout, "%s: %s\n", e.Name, map[bool]string{true: "same bytes", false: "differs"}[len(lines) == 0])
		bad += len(lines)
		return os.RemoveAll(fresh)
	}
	if _, err := p.together(ctx, same); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d files differ from the results in %s", bad, p.sources)
	}
	return nil
}
