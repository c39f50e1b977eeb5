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

const maxRows = 40 // largest number of rows that a result prints

// Result has the means of the scores, and notes on methods with problems or worse than guessing.
func (e *experiment) Result(tables table.Tables, seconds map[string]float64) (r study.Result) {
	if e.Evaluate.repeated() {
		return r
	}
	if e.stream {
		return e.streamResult(tables, seconds)
	}
	if runs := tables.Get("runs"); runs != nil { // a sweep has no table runs
		r.Notes = e.problems(runs)
	}
	if omitted := tables.Get("omitted"); omitted != nil {
		for _, rows := range omitted.GroupBy("set", "what") {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: left out: %s %s; see the table omitted", rows.Texts("set")[0],
				rows.Texts("what")[0], strings.Join(rows.Texts("name"), ", ")))
		}
	}
	if summary := tables.Get("summary"); summary.Len() <= maxRows {
		r.Rows = scoreRows(summary, seconds)
		if strings.Contains(fmt.Sprint(r.Rows), " ± ") {
			rules := strings.Join(summary.Distinct("interval"), "; ")
			r.Notes = append(r.Notes, "± is half of the 95 % interval: "+rules)
		}
		r.Notes = append(r.Notes, e.worseThanGuessing(summary)...)
	}
	return r
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

// worseThanGuessing notes methods with a larger log loss than a majority, if methods have one row each.
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

// scoreRows returns the rows of a summary as texts, without the keys that all rows share. The error has the
// half-width of its interval before it is cut off at 0 or 1. Rows with a λ have no seconds.
func scoreRows(summary *table.Table, seconds map[string]float64) (rows [][]string) {
	keys := summary.Columns[:slices.Index(table.Names(summary.Columns), "seeds")]
	shared := func(c table.Column) bool { return c.Name != "method" && len(summary.Distinct(c.Name)) < 2 }
	shown := table.Names(slices.DeleteFunc(slices.Clone(keys), shared))
	rows = append(rows, slices.Concat(shown, []string{"error", "log loss", "Brier", "ECE", "seconds"}))
	for i := range summary.Len() {
		row := summary.Rows([]int{i})
		num := func(column string) float64 { return row.Nums(column)[0] }
		var cells, group []string
		for _, c := range shown {
			cells = append(cells, row.Texts(c)[0])
		}
		for _, c := range keys {
			if c.Kind == table.Words {
				group = append(group, c.Name+"="+row.Texts(c.Name)[0])
			}
		}
		wrong := decimals(num("error"))
		if half := max(num("error_high")-num("error"), num("error")-num("error_low")); half > 0 {
			wrong += fmt.Sprintf(" ± %.4f", half)
		}
		time, known := seconds[strings.Join(group, " ")]
		if !known {
			time = math.NaN()
		}
		rows = append(rows, append(cells, wrong, decimals(num("log_loss")), decimals(num("brier")),
			decimals(num("ece")), decimals(time)))
	}
	return rows
}

func decimals(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.4f", x), "NaN") }
