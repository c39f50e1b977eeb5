package hidden

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// Tables adds curve_summary.csv, the means of curve.csv over the seeds. A log loss
// that is infinite for some seeds is averaged over the others.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	tables, err := table.Merge(cells)
	if err != nil {
		return nil, err
	}
	groups := tables.Get("curve").GroupBy("method", "task", "pass", "k", "seen")
	columns := append(groups.Keys(), table.Int("classes", "of the task"), table.Num("bayes_error", "the least error rate there can be"),
		table.Int("seeds", "how many are averaged"))
	for _, c := range scoreColumns() {
		columns = append(columns, table.IntervalOf(c.Name, c.Doc)...)
	}
	columns = append(columns, table.Num("log_loss_infinite", "share of the seeds whose log loss is infinite"))
	for _, c := range learner.StepColumns() {
		columns = append(columns, table.Num(c.Name, c.Doc+", mean"))
	}
	summary := table.New("curve_summary", columns...)
	for _, g := range groups.All() {
		of := e.task(g.Texts("task")[0]).Task()
		row := append(groups.Key(g), of.Classes, of.BayesError(), g.Len())
		for _, c := range scoreColumns() {
			row = append(row, table.FiniteInterval(g.Nums(c.Name)))
		}
		row = append(row, infinite(g.Nums("log_loss")))
		for _, name := range learner.StepNames {
			row = append(row, stat.Mean(g.Nums(name), nil))
		}
		summary.Add(row...)
	}
	return append(tables, summary), nil
}

// task returns the task of the name.
func (e *experiment) task(name string) task {
	return e.Tasks[slices.IndexFunc(e.Tasks, func(t task) bool { return t.Name == name })]
}

// infinite returns the share of numbers that are infinite.
func infinite(x []float64) float64 {
	n := 0.0
	for _, v := range x {
		if math.IsInf(v, 0) {
			n++
		}
	}
	return n / float64(len(x))
}
