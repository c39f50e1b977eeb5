package learn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"closedform/internal/kernel"
	"closedform/runner/internal/own"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

const maxRows = 40 // of a result; longer tables are for files

// Result has the means of the scores, and notes on methods that broke down, whose inputs were cut, or that are
// worse than guessing.
func (e *experiment) Result(tables table.Set, seconds map[string]float64) (r study.Result) {
	if runs := tables.Get("runs"); runs != nil {
		r.Notes = e.problems(runs)
	}
	summary := tables.Get("summary")
	if summary.Len() > maxRows {
		return r
	}
	rows, intervals := scoreRows(summary, seconds)
	if r.Rows = rows; intervals && summary.Has("interval") {
		r.Notes = append(r.Notes, "± is half of the 95 % interval: "+strings.Join(summary.Distinct("interval"), "; "))
	}
	r.Notes = append(r.Notes, e.worseThanGuessing(summary)...)
	return r
}

// worseThanGuessing returns a note on each method with a larger log loss than that of majority, if there is one
// row for each method.
func (e *experiment) worseThanGuessing(summary *table.Table) (notes []string) {
	for _, m := range e.Methods {
		guess := summary.Where("method", m.Name)
		if m.Kind != "majority" || guess.Len() == 0 || len(summary.Distinct("method")) < summary.Len() {
			continue
		}
		for i, loss := range summary.Nums("log_loss") {
			if loss > guess.Nums("log_loss")[0] {
				method := summary.Texts("method")[i]
				notes = append(notes, method+" has a larger log loss than the frequencies of the classes")
			}
		}
	}
	return notes
}

// problems returns a note on each method that broke down, and on each whose inputs were often cut.
func (e *experiment) problems(runs *table.Table) (notes []string) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	for _, rows := range runs.GroupBy("method") {
		method, failed := rows.Texts("method")[0], rows.Where("failed", 1)
		if n := failed.Len(); n > 0 {
			note("%s broke down in %d of %d runs, and is scored there as equal probabilities", method, n, rows.Len())
		}
		if e.Save.Network && method == e.saved && failed.Where("seed", e.seeds[0]).Len() > 0 {
			note("no %s is kept: %s broke down", own.File, method)
		}
		if rows.Has("limited") {
			cut, train := kernel.Sum(rows.Nums("limited")), kernel.Sum(rows.Nums("train"))
			if cut > train/10 {
				note("%s: %g of %g training examples have an input beyond ±32, where its output layer cuts them; "+
					"scale = \"standard\" makes them smaller", method, cut, train)
			}
		}
	}
	return notes
}

// scoreRows returns the rows of a summary as texts, without key columns in which all rows agree, and whether
// errors have intervals. They have the half-width of the interval before it is cut off at 0 or 1.
func scoreRows(summary *table.Table, seconds map[string]float64) (rows [][]string, intervals bool) {
	var shown, words []string
	for _, c := range summary.Columns[:slices.Index(table.Names(summary.Columns), "seeds")] {
		if c.Kind == table.Words {
			words = append(words, c.Name)
		}
		if c.Name == "method" || len(summary.Distinct(c.Name)) > 1 {
			shown = append(shown, c.Name)
		}
	}
	rows = append(rows, slices.Concat(shown, []string{"error", "log loss", "Brier", "ECE", "seconds"}))
	for i := range summary.Len() {
		row := summary.Rows([]int{i})
		num := func(column string) float64 {
			if !row.Has(column) {
				return math.NaN()
			}
			return row.Nums(column)[0]
		}
		var texts []string
		for _, c := range shown {
			texts = append(texts, row.Texts(c)[0])
		}
		wrong := decimals(num("error"))
		if half := max(num("error_high")-num("error"), num("error")-num("error_low")); half > 0 {
			wrong += fmt.Sprintf(" ± %.4f", half)
			intervals = true
		}
		rows = append(rows, append(texts, wrong, decimals(num("log_loss")), decimals(num("brier")),
			decimals(num("ece")), decimals(groupSeconds(row, words, seconds))))
	}
	return rows, intervals
}

// groupSeconds returns the seconds of the one group of cells whose name has the words of a row in some columns,
// such as method=joint, or NaN if there is none or there are several.
func groupSeconds(row *table.Table, columns []string, seconds map[string]float64) float64 {
	found := []float64{}
	for group, s := range seconds {
		lacks := func(c string) bool { return !strings.Contains(" "+group+" ", " "+c+"="+row.Texts(c)[0]+" ") }
		if !slices.ContainsFunc(columns, lacks) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		return math.NaN()
	}
	return found[0]
}

func decimals(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.4f", x), "NaN") }
