package quote

import (
	"strings"
	"testing"

	"closedform/runner/internal/table"
)

func TestFill(t *testing.T) {
	summary := table.New("summary", table.Text("method", ""), table.Int("k", ""), table.Num("error", ""), table.Num("error_low", ""), table.Num("error_high", ""))
	summary.Add("a", 1, 0.024, 0.021, 0.028)
	summary.Add("a", 10, -0.5, -0.6, 0.25)
	tables := table.Set{summary}
	for text, want := range map[string]string{
		"no number": "no number",
		"{summary method=a k=1 error 100 %.1f} % wrong, {summary k=10 error %.2f}": "2.4 % wrong, −0.50",
		"{summary k=10 error %.1f ci}":                                             "−0.5 (−0.6 to 0.2)",
	} {
		if got, err := Fill(text, tables); got != want || err != nil {
			t.Errorf("%q: %q, error %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"{summary method=a error %.1f}": "2 rows of summary",
		"{summary method=b error %.1f}": "0 rows of summary",
		"{sumary k=1 error %.1f}":       "no table sumary",
		"{summary l=1 error %.1f}":      `no column "l"; allowed: method, k`,
		"{summary k=1 eror %.1f}":       `no column "eror"; allowed: method, k`,
		"{summary k=1 method %.1f}":     `"a" in the row of summary`,
		"{summary}":                     "need a table, fields, a column and a format",
	} {
		if got, err := Fill(text, tables); got != "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, error %v; want %s", text, got, err, want)
		}
	}
}
