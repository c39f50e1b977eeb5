package learn

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// summary returns a table of means to which rows are added: set, method, λ, error with its interval, log loss.
func summary() (t *table.Table, add func(set, method string, lambda, wrong, low, high, loss float64)) {
	t = table.New("summary", table.Text("set", ""), table.Text("method", ""), table.Num("lambda", ""),
		table.Num("rho", ""), table.Int("seeds", ""), table.RuleColumn())
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.Interval(c.Name, "")...)
	}
	t.Columns = append(t.Columns, table.Num("log_loss_median", ""), table.Num("train", ""))
	return t, func(set, method string, lambda, wrong, low, high, loss float64) {
		gaps := table.Gaps(2)
		t.Add(set, method, lambda, 0.5, 5, "t, seeds", wrong, low, high, loss, gaps, 0.5, gaps, gaps, gaps, gaps,
			0.25, 50)
	}
}

// A run ends with the means, and a warning where guessing is better. Columns without values are left out.
func TestResult(t *testing.T) {
	e := &experiment{
		Evaluate: evaluate{Passes: []int{1}}, sets: []set{{Name: "wine"}, {Name: "iris"}},
	}
	e.Methods = []learner.Method{{Name: "guess", Kind: "majority"}, {Name: "sure", Kind: "closed-form", Passes: 4}}
	check.OK(t, e.Methods[0].Extend(map[string]any{"kind": "majority"}))
	short, add := summary()
	add("iris", "model", 1, 0.1, 0.08, 0.12, 1.25)
	add("iris", "guess", 1, 0.6, 0.6, 0.6, 1.1)
	add("iris", "sure", 1, 0.1, 0, 0.4, 0.3)
	seconds := map[string]float64{
		"set=iris method=model lambda=1 rho=0.5": 2, "set=iris method=sure lambda=1 rho=0.5": 3,
	}
	r := e.Result(table.Tables{short}, seconds)
	check.Equal(t, "rows", r.Tables, [][][]string{{
		{"method", "error", "log loss", "Brier", "seconds", "per 1,000 examples"},
		{"model", "0.1000 [0.0800, 0.1200]", "1.2500", "0.5000", "2.0000", "40.0000"},
		{"guess", "0.6000", "1.1000", "0.5000", "", ""},
		{"sure", "0.1000 [0.0000, 0.4000]", "0.3000", "0.5000", "3.0000", "15.0000"},
	}})
	check.Equal(t, "notes", r.Notes, []string{
		"[a, b]: 95 % interval: t, seeds",
		"model has a larger log loss than the frequencies of the classes",
	})
}

// Means are listed set after set; more than fit a list are methods by sets, the best in bold.
func TestManySets(t *testing.T) {
	e := &experiment{Evaluate: evaluate{Passes: []int{1}}, sets: []set{{Name: "wine"}, {Name: "iris"}}}
	means, add := summary()
	add("wine", "a", 1, 0.2, 0.2, 0.2, 0.3)
	add("iris", "a", 1, 0.1, 0.1, 0.1, 1)
	add("wine", "b", 1, 0.5, 0.5, 0.5, 2)
	rows := e.Result(table.Tables{means}, nil).Tables[0]
	check.Equal(t, "sets", []string{rows[1][0], rows[2][0], rows[3][0]}, []string{"wine", "wine", "iris"})
	for i := range maxRows {
		add("iris", fmt.Sprint("m", i), 1, 0.5, 0.5, 0.5, 2+float64(i))
	}
	r := e.Result(table.Tables{means}, map[string]float64{"set=iris method=m0 lambda=1 rho=0.5": 2})
	titles := []string{r.Tables[0][0][0], r.Tables[1][0][0], r.Tables[2][0][0], r.Tables[3][0][0]}
	check.Equal(t, "tables", titles,
		[]string{"log loss", "log loss, median of the seeds", "error", "seconds for 1,000 examples"})
	check.Equal(t, "log loss", r.Tables[0][:4], [][]string{
		{"log loss", "wine", "iris"}, {"a", "**0.300**", "**1.000**"}, {"b", "2.000", ""}, {"m0", "", "2.000"},
	})
	check.Equal(t, "error", r.Tables[2][1], []string{"a", "**0.200**", "**0.100**"})
	two := pivots(means.Rows([]int{0, 1}), []string{"set", "interval"})[0]
	check.Equal(t, "two keys", two[1:], [][]string{{"a, t, seeds", "**0.300**", "**1.000**"}})
	check.Equal(t, "seconds", r.Tables[3][3], []string{"m0", "", "40.000"})
}

// A sweep has its indefinite steps, where losses are infinite their median and share, and no times. Of a large
// one there are the rows of one ρ.
func TestSweptResult(t *testing.T) {
	e := &experiment{Evaluate: evaluate{Passes: []int{2}}, sets: []set{{Name: "data"}}, swept: true}
	e.Sweep.Rho = []float64{0, 0.5}
	means, add := summary()
	for i := range maxRows {
		add("data", "model", float64(i), 0.1, 0.1, 0.1, math.Inf(1))
		means.Columns[3].Nums[i] = float64(i%2) / 2
	}
	e.Methods = []learner.Method{{Name: "model", Kind: "closed-form"}}
	infinite, steps := table.Num("log_loss_infinite", ""), table.Num("indefinite_steps", "")
	infinite.Nums, steps.Nums = slices.Repeat([]float64{0.75}, maxRows), slices.Repeat([]float64{2}, maxRows)
	means.Columns = append(means.Columns, infinite, steps)
	seconds := map[string]float64{"set=data method=model lambda=0 rho=0": 2}
	rows := e.Result(table.Tables{means}, seconds).Tables[0]
	check.Equal(t, "rows", rows[:2], [][]string{
		{"method", "lambda", "rho", "error", "log loss", "median", "infinite", "Brier", "indefinite steps"},
		{"model", "0", "0", "0.1000", "+Inf", "0.2500", "0.7500", "0.5000", "2.0 of 100"},
	})
	means = table.Merge([]table.Tables{{means}, {means.Where("rho", 0)}}).Get("summary")
	r := e.Result(table.Tables{means}, seconds)
	check.Equal(t, "rows of one ρ", []any{len(r.Tables[0]), r.Tables[0][1][1], r.Notes},
		[]any{1 + maxRows/2, "1", []string{"rho = 0.5, of 2 values: summary.csv has all"}})
	e.sets, e.Sweep.Rho = append(e.sets, set{Name: "iris"}), nil
	for i := range maxRows / 2 {
		means.Columns[0].Texts[2*i] = "iris"
	}
	r = e.Result(table.Tables{means}, seconds)
	check.Equal(t, "by sets", []any{len(r.Tables), r.Tables[3][:2]}, []any{4, [][]string{
		{"indefinite steps", "iris", "data"}, {"model, lambda = 0, rho = 0", "2.000", "2.000"},
	}})
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
