package drift

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		losses := []string{"error", "log_loss", "excess_error", "excess_log_loss"}
		runs := t.Get("runs")
		return table.Set{
			t.Get("curve").GroupBy("drift", "method", "seen").Mean("curve_summary", losses...),
			runs.GroupBy("drift", "method").Mean("summary", slices.Concat(losses, learner.StepNames)...),
			e.distributions(runs),
		}
	})
}

// distributions says what the best classifier there can be, that of the true class
// probabilities, scores on all examples of the streams, and its error rate, which
// a turn of the distribution does not change.
func (e *experiment) distributions(runs *table.Table) *table.Table {
	t := table.New("distributions", table.Text("drift", "how the distribution turns"),
		table.Num("bayes_error", "expected share of wrong predictions by the true probabilities"),
		table.Num("error", "that share on the examples of all seeds"), table.Num("log_loss", "log loss of the true probabilities on these, in nats"))
	for _, d := range e.Drifts {
		of := runs.Where("drift", d.Name).Where("method", e.Methods[0].Name)
		best := func(column string) float64 {
			return stat.Mean(of.Nums(column), nil) - stat.Mean(of.Nums("excess_"+column), nil)
		}
		t.Add(d.Name, d.Task().BayesError(), best("error"), best("log_loss"))
	}
	return t
}
