package learn

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

const mostClasses = 50 // of the tables of classes

// classTables returns the tables "classes" and "confusion" of predictions of the test part.
func classTables(predictions *table.Table) table.Set {
	method := table.Text("method", "what learns")
	classes := table.New("classes", method, table.Text("class", "its name"), table.Int("n", "its test examples, of all seeds together"),
		table.Num("recall", "share of these that are predicted to be of the class"),
		table.Num("precision", "share of those predicted to be of the class that are"),
		table.Num("auroc", "area under the ROC curve of the probability of the class, against all others; mean over the seeds"))
	confusion := table.New("confusion", method, table.Text("class", "the true one"), table.Text("predicted", "the class of the largest probability"),
		table.Int("n", "test examples, of all seeds together"))
	var names []string
	for _, c := range predictions.Columns {
		if name, ok := strings.CutPrefix(c.Name, "p_"); ok {
			names = append(names, name)
		}
	}
	if len(names) > mostClasses {
		return nil
	}
	for _, of := range predictions.GroupBy("method").All() {
		at, n := of.Texts("method")[0], counts(of, names)
		for k, name := range names {
			predicted := 0.0
			for j, other := range names {
				confusion.Add(at, name, other, n[k][j])
				predicted += n[j][k]
			}
			all := kernel.Sum(n[k])
			classes.Add(at, name, all, n[k][k]/all, n[k][k]/predicted, meanAUROC(of, name))
		}
	}
	return table.Set{classes, confusion}
}

// counts returns how many examples of class k have the largest probability for class j, as n[k][j].
func counts(predictions *table.Table, names []string) (n [][]float64) {
	p := make([][]float64, len(names))
	for k, name := range names {
		p[k], n = predictions.Nums("p_"+name), append(n, make([]float64, len(names)))
	}
	at := make([]float64, len(names))
	for i, class := range predictions.Texts("class") {
		for k := range p {
			at[k] = p[k][i]
		}
		n[slices.Index(names, class)][floats.MaxIdx(at)]++
	}
	return n
}

// meanAUROC returns the mean over the seeds that have examples of the class and of others.
func meanAUROC(predictions *table.Table, name string) float64 {
	var areas []float64
	for _, of := range predictions.GroupBy("seed").All() {
		var positive []bool
		for _, class := range of.Texts("class") {
			positive = append(positive, class == name)
		}
		if a := metric.AUROC(of.Nums("p_"+name), positive); !math.IsNaN(a) {
			areas = append(areas, a)
		}
	}
	return table.Mean(areas)
}
