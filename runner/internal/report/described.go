package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"closedform/runner/internal/table"
)

// These match the lines of readme.md that describe a table, its columns, and a trained network.
var (
	tableLine   = regexp.MustCompile("^`([^`.]+)\\.csv(\\.gz)?`")
	columnsLine = regexp.MustCompile("^- `(.+)` \\((words|integers|numbers)\\)(?:: (.*))?$")
	keptLine    = regexp.MustCompile("^- `([^`]+)`: ")
)

// Described reads what [README.Markdown] has written about the files of a result: its tables, without rows,
// and the names of its trained networks.
func Described(readme []byte) (tables table.Tables, kept []string) {
	_, files, _ := bytes.Cut(readme, []byte("\n## Files and columns\n"))
	for line := range strings.Lines(string(files)) {
		line = strings.TrimSuffix(line, "\n")
		if m := tableLine.FindStringSubmatch(line); m != nil {
			t := table.New(m[1])
			t.Packed = m[2] != ""
			tables = append(tables, t)
		} else if m := columnsLine.FindStringSubmatch(line); m != nil && tables != nil {
			t, kind := tables[len(tables)-1], table.Kind(slices.Index(kinds, m[2]))
			for name := range strings.SplitSeq(m[1], "`, `") {
				t.Columns = append(t.Columns, table.Column{Name: name, Kind: kind, Doc: m[3]})
			}
		} else if m := keptLine.FindStringSubmatch(line); m != nil {
			kept = append(kept, m[1])
		}
	}
	return tables, kept
}
