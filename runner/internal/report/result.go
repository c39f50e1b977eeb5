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

// mostResults is the number of rows up to which a run ends with its result: longer tables are for files.
const mostResults = 40

// Result returns the table of means in short, a line for each method with the half-width of the
// interval of its error, before it is cut off at 0 or 1; empty if the experiment has no such table, or a long one.
func Result(tables table.Set, run *store.Run) string {
	t := tables.Get("summary")
	if t == nil || !t.Has("method") || !t.Has("error") || !t.Has("log_loss") || t.Len() > mostResults {
		return ""
	}
	var words []string // of a row
	for _, c := range t.Columns {
		if c.Kind == table.Words && (c.Name == "method" || len(t.Distinct(c.Name)) > 1) {
			words = append(words, c.Name)
		}
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n  %s\terror\t\tlog loss\tBrier\tECE\tseconds\n", strings.Join(words, "\t"))
	least := math.Inf(1)
	for i := range t.Len() {
		num := func(column string) float64 {
			if !t.Has(column) {
				return math.NaN()
			}
			return t.Nums(column)[i]
		}
		var name []string
		for _, c := range words {
			name = append(name, t.Texts(c)[i])
		}
		half := ""
		if h := max(num("error_high")-num("error"), num("error")-num("error_low")); h > 0 { // one end may be cut off
			half = fmt.Sprintf("± %.4f", h)
		}
		fmt.Fprintf(w, "  %s\t%.4f\t%s\t%.4f\t%s\t%s\t%s\n", strings.Join(name, "\t"), num("error"), half, num("log_loss"),
			decimals(num("brier")), decimals(num("ece")), decimals(seconds(run, name)))
		if t.Texts("method")[i] == "majority" {
			least = min(least, num("log_loss"))
		}
	}
	w.Flush()
	if len(words) == 1 {
		for i, loss := range t.Nums("log_loss") {
			if loss > least {
				fmt.Fprintf(&b, "  %s is worse than the frequencies of the classes\n", t.Texts("method")[i])
			}
		}
	}
	return b.String()
}

// seconds returns what a cell with the key of these words takes on the average, NaN if there is none.
func seconds(run *store.Run, words []string) float64 {
	sorted := func(text string) []string { return slices.Sorted(strings.FieldsSeq(text)) }
	for key, s := range run.CellSeconds {
		if slices.Equal(sorted(strings.Join(words, " ")), sorted(key)) {
			return s
		}
	}
	return math.NaN()
}

// decimals returns a number with four decimals, nothing for NaN.
func decimals(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%.4f", x)
}
