package learn

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/runner/internal/table"
)

// confusion counts the predictions of the test part by the true class and by that of the largest probability.
func confusion(predictions *table.Table, classes []string) *table.Table {
	t := table.New("confusion", table.Text("set", "the data set"), table.Text("method", "the learner"),
		table.Text("class", "the true one"), table.Text("predicted", "the class of the largest probability"),
		table.Int("n", "test examples, of all seeds together"),
		table.Num("recall", "share of the examples of the true class"),
		table.Num("precision", "share of the predictions of the class"))
	for _, rows := range predictions.GroupBy("set", "method").All() {
		n, predicted := make([][]float64, len(classes)), make([]float64, len(classes))
		for k := range n {
			n[k] = make([]float64, len(classes))
		}
		truth := rows.Texts("class")
		for i, p := range probabilities(rows) {
			k := floats.MaxIdx(p)
			n[slices.Index(classes, truth[i])][k]++
			predicted[k]++
		}
		for k, class := range classes {
			for j, other := range classes {
				t.Add(rows.Texts("set")[0], rows.Texts("method")[0], class, other, n[k][j],
					n[k][j]/kernel.Sum(n[k]), n[k][j]/predicted[j])
			}
		}
	}
	return t
}

// probabilities returns those of each row of predictions: the columns behind "class".
func probabilities(predictions *table.Table) [][]float64 {
	columns := predictions.Columns
	columns = columns[1+slices.Index(table.Names(columns), "class"):]
	p := make([][]float64, predictions.Len())
	for i := range p {
		for _, c := range columns {
			p[i] = append(p[i], c.Nums[i])
		}
	}
	return p
}
