package study

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"

	"closedform/core/gauss"
	store "closedform/runner/internal/oldstore"
)

// mcLevel bounds the probability that any right formula is called wrong.
const mcLevel = 0.01

// mcSummary gives a verdict on every quantity of every formula, and in the last
// row on all.
//
// The scores of one cell share their samples and are correlated. So there are two
// tests. By Bonferroni's bound over all scores of the table, which holds under any
// dependence, the largest |z| is judged, and the least chance of the scores that
// have no z-score but are bounded. The Kolmogorov–Smirnov test of normality takes
// one z-score of each cell, the first of the quantity, which is independent of
// those of the other cells. Each test has half of mcLevel, shared out among its
// rows. The verdict is "disagrees" if one fails, else "untested" without z-scores
// and "agrees" with them. Mean, standard deviation and the share of |z| > 1.96 go
// over all z-scores, for the reader.
func mcSummary(zscores frame) store.Table {
	t := store.Table{Name: "summary", Header: []string{
		"formula", "quantity", "scores", "untrusted", "bounded", "mean", "sd", "max_abs_z", "share_beyond_1.96", "bound",
		"least_p_bound", "p_level", "independent", "ks", "ks_p", "ks_level", "verdict",
	}}
	var groups []mcGroup
	for _, formula := range zscores.values("formula") {
		rows := zscores.where("formula", formula)
		for _, quantity := range rows.values("quantity") {
			groups = append(groups, newMCGroup(formula, quantity, rows.where("quantity", quantity)))
		}
	}
	groups = append(groups, newMCGroup("all", "all", zscores))
	all := groups[len(groups)-1]
	single := mcLevel / 2 / float64(max(len(all.z)+len(all.chances), 1))
	bound := mathext.NormalQuantile(1 - single/2)
	level := mcLevel / 2 / float64(len(groups))
	for _, g := range groups {
		t.Rows = append(t.Rows, g.row(bound, single, level))
	}
	return t
}

// mcGroup is a set of z-scores that is judged as one.
type mcGroup struct {
	formula, quantity string
	untrusted         int
	chances           []float64 // of the untrusted that are bounded
	z, independent    []float64
}

// newMCGroup takes the z-scores of rows; the first of every cell are
// independent. A cell whose first is not trusted has none.
func newMCGroup(formula, quantity string, rows frame) mcGroup {
	g := mcGroup{formula: formula, quantity: quantity}
	z, chance := rows.floats("z"), rows.floats("p_bound")
	var cell []string
	for k, row := range rows.Rows {
		first := !slices.Equal(row[:4], cell)
		cell = row[:4]
		if math.IsNaN(z[k]) {
			g.untrusted++
			if !math.IsNaN(chance[k]) {
				g.chances = append(g.chances, chance[k])
			}
			continue
		}
		g.z = append(g.z, z[k])
		if first {
			g.independent = append(g.independent, z[k])
		}
	}
	return g
}

// row returns the row of a group, where bound is that on |z|, single the level of
// a single score and level that of the test of normality.
func (g mcGroup) row(bound, single, level float64) []string {
	mean, sd := stat.MeanStdDev(g.z, nil)
	if len(g.z) == 0 {
		mean = math.NaN()
	}
	largest, beyond := 0.0, 0.0
	for _, z := range g.z {
		largest = max(largest, math.Abs(z))
		if math.Abs(z) > 1.96 {
			beyond++
		}
	}
	least := math.NaN()
	if len(g.chances) > 0 {
		least = slices.Min(g.chances)
	}
	distance, p := kolmogorov(g.independent)
	verdict := "agrees"
	switch {
	case largest > bound || least < single || p < level:
		verdict = "disagrees"
	case len(g.z) == 0:
		verdict = "untested"
	}
	return []string{
		g.formula, g.quantity, strconv.Itoa(len(g.z)), strconv.Itoa(g.untrusted), strconv.Itoa(len(g.chances)), gapped(mean), gapped(sd),
		store.Float(largest), gapped(beyond / float64(len(g.z))), store.Float(bound), gapped(least), store.Float(single),
		strconv.Itoa(len(g.independent)), gapped(distance), gapped(p), store.Float(level), verdict,
	}
}

// kolmogorov returns the largest distance of the distribution function of
// independent x from Φ, and the probability of one at least as large if they are
// normal: Kolmogorov's limit with Stephens's correction for finite samples
// (1970), accurate to about 0.01 in p from five on. Both are NaN without x.
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
		p += 2 * sign * math.Exp(-2*k*k*d*d)
	}
	return distance, p
}
