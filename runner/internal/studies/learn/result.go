package learn

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/runner/internal/own"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

const maxRows = 40 // largest number of rows that a result lists

// Result has the means of the scores, and notes on methods with problems or worse than guessing. Many means
// are tables of methods by sets, and of a sweep those of one ρ.
func (e *experiment) Result(tables table.Tables, seconds map[string]float64) (r study.Result) {
	summary := tables.Get("summary")
	switch {
	case e.Evaluate.repeated():
		for _, rows := range summary.GroupBy("set") {
			r.Tables = append(r.Tables, rows.Pivot(table.Pivot{
				Title: rows.Texts("set")[0] + ": total variation", Value: "tv", Format: "%.3f",
				Rows: []string{"method"}, Across: []string{"differ_by", "seen"},
			}))
		}
		return r
	case e.stream:
		return e.streamResult(tables, seconds)
	}
	if runs := tables.Get("runs"); runs != nil { // a sweep has no table runs
		r.Notes = append(omissions(tables.Get("omitted")), e.problems(runs)...)
	}
	if n := len(e.Sweep.Rho); n > 1 && summary.Len() > maxRows {
		rho := e.Sweep.Rho[n/2]
		summary = summary.Where("rho", rho)
		r.Notes = append(r.Notes, fmt.Sprintf("rho = %v, of %d values: summary.csv has all", rho, n))
	}
	summary = e.addTimes(summary, seconds)
	if keys := varied(summary, "set", "order"); summary.Len() > maxRows && keys != nil {
		r.Tables = pivots(summary, append(keys, varied(summary, "lambda", "rho")...))
		return r
	}
	r.Tables = [][][]string{scoreRows(e.bySet(summary))}
	if strings.Contains(fmt.Sprintf("%q", r.Tables), `]"`) {
		r.Notes = append(r.Notes, "[a, b]: 95 % interval: "+strings.Join(summary.Distinct("interval"), "; "))
	}
	r.Notes = append(r.Notes, e.worseThanGuessing(summary)...)
	return r
}

// bySet returns the rows in the order of the sets in the manifest.
func (e *experiment) bySet(t *table.Table) *table.Table {
	var rows []int
	for _, set := range e.sets {
		for i, name := range t.Texts("set") {
			if name == set.Name {
				rows = append(rows, i)
			}
		}
	}
	return t.Rows(rows)
}

// varied returns the columns, of those that the table has, with two or more values.
func varied(t *table.Table, columns ...string) (names []string) {
	for _, c := range columns {
		if t.Has(c) && len(t.Distinct(c)) > 1 {
			names = append(names, c)
		}
	}
	return names
}

// addTimes returns the summary with the columns steps, the examples that a run learns in all passes; seconds,
// the processor time of a run; and per_1000, that of 1000 steps. A cell of a sweep has several runs, whose times
// are unknown.
func (e *experiment) addTimes(summary *table.Table, seconds map[string]float64) *table.Table {
	steps, time, per := table.Num("steps", ""), table.Num("seconds", ""), table.Num("per_1000", "")
	for i, method := range summary.Texts("method") {
		var group []string
		for _, c := range summaryKeys(summary) {
			group = append(group, c+"="+summary.Texts(c)[i])
		}
		t, known := seconds[strings.Join(group, " ")]
		if !known || e.swept {
			t = math.NaN()
		}
		n := summary.Nums("train")[i]
		for _, m := range e.Listed() {
			if m.Name == method && m.Online() {
				n *= float64(cmp.Or(m.Passes, slices.Max(e.Evaluate.Passes)))
			}
		}
		steps.Nums, time.Nums, per.Nums = append(steps.Nums, n), append(time.Nums, t), append(per.Nums, 1000*t/n)
	}
	return &table.Table{Columns: append(slices.Clone(summary.Columns), steps, time, per)}
}

// summaryKeys returns the names of the columns that identify the rows.
func summaryKeys(summary *table.Table) []string {
	names := table.Names(summary.Columns)
	return names[:slices.Index(names, "seeds")]
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

// pivots returns tables with a column for each value of the first key, as a rule the set, and a row for each
// method and each combination of the other keys.
func pivots(summary *table.Table, keys []string) (tables [][][]string) {
	for _, p := range []table.Pivot{
		{Title: "log loss", Value: "log_loss", Lowest: true},
		{Title: "log loss, median of the seeds", Value: "log_loss_median", Lowest: true},
		{Title: "error", Value: "error", Lowest: true},
		{Title: "seconds for 1,000 examples", Value: "per_1000"},
		{Title: "indefinite steps", Value: "indefinite_steps"},
	} {
		if summary.Has(p.Value) && !math.IsNaN(floats.Max(summary.Nums(p.Value))) {
			p.Format, p.Rows, p.Across = "%.3f", append([]string{"method"}, keys[1:]...), keys[:1]
			tables = append(tables, summary.Pivot(p))
		}
	}
	return tables
}

// scoreRows returns the rows of a summary as texts, without columns of keys that all rows share, and of values
// that no row has.
func scoreRows(summary *table.Table) [][]string {
	rows := make([][]string, 1+summary.Len())
	add := func(header string, texts []string) {
		if !slices.Equal(texts, make([]string, len(texts))) {
			for i, text := range append([]string{header}, texts...) {
				rows[i] = append(rows[i], text)
			}
		}
	}
	for _, key := range summaryKeys(summary) {
		if key == "method" || varied(summary, key) != nil {
			add(key, summary.Texts(key))
		}
	}
	texts := func(column string) (texts []string) {
		if summary.Has(column) {
			for _, x := range summary.Nums(column) {
				texts = append(texts, decimals(x))
			}
		}
		return texts
	}
	wrong, low, high := texts("error"), texts("error_low"), texts("error_high")
	for i := range wrong {
		if low[i] != high[i] {
			wrong[i] += " [" + low[i] + ", " + high[i] + "]"
		}
	}
	add("error", wrong)
	add("log loss", texts("log_loss"))
	if summary.Has("log_loss_infinite") {
		add("median", texts("log_loss_median"))
		add("infinite", texts("log_loss_infinite"))
	}
	add("Brier", texts("brier"))
	add("ECE", texts("ece"))
	if summary.Has("indefinite_steps") {
		var indefinite []string
		for i, n := range summary.Nums("indefinite_steps") {
			indefinite = append(indefinite, fmt.Sprintf("%.1f of %.0f", n, summary.Nums("steps")[i]))
		}
		add("indefinite steps", indefinite)
	}
	if summary.Has("bytes") {
		var size []string
		for _, n := range summary.Nums("bytes") {
			size = append(size, strings.TrimPrefix(fmt.Sprintf("%.2f", n/1e6), "NaN"))
		}
		add("MB", size)
	}
	add("seconds", texts("seconds"))
	add("per 1,000 examples", texts("per_1000"))
	return rows
}

func decimals(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.4f", x), "NaN") }
