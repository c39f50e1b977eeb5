package report

import (
	"bytes"
	"fmt"
	"strings"

	"closedform/runner/internal/store"
)

// README returns that of a results folder: the question of the experiment, the command that runs it, and
// what each file and column is.
func README(name, asks, command string, s *store.Schema) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", name, asks)
	if s.Finding != "" {
		fmt.Fprintf(&b, "%s\n\n", s.Finding)
	}
	fmt.Fprintf(&b, "This folder is written by `%s`. `manifest.toml` has every value of the experiment, `run.json` tells when, "+
		"where and by which code it was run, `schema.json` has for programs what stands here, and `SHA256SUMS` has the checksums of all other files. "+
		"Compressed tables and PDF figures are not committed: "+
		"a run makes them again.\n\n## Tables\n\nAn empty field is no value.\n", command)
	if len(s.Programs) > 0 {
		fmt.Fprintf(&b, "\nOther programs than this one computed a part of the tables: %s. Where one of these differs, `verify` does not compare them.\n",
			strings.Join(s.Programs, "; "))
	}
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
		fmt.Fprintf(&b, "- `%s`: see `[save]` in the manifest, and `go run ./runner predict`\n", name)
	}
	return b.Bytes()
}
