package learn

import (
	"slices"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// scored returns a summary with key columns, whose rows have them, the error, the log loss and the interval.
func scored(rows [][]any, keys ...table.Column) *table.Table {
	t := table.New("summary", slices.Concat(keys, []table.Column{table.Int("seeds", ""), table.RuleColumn()},
		table.Interval("error", ""), []table.Column{table.Num("log_loss", "")})...)
	for _, row := range rows {
		n := len(keys)
		t.Add(row[:n], 5, "t, seeds", row[n:])
	}
	return t
}

// A run ends with the means, and a warning where guessing is better.
func TestResult(t *testing.T) {
	e := &experiment{Learners: learner.Learners{Methods: []learner.Method{{Name: "guess", Kind: "majority"}}}}
	method, set := table.Text("method", ""), table.Text("set", "")
	summary := scored([][]any{
		{"iris", "model", 0.1, 0.08, 0.12, 1.25},
		{"iris", "guess", 0.6, 0.6, 0.6, 1.1},
		{"iris", "sure", 0.1, 0.0, 0.4, 0.3}, // its interval is cut off at 0
	}, set, method)
	seconds := map[string]float64{
		"set=iris method=model": 2, "set=iris method=sure order=a": 1, "set=iris method=sure order=b": 3,
	}
	r := e.Result(table.Set{summary}, seconds)
	check.Equal(t, "rows", r.Rows, [][]string{
		{"method", "error", "log loss", "Brier", "ECE", "seconds"},
		{"model", "0.1000 ± 0.0200", "1.2500", "", "", "2.0000"},
		{"guess", "0.6000", "1.1000", "", "", ""},
		{"sure", "0.1000 ± 0.3000", "0.3000", "", "", ""},
	})
	check.Equal(t, "notes", r.Notes, []string{
		"± is half of the 95 % interval: t, seeds",
		"model has a larger log loss than the frequencies of the classes",
	})
	swept := scored([][]any{{"model", 0.2, 0.5, 0.1, 0.1, 0.1, 0.3}, {"model", 0.4, 0.5, 0.2, 0.2, 0.2, 0.4}},
		method, table.Num("lambda", ""), table.Num("rho", ""))
	r = e.Result(table.Set{swept}, nil)
	check.Equal(t, "of a sweep", r.Rows[:2], [][]string{
		{"method", "lambda", "error", "log loss", "Brier", "ECE", "seconds"},
		{"model", "0.2", "0.1000", "0.3000", "", "", ""},
	})
	check.Equal(t, "notes of a sweep", len(r.Notes), 0)
	long := scored(slices.Repeat([][]any{{"model", 0.1, 0.1, 0.1, 0.3}}, maxRows+1), method)
	check.Equal(t, "rows of a long table", len(e.Result(table.Set{long}, nil).Rows), 0)
}
