package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
)

// page is the file of all results in the folder -out.
const page = "index.html"

func (p *program) reportCommand(f *flag.FlagSet) action {
	p.resultsFlag(f)
	return func(_ context.Context, args []string) error { return p.writePage(args[0]) }
}

// writePage writes all results in -out into one file. Those of the project, in results/, have their README, too.
func (p *program) writePage(file string) error {
	read, err := report.Read(p.out, experiment.Folder)
	if err != nil {
		return err
	}
	html, err := read.HTML()
	if err == nil {
		err = replace(file, html)
	}
	if _, other := manifests(); err == nil && other == nil && filepath.Clean(p.out) == "results" {
		err = replace(filepath.Join(p.out, "README.md"), read.README())
	}
	if err != nil {
		return fmt.Errorf("page of the results: %w", err)
	}
	return nil
}

// replace writes a file atomically, unless it is unchanged.
func replace(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return store.WriteFile(path, data)
}
