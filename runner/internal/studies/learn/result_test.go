package learn

import (
	"slices"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// A run ends with the means, and a warning where guessing is better.
func TestResult(t *testing.T) {
	e := &experiment{Learners: learner.Learners{Methods: []learner.Method{{Name: "guess", Kind: "majority"}}}}
	means := []table.Column{table.Int("seeds", ""), table.RuleColumn()}
	for _, c := range learner.ScoreColumns() {
		means = append(means, table.Interval(c.Name, "")...)
	}
	summary := func(columns ...table.Column) *table.Table {
		return table.New("summary", slices.Concat(columns, means)...)
	}
	row := func(key []any, wrong, low, high, loss float64) []any {
		return []any{key, 5, "t, seeds", wrong, low, high, loss, table.Gaps(2), 0.5, table.Gaps(2 + 3 + 3)}
	}
	method, set := table.Text("method", ""), table.Text("set", "")
	short := summary(set, method)
	short.Add(row([]any{"iris", "model"}, 0.1, 0.08, 0.12, 1.25)...)
	short.Add(row([]any{"iris", "guess"}, 0.6, 0.6, 0.6, 1.1)...)
	short.Add(row([]any{"iris", "sure"}, 0.1, 0, 0.4, 0.3)...) // its interval is cut off at 0
	seconds := map[string]float64{
		"set=iris method=model": 2, "set=iris method=sure order=a": 1, "set=iris method=sure order=b": 3,
	}
	r := e.Result(table.Set{short}, seconds)
	check.Equal(t, "rows", r.Rows, [][]string{
		{"method", "error", "log loss", "Brier", "ECE", "seconds"},
		{"model", "0.1000 ± 0.0200", "1.2500", "0.5000", "", "2.0000"},
		{"guess", "0.6000", "1.1000", "0.5000", "", ""},
		{"sure", "0.1000 ± 0.3000", "0.3000", "0.5000", "", ""},
	})
	check.Equal(t, "notes", r.Notes, []string{
		"± is half of the 95 % interval: t, seeds",
		"model has a larger log loss than the frequencies of the classes",
	})
	swept := summary(method, table.Num("lambda", ""), table.Num("rho", ""))
	for i := range maxRows {
		swept.Add(row([]any{"model", 0.2 + float64(i%2), 0.5}, 0.1, 0.1, 0.1, 0.3)...)
	}
	r = e.Result(table.Set{swept}, nil)
	check.Equal(t, "of a sweep", r.Rows[1], []string{"model", "0.2", "0.1000", "0.3000", "0.5000", "", ""})
	swept.Add(row([]any{"model", 0.2, 0.5}, 0.1, 0.1, 0.1, 0.3)...)
	check.Equal(t, "rows of a long table", len(e.Result(table.Set{swept}, nil).Rows), 0)
}
