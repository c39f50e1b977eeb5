package main

import (
	"bytes"
	"fmt"
	"strings"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// schema says what is in the results folder.
func schema(tables table.Set, drawings []study.Figure, kept, notes []string) *store.Schema {
	s := &store.Schema{Kept: kept, Notes: notes}
	for _, t := range tables {
		s.AddTable(t)
	}
	for _, f := range drawings {
		s.Figures = append(s.Figures, store.FigureSchema{Name: f.Name, Needs: f.Needs})
	}
	return s
}

// readme returns the README of a results folder: the question, the command, and
// what each file and column is.
func (e *experiment) readme(s *store.Schema) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", e.Name, e.kind.Asks)
	if s.Finding != "" {
		fmt.Fprintf(&b, "%s\n\n", s.Finding)
	}
	fmt.Fprintf(&b, "This folder is written by `%s`. `manifest.toml` has every value of the experiment, `run.json` tells when, "+
		"where and by which code it was run, `schema.json` has for programs what stands here, and `SHA256SUMS` has the checksums of all other files, but of those that are "+
		"called `timing…`: they hold times and differ on every run. Compressed tables, SVG and PDF figures are not committed: "+
		"a run makes them again.\n\n## Tables\n\nAn empty field is no value.\n", e.invocation())
	for _, t := range s.Tables {
		fmt.Fprintf(&b, "\n`%s`\n\n", t.File)
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "- `%s`: %s\n", c.Name, c.Doc)
		}
	}
	if len(s.Figures) > 0 {
		fmt.Fprintf(&b, "\n## Figures\n\n")
	}
	for _, f := range s.Figures {
		fmt.Fprintf(&b, "- `%s`, of `%s`\n", f.Name, strings.Join(f.Needs, "`, `"))
	}
	if len(s.Kept) > 0 {
		fmt.Fprintf(&b, "\n## Kept\n\n")
	}
	for _, name := range s.Kept {
		fmt.Fprintf(&b, "- `%s`: see `[save]` in the manifest, and `go run ./runner -predict`\n", name)
	}
	return b.Bytes()
}

// invocation returns the command that runs the experiment.
func (e *experiment) invocation() string {
	if e.Folder != manifests {
		return "go run ./runner -exp FOLDER/manifest.toml -out ANOTHER"
	}
	command := "go run ./runner -exp " + e.Name
	for _, o := range e.Overrides {
		command += " -set " + quoted(o)
	}
	return command
}
