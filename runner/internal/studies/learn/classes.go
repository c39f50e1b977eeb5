package learn

import (
	"slices"

	"gonum.org/v1/gonum/floats"

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
		count, total, predicted := map[[2]string]float64{}, map[string]float64{}, map[string]float64{}
		truth := rows.Texts("class")
		for i, p := range probabilities(rows) {
			guess := classes[floats.MaxIdx(p)]
			count[[2]string{truth[i], guess}]++
			total[truth[i]]++
			predicted[guess]++
		}
		for _, class := range classes {
			for _, other := range classes {
				n := count[[2]string{class, other}]
				t.Add(rows.Texts("set")[0], rows.Texts("method")[0], class, other, n, n/total[class], n/predicted[other])
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
