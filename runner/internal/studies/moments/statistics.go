package moments

import (
	"math"
	"slices"

	"closedform/core/gauss"
	"closedform/internal/kernel"
	"closedform/runner/internal/table"
)

// Tables adds the summary of z-scores.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	all, err := table.Merge(cells)
	if z := all.Get("zscores"); z != nil {
		all = append(all, summary(z))
	}
	return all, err
}

// level bounds the probability that any right formula is called wrong.
const level = 0.01

// summary gives a verdict on every quantity of every formula, and in the last row on all.
//
// The z-scores of one cell share their samples and are correlated, hence two tests. The largest |z| is held
// against Bonferroni's bound over all z-scores of the table, under any dependence. The Kolmogorov–Smirnov
// test of normality takes one z-score of each cell, the first of the quantity; these are independent. Each
// test has half of the level, shared out among its rows. The verdict is "disagrees" if one fails, else
// "untested" without z-scores and "agrees" with them.
func summary(zscores *table.Table) *table.Table {
	t := table.New("summary",
		table.Text("method", "what is checked"), table.Text("quantity", "what it gives"),
		table.Int("scores", "number of z-scores"), table.Int("untrusted", "numbers without a z-score"),
		table.Num("mean", "of the z-scores"), table.Num("sd", "of the z-scores"),
		table.Num("max_abs_z", "the largest |z|"), table.Num("bound", "on max_abs_z, if all formulas are right"),
		table.Int("independent", "number of independent z-scores, one of each cell"),
		table.Num("ks", "largest distance of their distribution from the normal one, Kolmogorov–Smirnov"),
		table.Num("ks_p", "probability of one at least as large"), table.Num("ks_level", "smallest ks_p that agrees"),
		table.Text("verdict", "agrees, disagrees or untested"),
	)
	groups := zscores.GroupBy("method", "quantity").All()
	bound := tail(level / 4 / float64(max(1, len(numbers(zscores.Nums("z"))))))
	normal := level / 2 / float64(len(groups)+1)
	for i, rows := range append(groups, zscores) {
		name, quantity := "all", "all"
		if i < len(groups) {
			name, quantity = rows.Texts("method")[0], rows.Texts("quantity")[0]
		}
		z, first, largest, verdict := numbers(rows.Nums("z")), independent(rows), 0.0, "agrees"
		for _, x := range z {
			largest = max(largest, math.Abs(x))
		}
		mean, sd := table.MeanSD(z)
		distance, p := kolmogorov(first)
		switch {
		case largest > bound || p < normal:
			verdict = "disagrees"
		case len(z) == 0:
			verdict = "untested"
		}
		t.Add(name, quantity, len(z), rows.Len()-len(z), table.Finite(mean), table.Finite(sd), largest, bound,
			len(first), distance, p, normal, verdict)
	}
	return t
}

// independent returns the first z-score of every cell, if there is one.
func independent(rows *table.Table) (z []float64) {
	for _, cell := range rows.GroupBy("method", "classes", "spread", "variance", "lambda", "rho", "draw").All() {
		z = append(z, numbers(cell.Nums("z")[:1])...)
	}
	return z
}

// numbers drops what is no value.
func numbers(x []float64) []float64 { return slices.DeleteFunc(x, math.IsNaN) }

// tail returns z with Φ(−z) = p < ½, by Newton's method for log p.
func tail(p float64) (z float64) {
	for range 50 {
		z += (gauss.LogCDF(-z) - kernel.Log(p)) / gauss.InverseMills(-z)
	}
	return z
}

// kolmogorov returns the largest distance of the distribution function of independent x from Φ, and the
// probability of one at least as large if they are normal: Kolmogorov's limit with the correction of
// Stephens (1970) for finite samples, accurate to about 0.01 in p from five on. Both are NaN without x.
func kolmogorov(x []float64) (distance, p float64) {
	n := float64(len(x))
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	for k, z := range slices.Sorted(slices.Values(x)) {
		cdf := gauss.CDF(z)
		distance = max(distance, cdf-float64(k)/n, float64(k+1)/n-cdf)
	}
	root := math.Sqrt(n)
	d := distance * (root + 0.12 + 0.11/root)
	if d < 0.2 {
		return distance, 1 // within 1e-12; the series converges slowly
	}
	for k, sign := 1.0, 1.0; k <= 100; k, sign = k+1, -sign {
		p += 2 * sign * kernel.Exp(-2*k*k*d*d)
	}
	return distance, p
}
