package quote

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// tabular is a table of the text.
type tabular struct {
	Name, Align, Head string   // of LaTeX
	Rows              []string // the fields of each row, " : " and its label, if any; an empty one is a rule
	Columns           []column
}

// column is a number or, without a format, a text of each row.
type column struct {
	Cell string   // a reference, to which the fields of a row are added
	None []string // rows that have no value
}

// tex returns the table as LaTeX.
func (t tabular) tex(tables Tables) (text string, failed error) {
	lines := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		if _, label, ok := strings.Cut(row, " : "); ok {
			lines[i] = []string{label}
		}
	}
	for _, c := range t.Columns {
		part := []cell{} // since a rule
		for i, row := range append(slices.Clone(t.Rows), "") {
			if row != "" {
				fields, _, _ := strings.Cut(row, " : ")
				cell, err := c.cell(fields, tables)
				part, failed = append(part, cell), errors.Join(failed, err)
				continue
			}
			for k, cell := range part {
				line := &lines[i-len(part)+k]
				*line = append(*line, cell.tex(part))
			}
			part = nil
		}
	}
	text = fmt.Sprintf("\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s \\\\\n", t.Align, t.Head)
	for _, line := range append([][]string{nil}, lines...) {
		if line == nil {
			text += "\\midrule\n"
		} else {
			text += strings.Join(line, " & ") + " \\\\\n"
		}
	}
	return text + "\\bottomrule\n\\end{tabular}\n", failed
}

// cell is a number or a text, and what follows it.
type cell struct {
	number
	words, after string
}

// cell returns that of a row.
func (c column) cell(fields string, tables Tables) (of cell, err error) {
	of.number, err = read(c.Cell+" "+fields, tables)
	n, none := of.number, slices.Contains(c.None, fields)
	switch {
	case none && err == nil:
		return of, fmt.Errorf("none of the column %q has %q, where a value is", c.Cell, fields)
	case none:
		of.words, err = "--", nil
	case err != nil:
		return of, err
	case n.format == "":
		of.words = escapes.Replace(n.text)
	case strings.HasSuffix(n.table, "/summary") && (math.IsInf(n.x, 0) || n.high-n.low > 2*math.Abs(n.x)):
		of.words, err = median(strings.Replace(c.Cell, "/summary", "/runs", 1)+" "+fields, tables)
	case n.interval && !math.IsNaN(n.low):
		of.after = ` \half{` + n.spell((n.high-n.low)/2) + "}"
	}
	if n.interval {
		of.after = " &" + of.after
	}
	return of, err
}

// tex returns the cell, in bold if no other number of the part is better.
func (c cell) tex(part []cell) string {
	if c.words != "" {
		return c.words + c.after
	}
	best := c
	for _, other := range part {
		better := c.best == "lowest" && other.x < best.x || c.best == "highest" && other.x > best.x
		if better && other.words == "" {
			best = other
		}
	}
	text := c.spell(c.x)
	if c.best != "" && len(part) > 1 && text == best.spell(best.x) {
		text = `\mathbf{` + text + "}"
	}
	return "$" + text + "$" + c.after
}

// median returns that of the runs, marked with how many of them are infinite.
func median(reference string, tables Tables) (string, error) {
	infinite, err := read(reference+" infinite", tables)
	n, bad := read(reference+" median", tables)
	mark := "*"
	if infinite.x > 0 {
		mark = fmt.Sprintf(`%.0f\infty`, infinite.x/infinite.factor)
	}
	return fmt.Sprintf(`$%s\rlap{$^{%s}$}$`, n.spell(n.x), mark), cmp.Or(err, bad)
}

// escapes are those of a text that is not written for LaTeX.
var escapes = strings.NewReplacer("&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`, "λ", `$\lambda$`)
