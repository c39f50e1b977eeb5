package paper

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"closedform/runner/internal/quote"
)

// tabular is a table of the text: a row for each of rows, a column for each of columns.
type tabular struct {
	Name   string
	From   string   // EXPERIMENT/TABLE of the columns that have none of their own
	Row    string   // fields that all cells share
	Rows   []string // the fields of each row, " : " and its label; an empty one is a rule
	Label  string   // head of the labels; none: no labels
	Column []column
}

// column is a column: a number of each row.
type column struct {
	number
	Head  string
	Align string   // of LaTeX; r
	Best  string   // least or greatest: bold between two rules
	None  []string // rows that have no value
}

// tex returns the table as LaTeX.
func (t tabular) tex(results *quote.Results) (string, error) {
	var heads, aligns []string
	var failed []error
	lines := make([][]string, len(t.Rows))
	add := func(head, align string, cell func(i int) string) {
		heads, aligns = append(heads, head), append(aligns, align)
		for i := range lines {
			lines[i] = append(lines[i], cell(i))
		}
	}
	if t.Label != "" {
		add(t.Label, "l", func(i int) string { return t.label(t.Rows[i], results) })
	}
	for _, c := range t.Column {
		cells, err := t.cells(c, results)
		failed = append(failed, err)
		switch {
		case c.Interval: // the halves of intervals are a column of LaTeX of their own
			c.Head, c.Align = `\multicolumn{2}{c}{`+c.Head+"}", `r@{\,}l`
		case c.Align == "":
			c.Head, c.Align = `\multicolumn{1}{r}{`+c.Head+"}", "r"
		}
		add(c.Head, c.Align, func(i int) string { return cells[i] })
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s \\\\\n\\midrule\n", strings.Join(aligns, ""), strings.Join(heads, " & "))
	for i, line := range lines {
		if t.Rows[i] == "" {
			b.WriteString("\\midrule\n")
			continue
		}
		fmt.Fprintf(&b, "%s \\\\\n", strings.Join(line, " & "))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.String(), errors.Join(failed...)
}

// label returns that of a row: its own; else that of the method in its first field, which the
// published manifest has; else the words of its first field.
func (t tabular) label(row string, results *quote.Results) string {
	fields, label, ok := strings.Cut(row, " : ")
	if !ok {
		_, name, _ := strings.Cut(strings.Split(fields, " ")[0], "=")
		experiment, _, _ := strings.Cut(t.From, "/")
		var err error
		if label, err = results.Text(quote.Source{From: experiment + "/manifest", Column: "method." + name + ".label"}); err != nil {
			label = strings.NewReplacer("-", " ", "_", " ").Replace(name)
		}
	}
	return escape(label)
}

// cells returns the cells of a column, empty where there is a rule.
func (t tabular) cells(c column, results *quote.Results) ([]string, error) {
	cells, values := make([]string, len(t.Rows)), make([]value, len(t.Rows))
	if !slices.Contains([]string{"", "least", "greatest"}, c.Best) {
		return cells, fmt.Errorf("best %q is not allowed; allowed: least, greatest", c.Best)
	}
	c.From = cmp.Or(c.From, t.From)
	var failed []error
	first := 0 // of the rows since a rule
	for i, row := range append(slices.Clone(t.Rows), "") {
		if row == "" {
			c.set(cells[first:i], values[first:i])
			first = i + 1
			continue
		}
		fields, _, _ := strings.Cut(row, " : ")
		var err error
		if cells[i], values[i], err = c.cell(results, t.Row, fields); err != nil {
			failed = append(failed, fmt.Errorf("column %q: %w", c.Head, err))
		}
	}
	return cells, errors.Join(failed...)
}

// cell returns the words or the value of a row, of which x is NaN if there is none.
func (c column) cell(results *quote.Results, shared, fields string) (text string, v value, err error) {
	n, none := c.number, value{x: math.NaN()}
	n.Row = strings.Join([]string{shared, fields, n.Row}, " ")
	if slices.Contains(c.None, fields) {
		if _, err := results.Text(n.Source); err == nil {
			return "", none, fmt.Errorf("none has %q, where a value is", fields)
		}
		if text = "--"; c.Interval {
			text += " &"
		}
		return text, none, nil
	}
	if n.Format == words {
		text, err = n.tex(results)
		return text, none, err
	}
	n.Interval = n.Of == ""
	if v, err = n.read(results); n.Interval && err != nil && (!c.Interval || errors.Is(err, quote.ErrEmpty)) {
		n.Interval = false // a mean of one seed, and what is no mean, has no interval
		v, err = n.read(results)
		v.low, v.high = math.NaN(), math.NaN()
	}
	if err == nil && strings.HasSuffix(n.From, "/summary") && (math.IsInf(v.x, 0) || v.high-v.low > 2*math.Abs(v.x)) {
		text, err = n.median(results)
		if c.Interval {
			text += " &"
		}
		return text, none, err
	}
	return "", v, err
}

// median returns that of the runs where a mean is infinite or its interval wider than itself, marked with
// how many of them are infinite.
func (n number) median(results *quote.Results) (string, error) {
	experiment, _, _ := strings.Cut(n.From, "/")
	n.From, n.Interval, n.Of = experiment+"/runs", false, "infinite"
	count, err := n.read(results)
	if err != nil {
		return "", err
	}
	n.Of = "median"
	v, err := n.read(results)
	mark := "*"
	if count.x > 0 {
		mark = fmt.Sprintf(`%.0f\infty`, count.x)
	}
	return fmt.Sprintf(`$%s\rlap{$^{%s}$}$`, spell(n.Format, v.x), mark), err
}

// set sets the cells of a part of the table that have values, the best of these in bold.
func (c column) set(cells []string, values []value) {
	best := math.NaN()
	for _, v := range values {
		if math.IsNaN(best) || c.Best == "least" && v.x < best || c.Best == "greatest" && v.x > best {
			best = v.x
		}
	}
	for i, v := range values {
		if math.IsNaN(v.x) {
			continue
		}
		text := spell(c.Format, v.x)
		if c.Best != "" && len(values) > 1 && text == spell(c.Format, best) {
			text = `\mathbf{` + text + "}"
		}
		cells[i] = "$" + text + "$"
		if c.Interval {
			cells[i] += " &"
			if !math.IsNaN(v.low) {
				cells[i] += ` \half{` + spell(c.Format, (v.high-v.low)/2) + "}"
			}
		}
	}
}
