package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

// Result is the table of means in short, with which a run ends.
type Result struct {
	Rows  [][]string // the first has the names of the columns; none: there is no such table, or a long one
	Notes []string
}

// NewResult has a row for each method, or for each claim. The error has the half-width of its interval,
// before it is cut off at 0 or 1.
func NewResult(tables table.Set, run *store.Run) (r Result) {
	if t := tables.Get("claims"); t != nil {
		r.Rows = append(r.Rows, []string{"claim", "holds with", "fails with", "undecided with"})
		for i := range t.Len() {
			r.Rows = append(r.Rows, cells(t, i, "claim", "holds_with", "fails_with", "open_with"))
		}
		return r
	}
	t := tables.Get("summary")
	if t == nil || !t.Has("method") || !t.Has("error") || !t.Has("log_loss") || t.Len() > 40 {
		return r // longer tables are for files
	}
	var words, key []string // columns that distinguish the rows: those before the number of seeds and the scores
	n := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Name == "seeds" || c.Name == "error" })
	for _, c := range t.Columns[:n] {
		if c.Kind == table.Words {
			key = append(key, c.Name)
		}
		if c.Name == "method" || len(t.Distinct(c.Name)) > 1 {
			words = append(words, c.Name)
		}
	}
	r.Rows = append(r.Rows, append(slices.Clone(words), "error", "log loss", "Brier", "ECE", "seconds"))
	interval := false
	for i := range t.Len() {
		num := func(column string) float64 {
			if !t.Has(column) {
				return math.NaN()
			}
			return t.Nums(column)[i]
		}
		wrong := decimals(num("error"))
		if h := max(num("error_high")-num("error"), num("error")-num("error_low")); h > 0 {
			wrong += fmt.Sprintf(" ± %.4f", h)
			interval = t.Has("interval")
		}
		r.Rows = append(r.Rows, append(cells(t, i, words...), wrong, decimals(num("log_loss")),
			decimals(num("brier")), decimals(num("ece")), decimals(seconds(run, t, i, key))))
	}
	if interval {
		r.Notes = append(r.Notes, "± is half of the 95 % interval: "+strings.Join(t.Distinct("interval"), "; "))
	}
	if majority := t.Where("method", "majority"); len(words) == 1 && majority.Len() > 0 {
		for i, method := range t.Texts("method") {
			if t.Nums("log_loss")[i] > majority.Nums("log_loss")[0] {
				r.Notes = append(r.Notes, method+" has a larger log loss than the frequencies of the classes")
			}
		}
	}
	return r
}

func cells(t *table.Table, row int, columns ...string) (texts []string) {
	for _, c := range columns {
		texts = append(texts, t.Texts(c)[row])
	}
	return texts
}

// Text returns the result in lines for a terminal.
func (r Result) Text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for i, row := range r.Rows {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "  %s\n", strings.Join(row, "\t"))
	}
	w.Flush()
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	return b.String()
}

// escaped has plain text stay plain in a table of Markdown.
var escaped = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "`", "\\`")

// seconds returns the time of the group of cells whose name has the row's words in the key columns, such as
// method=joint. If several groups have them, or none, it is NaN.
func seconds(run *store.Run, t *table.Table, row int, key []string) float64 {
	found := []float64{}
	for group, s := range run.CellSeconds {
		lacks := func(c string) bool { return !strings.Contains(" "+group+" ", " "+c+"="+t.Texts(c)[row]+" ") }
		if !slices.ContainsFunc(key, lacks) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		return math.NaN()
	}
	return found[0]
}

func decimals(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.4f", x), "NaN") }
