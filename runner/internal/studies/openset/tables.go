package openset

import "closedform/runner/internal/table"

var scored = []string{"auroc", "oscr", "accuracy", "aurc", "excess_aurc", "augrc"}

// Tables adds the means over the splits and seeds: "summary" for the classes that nothing was
// learned of, "chosen" for known classes that were kept back in turn.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		runs := t.Get("runs")
		mean := func(name string, rows []int) *table.Table {
			return runs.Rows(rows).GroupBy("method", "score").Shares(scored...).Mean(name, scored...)
		}
		var unseen, left []int
		for i, class := range runs.Texts("left") {
			if class == "" {
				unseen = append(unseen, i)
			} else {
				left = append(left, i)
			}
		}
		derived := table.Set{mean("summary", unseen)}
		if len(left) > 0 {
			derived = append(derived, mean("chosen", left))
		}
		return derived
	})
}
