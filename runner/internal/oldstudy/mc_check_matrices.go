package study

import (
	"math"

	"gonum.org/v1/gonum/stat"

	store "closedform/runner/internal/oldstore"
)

// mcMatrices measures whole matrices: the Frobenius norm of the gap in that of
// the matrix by Monte Carlo, and the same of the standard errors, which is the
// part of it that may be noise; beside the mean variance of the logits.
func mcMatrices(gaps, inputs frame) store.Table {
	t := store.Table{Name: "matrices", Header: []string{
		"matrix", "of", "classes", "case", "mean_variance", "relative_gap", "relative_se",
	}}
	inputs = inputs.where("formula", "covariance").where("input", "variance")
	for _, matrix := range []string{"sigma_y", "sigma_zy"} {
		for _, of := range []string{"softmax", "probit"} {
			rows := gaps.where("matrix", matrix).where("of", of)
			for _, n := range rows.values("classes") {
				ofClasses := rows.where("classes", n)
				for _, k := range ofClasses.values("case") {
					one := ofClasses.where("case", k)
					variance := stat.Mean(inputs.where("classes", n).where("case", k).floats("value"), nil)
					size := one.frobenius("mc")
					t.Rows = append(t.Rows, []string{
						matrix, of, n, k, store.Float(variance),
						gapped(one.frobenius("gap") / size), gapped(one.frobenius("se") / size),
					})
				}
			}
		}
	}
	return t
}

// frobenius returns the norm of the matrix in a column of gaps. Of Σ_y only the
// upper triangle is there.
func (f frame) frobenius(column string) float64 {
	var sum float64
	i, j := f.floats("i"), f.floats("j")
	matrix := f.column("matrix")
	for k, x := range f.floats(column) {
		if i[k] != j[k] && f.Rows[k][matrix] == "sigma_y" {
			sum += x * x
		}
		sum += x * x
	}
	return math.Sqrt(sum)
}

// values returns the different values of a column in their order.
func (f frame) values(column string) []string {
	c := f.column(column)
	seen := map[string]bool{}
	var out []string
	for _, row := range f.Rows {
		if !seen[row[c]] {
			seen[row[c]] = true
			out = append(out, row[c])
		}
	}
	return out
}
