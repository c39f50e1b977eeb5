package report

import (
	"strings"
	"testing"

	"closedform/runner/internal/store"
	"closedform/runner/internal/table"

	"closedform/internal/check"
)

// A run ends with its result, and a warning where guessing is better.
func TestResult(t *testing.T) {
	means := table.New("summary", table.Text("method", ""), table.Text("set", ""), table.Num("error", ""), table.Num("error_low", ""),
		table.Num("error_high", ""), table.Num("log_loss", ""), table.Num("brier", ""))
	means.Add("model", "iris", 0.1, 0.08, 0.12, 1.25, 0.2)
	means.Add("majority", "iris", 0.6, 0.6, 0.6, 1.1, 0.7)
	means.Add("very sure", "iris", 0.1, 0, 0.4, 0.3, 0) // its interval is cut off at 0
	run := &store.Run{CellSeconds: map[string]float64{"model": 2, "very sure": 1}}
	got := Result(table.Set{means}, run)
	for _, want := range []string{
		"  method     error             log loss  Brier   ECE  seconds\n",
		"  model      0.1000  ± 0.0200  1.2500    0.2000       2.0000\n", "  very sure  0.1000  ± 0.3000  0.3000    0.0000       1.0000",
		"  model is worse than the frequencies of the classes\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	check.Equal(t, "without scores it says", Result(table.Set{table.New("summary", table.Text("method", ""))}, run), "")
}
