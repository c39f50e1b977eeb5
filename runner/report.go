package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/quote"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
)

// page is the file of all results in the folder -out.
const page = "index.html"

// writePage writes all results in a folder into one file. Those of the project, in results/, have their
// README, too.
func writePage(out, file string) error {
	read, err := report.Read(out, experiment.Folder)
	if err != nil {
		return err
	}
	html, err := read.HTML()
	if err == nil {
		err = replace(file, html)
	}
	if _, other := experiment.All(); err == nil && other == nil && experiment.SameFile(out, experiment.Results) {
		err = replace(filepath.Join(out, "README.md"), read.README())
	}
	if err != nil {
		return fmt.Errorf("page of the results: %w", err)
	}
	return nil
}

// writePages writes the page of each folder of the experiments' results that has some, and returns the pages.
func (c *choice) writePages(all []*experiment.Experiment) (pages []string, failed error) {
	for _, e := range all {
		out := filepath.Dir(c.dir(e))
		file := filepath.Join(out, page)
		made, _ := filepath.Glob(filepath.Join(out, "*", "run.json"))
		if made == nil || slices.Contains(pages, file) {
			continue
		}
		pages = append(pages, file)
		failed = errors.Join(failed, writePage(out, file))
	}
	return pages, failed
}

// replace writes a file atomically, unless it is unchanged.
func replace(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return store.WriteFile(path, data)
}

const paperExamples = "go run ./runner paper paper   the numbers and tables that paper/numbers.toml lists"

func paperCommand(f *flag.FlagSet) action {
	out := experiment.Results
	outFlag(f, &out, experiment.Results)
	return func(_ context.Context, _ *invocation, args []string) error { return quote.WriteLaTeX(args[0], out) }
}
