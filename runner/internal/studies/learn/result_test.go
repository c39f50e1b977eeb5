package learn

import (
	"regexp"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// A run ends with the means, and a warning where guessing is better.
func TestResult(t *testing.T) {
	e := &experiment{Learners: learner.Learners{Methods: []learner.Method{{Name: "guess", Kind: "majority"}}}}
	columns := []table.Column{
		table.Text("set", ""), table.Text("method", ""), table.Num("lambda", ""),
		table.Int("seeds", ""), table.RuleColumn(),
	}
	for _, c := range learner.ScoreColumns() {
		columns = append(columns, table.Interval(c.Name, "")...)
	}
	add := func(t *table.Table, method string, lambda, wrong, low, high, loss float64) {
		gaps := table.Gaps(2)
		t.Add("iris", method, lambda, 5, "t, seeds", wrong, low, high, loss, gaps, 0.5, gaps, gaps, gaps, gaps)
	}
	short := table.New("summary", columns...)
	add(short, "model", 1, 0.1, 0.08, 0.12, 1.25)
	add(short, "guess", 1, 0.6, 0.6, 0.6, 1.1)
	add(short, "sure", 1, 0.1, 0, 0.4, 0.3) // its interval is cut off at 0
	seconds := map[string]float64{
		"set=iris method=model": 2, "set=iris method=sure order=a": 1, "set=iris method=sure order=b": 3,
	}
	r := e.Result(table.Tables{short}, seconds)
	check.Equal(t, "rows", r.Tables[0], [][]string{
		{"method", "error", "log loss", "Brier", "ECE", "seconds"},
		{"model", "0.1000 ± 0.0200", "1.2500", "0.5000", "", "2.0000"},
		{"guess", "0.6000", "1.1000", "0.5000", "", ""},
		{"sure", "0.1000 ± 0.3000", "0.3000", "0.5000", "", ""},
	})
	check.Equal(t, "notes", r.Notes, []string{
		"± is half of the 95 % interval: t, seeds",
		"model has a larger log loss than the frequencies of the classes",
	})
	swept := table.New("summary", columns...)
	for i := range maxRows {
		add(swept, "model", float64(i), 0.1, 0.1, 0.1, 0.3)
	}
	r = e.Result(table.Tables{swept}, nil)
	check.Equal(t, "of a sweep", r.Tables[0][2], []string{"model", "1", "0.1000", "0.3000", "0.5000", "", ""})
	add(swept, "model", 9, 0.1, 0.1, 0.1, 0.3)
	check.Equal(t, "rows of a long table", len(e.Result(table.Tables{swept}, nil).Tables), 0)
}

// A note says where an output layer cuts its inputs, and what broke down.
func TestProblems(t *testing.T) {
	runs := table.New("runs", table.Text("method", ""), table.Int("train", ""), table.Int("limited", ""),
		table.Int("failed", ""))
	runs.Add("cut", 24, 3, 0)
	runs.Add("fine", 24, 2, 0)
	runs.Add("fails", 24, 0, 1)
	notes := strings.Join(new(experiment).problems(runs), "\n")
	want := regexp.MustCompile("^cut: 3 of 24 training .* ±32.*\nfails broke down in 1 of 1 runs.*$")
	check.True(t, want.MatchString(notes), "notes %q", notes)
}
