// Package report writes results for readers: README.md of each result, README.md of all results by subject,
// with what was found, and index.html, the same in one file with the figures. Equal results make equal bytes.
package report

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"text/template"

	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

//go:embed readme.md results.md index.html
var texts embed.FS

// README is the page of a result: README.md of its folder.
type README struct {
	Name, Asks string
	Finding    string // the manifest's finding; empty: none
	Result     study.Result
	Figures    []study.Figure
	Command    string // command line of the run, as typed
	Programs   []string
	Tables     table.Tables
	Kept       []string // file names of trained networks
}

// Text returns the result in lines for a terminal.
func Text(r study.Result) string {
	var b strings.Builder
	for _, rows := range r.Tables {
		b.WriteString("\n")
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, row := range rows {
			var line []string
			for _, cell := range row {
				line = append(line, bold.ReplaceAllString(cell, "$1"))
			}
			fmt.Fprintf(w, "  %s\n", strings.Join(line, "\t"))
		}
		w.Flush()
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	return b.String()
}

// bold matches a cell in bold.
var bold = regexp.MustCompile(`^\*\*(.+)\*\*$`)

// plain keeps plain text plain in a table of Markdown.
var plain = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "`", "\\`")

func escaped(cell string) string {
	if m := bold.FindStringSubmatch(cell); m != nil {
		return "**" + plain.Replace(m[1]) + "**"
	}
	return plain.Replace(cell)
}

// Markdown returns the text.
func (r *README) Markdown() []byte { return fill("readme.md", r) }

func fill(name string, data any) []byte {
	functions := template.FuncMap{"join": strings.Join, "columns": columns, "escaped": escaped}
	var b bytes.Buffer
	t := template.Must(template.New(name).Funcs(functions).ParseFS(texts, name))
	if err := t.Execute(&b, data); err != nil {
		panic("report: " + err.Error()) // cannot happen: the data have text only
	}
	return b.Bytes()
}

type described struct {
	Names     []string
	Kind, Doc string
}

var kinds = strings.Fields("words integers integers numbers numbers numbers") // words for each [table.Kind]

// columns describes the columns of a table. Neighbours with the same description share a line, as do a mean
// and the ends of its interval.
func columns(t *table.Table) (lines []described) {
	for _, c := range t.Columns {
		d, k := described{[]string{c.Name}, kinds[c.Kind], c.Doc}, len(lines)-1
		name := strings.TrimSuffix(strings.TrimSuffix(c.Name, "_low"), "_high")
		if k >= 0 && (name == lines[k].Names[0] || d.Doc == lines[k].Doc && d.Kind == lines[k].Kind) {
			lines[k].Names = append(lines[k].Names, c.Name)
		} else {
			lines = append(lines, d)
		}
	}
	return lines
}

// Patterns of the lines of readme.md that describe a table, its columns, and a trained network.
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
