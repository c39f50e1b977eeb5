package main

import (
	"bytes"
	"fmt"
	"strings"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// readme returns the README of a results folder: the question, the command, and
// what each file and column is.
func (e *experiment) readme(tables table.Set, drawings []study.Figure, saved []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", e.Name, e.kind.Asks)
	fmt.Fprintf(&b, "This folder is written by `%s`. `manifest.toml` has every value of the experiment, `run.json` tells when, "+
		"where and by which code it was run, and `SHA256SUMS` has the checksums of all other files, but of those that are "+
		"called `timing…`: they hold times and differ on every run. Compressed tables, SVG and PDF figures are not committed: "+
		"a run makes them again.\n\n## Tables\n\nAn empty field is no value.\n", e.invocation())
	for _, t := range tables {
		fmt.Fprintf(&b, "\n`%s`\n\n", store.TableName(t))
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "- `%s`: %s\n", c.Name, c.Doc)
		}
	}
	if len(drawings) > 0 {
		fmt.Fprintf(&b, "\n## Figures\n\n")
	}
	for _, f := range drawings {
		fmt.Fprintf(&b, "- `%s`, of `%s`\n", f.Name, strings.Join(f.Needs, "`, `"))
	}
	if len(saved) > 0 {
		fmt.Fprintf(&b, "\n## Kept\n\n")
	}
	for _, name := range saved {
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
