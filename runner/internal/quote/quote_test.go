package quote

import (
	"math"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

// tables are a summary and its runs.
func tables() table.Tables {
	summary := table.New("x/summary", table.Text("method", ""), table.Int("k", ""), table.Num("error", ""),
		table.Num("error_low", ""), table.Num("error_high", ""))
	summary.Add("a", 1, 0.024, 0.021, 0.028)
	summary.Add("a", 10, -0.5, -0.6, 0.25)
	summary.Add("b", 1, math.Inf(1), math.NaN(), math.NaN())
	summary.Add("c", 1, 4.0, -3.0, 11.0)
	summary.Add("d", 1, -0.001, math.NaN(), math.NaN())
	summary.Add("e", 1, math.NaN(), math.NaN(), math.NaN())
	summary.Add("f", 1, 0.02, 0.019, 0.021)
	summary.Add("g", 20, 0.02, 0.019, 0.021)
	runs := table.New("x/runs", table.Text("method", ""), table.Int("k", ""), table.Num("error", ""))
	for _, x := range []float64{1, math.Inf(1), 2, 3} {
		runs.Add("b", 1, x)
	}
	for _, x := range []float64{1, 2, 9} {
		runs.Add("c", 1, x)
	}
	return table.Tables{summary, runs}
}

func TestFill(t *testing.T) {
	for text, want := range map[string]string{
		"no number": "no number",
		"{x/summary method=a k=1 error 100 %.1f} % wrong, {x/summary k=10 error %.2f}": "2.4 % wrong, −0.50",
		"{x/summary k=10 error %.1f ci}":                                               "−0.5 (−0.6 to 0.2)",
		"{x/summary method=d error %.2f}":                                              "0.00",
		"{x/runs error median %.1f}, {x/runs method=b error median %.1f}":              "2.0, 2.5",
		"{x/runs error infinite %.0f} of {x/runs method=b error count %.0f}":           "1 of 4",
	} {
		got := check.Must(Fill(text, tables().Read))
		check.Equal(t, text, got, want)
	}
	for text, want := range map[string]string{
		"{x/summary method=a error %.1f}":      "%.1f}: 2 rows have these fields; need one",
		"{x/summary method=z error %.1f}":      "no row has method=z; allowed: a, b, c",
		"{x/sumary k=1 error %.1f}":            "no table x/sumary",
		"{x/summary l=1 error %.1f}":           "l is not a column; there are: method, k",
		"{x/summary k=10 eror %.1f}":           "eror is not a column; there are: method, k",
		"{x/summary k=10 method %.1f}":         `x/summary k=10 method %.1f}: need a number, not "a"`,
		"{x/summary method=e error %.1f}":      "error %.1f}: no value: the field is empty",
		"{x/summary method=d error %.1f ci}":   "ci}: there is no interval",
		"{x/summary method=d error %v}":        "%v is not allowed; allowed: a factor",
		"{x/summary method=d error mean %.1f}": "mean is not allowed",
		"{x/summary method=d error}":           "need a format",
		"{x/summary}":                          "need a table, fields, a column and a format",
	} {
		check.Refuses(t, text, check.Err(Fill(text, tables().Read)), want)
	}
}
