package learn

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

const allSets = "all"

// Tables adds the means over the seeds, and comparisons. A sweep over λ and ρ keeps only the means. Counts of
// steps that are all 0 are left out.
func (e *experiment) Tables(cells []table.Set) table.Set {
	tables := table.Merge(cells)
	for _, t := range tables {
		t.Columns = slices.DeleteFunc(t.Columns, func(c table.Column) bool {
			counted := slices.ContainsFunc(c.Nums, func(n float64) bool { return n != 0 })
			return slices.Contains(counts, c.Name) && !counted
		})
	}
	tables = append(tables, e.derived(tables)...)
	return slices.DeleteFunc(tables, func(t *table.Table) bool { return t.Name == "runs" && e.heat })
}

var counts = table.Names(learner.StepColumns())[:6]

func (e *experiment) derived(t table.Set) (all table.Set) {
	if pairs := t.Get("pairs"); pairs != nil {
		return table.Set{e.means(pairs, "summary", nil)}
	}
	runs := t.Get("runs")
	overlap := e.overlap(runs)
	summary := e.means(runs, "summary", overlap)
	all = append(all, summary)
	if curve := t.Get("curve"); curve != nil {
		all = append(all, e.means(curve, "curve_summary", overlap))
	}
	if e.Evaluate.Reference != "" {
		all = append(all, e.paired(runs, overlap), e.ranks(summary))
	}
	if len(e.Contrasts) > 0 {
		all = append(all, e.contrasts(runs, overlap))
	}
	if len(e.Evaluate.LeaveOut) > 0 {
		all = append(all, e.leftOut(summary))
	}
	return all
}

// means returns the means over the seeds of all numbers of a table. For repeated orders and sweeps it
// averages finite numbers, and counts log losses that are not finite.
func (e *experiment) means(t *table.Table, name string, overlap overlap) *table.Table {
	keys := strings.Fields("set method lambda rho order pass k seen differ_by")
	var by, columns []string
	for _, c := range t.Columns {
		switch {
		case slices.Contains(keys, c.Name):
			by = append(by, c.Name)
		case c.Kind != table.Words && !slices.Contains([]string{"seed", "train", "test"}, c.Name):
			columns = append(columns, c.Name)
		}
	}
	finite := e.Evaluate.repeated() || e.heat
	means := t.Mean(name, table.Means{Keys: by, Columns: columns, Overlap: overlap, Finite: finite})
	if !finite {
		return means
	}
	infinite := table.Share("log_loss_infinite", "share of the seeds with an infinite log loss")
	for _, rows := range t.GroupBy(by...) {
		finite := 0.0
		for _, x := range rows.Nums("log_loss") {
			if !math.IsNaN(x - x) {
				finite++
			}
		}
		infinite.Nums = append(infinite.Nums, 1-finite/float64(rows.Len()))
	}
	means.Columns = append(means.Columns, infinite)
	return means
}

// compare returns the mean difference of the scores of two methods, with the rule of its interval: over the
// common splits or seeds of a set, and over the sets.
func (e *experiment) compare(
	runs *table.Table, overlap overlap, set, method, against, score string,
) (d table.Estimate, rule string) {
	if set == allSets {
		var means []float64
		for _, s := range e.sets {
			d, _ = e.compare(runs, overlap, s.Name, method, against, score)
			means = append(means, d.Mean)
		}
		return table.NewEstimate(means, 0), "t, sets"
	}
	rows := runs.Where("set", set)
	a, b := rows.Where("method", method).Nums(score), rows.Where("method", against).Nums(score)
	n := min(len(a), len(b))
	return table.NewEstimate(floats.SubTo(a[:n], a[:n], b[:n]), overlap(rows)), table.Rule(overlap(rows))
}

func (e *experiment) paired(runs *table.Table, overlap overlap) *table.Table {
	reference, sets := e.Evaluate.Reference, []string{}
	t := table.New("paired", table.Text("set", "the data set; all: the mean over the sets"),
		table.Text("method", "the learner, compared with "+reference),
		table.Int("seeds", "how many are averaged"), table.RuleColumn())
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.Interval(c.Name, c.Doc+", minus that of "+reference+", mean")...)
	}
	for _, s := range e.sets {
		sets = append(sets, s.Name)
	}
	for _, set := range append(sets, allSets) {
		for _, method := range learner.Names(e.Methods) {
			if method == reference {
				continue
			}
			row := []any{set, method}
			for i, score := range learner.ScoreNames {
				d, rule := e.compare(runs, overlap, set, method, reference, score)
				if i == 0 {
					row = append(row, d.N, rule)
				}
				row = append(row, d.Interval())
			}
			t.Add(row...)
		}
	}
	return t
}

// ranks returns a method's mean rank over the sets by mean score, from 1, the best, with the critical
// difference of Nemenyi's test at 5 %: smaller differences of mean ranks are not significant on these sets.
func (e *experiment) ranks(summary *table.Table) *table.Table {
	t := table.New("ranks", table.Text("method", "the learner"), table.Int("sets", "that are averaged"))
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.Num(c.Name, "mean rank by the "+c.Doc+"; 1: the best"))
	}
	critical := table.Num("critical_difference", "of two mean ranks, by Nemenyi's test at 5 %")
	t.Columns = append(t.Columns, critical)
	n := len(e.sets)
	for i, m := range e.Methods {
		row := []any{m.Name, n}
		for _, score := range learner.ScoreNames {
			mean := 0.0
			for _, set := range e.sets {
				mean += metric.Ranks(summary.Where("set", set.Name).Nums(score))[i] / float64(n)
			}
			row = append(row, mean)
		}
		t.Add(append(row, metric.Nemenyi(len(e.Methods), n))...)
	}
	return t
}

// leftOut returns, for every set, the cost of choosing among some methods on the other sets: the one with the
// smallest mean log loss there, beside the reference and the best.
func (e *experiment) leftOut(summary *table.Table) *table.Table {
	t := table.New("left_out", table.Text("set", "the data set that is left out; all: means over the sets"),
		table.Text("chosen", "the method of least mean log loss over the other sets"),
		table.Num("log_loss", "of the chosen one on the set that is left out, in nats"),
		table.Num("reference_log_loss", "of the reference"),
		table.Num("best_log_loss", "of the best of the methods on this set, which nobody can know"))
	loss := func(set, method string) float64 {
		return summary.Where("set", set).Where("method", method).Nums("log_loss")[0]
	}
	least := func(sum func(method string) float64) string {
		return slices.MinFunc(e.Evaluate.LeaveOut, func(a, b string) int { return cmp.Compare(sum(a), sum(b)) })
	}
	for _, left := range e.sets {
		chosen := least(func(method string) (sum float64) {
			for _, set := range e.sets {
				if set.Name != left.Name {
					sum += loss(set.Name, method)
				}
			}
			return sum
		})
		best := least(func(method string) float64 { return loss(left.Name, method) })
		row := []any{left.Name, chosen}
		for _, method := range []string{chosen, e.Evaluate.Reference, best} {
			row = append(row, table.Finite(loss(left.Name, method)))
		}
		t.Add(row...)
	}
	mean := func(column string) float64 { return table.Mean(t.Nums(column)) }
	t.Add(allSets, "", mean("log_loss"), mean("reference_log_loss"), mean("best_log_loss"))
	return t
}

type contrast struct {
	Method  string `toml:"method" allowed:"the name of a [[method]]"`  // one of two methods
	Against string `toml:"against" allowed:"the name of a [[method]]"` // the other
	// Score is "log_loss" or "error"; default "log_loss".
	Score string `toml:"score,omitempty"`
}

// contrasts tests the differences that the manifest names, with Holm's correction. It averages one difference
// per set if there are several sets, else one per seed.
func (e *experiment) contrasts(runs *table.Table, overlap overlap) *table.Table {
	t := table.New("contrasts",
		table.Text("set", "the data set, or all"), table.Text("method", "the learner"),
		table.Text("against", "the one that it is compared with"), table.Text("score", "what is compared"))
	t.Columns = append(append(t.Columns,
		table.Interval("difference", "mean score minus that of the other; negative is better")...),
		table.RuleColumn(), table.Int("units", "how many are averaged"),
		table.Num("p", "two-sided p-value of no difference, by the same rule"),
		table.Num("p_holm", "the same, corrected for all rows by Holm's procedure"))
	estimates, p := make([]table.Estimate, len(e.Contrasts)), make([]float64, len(e.Contrasts))
	set, rule := allSets, ""
	if len(e.sets) == 1 {
		set = e.sets[0].Name
	}
	for i, c := range e.Contrasts {
		estimates[i], rule = e.compare(runs, overlap, set, c.Method, c.Against, c.Score)
		p[i] = estimates[i].P()
	}
	for i, corrected := range metric.Holm(p) {
		c, d := e.Contrasts[i], estimates[i]
		t.Add(set, c.Method, c.Against, c.Score, d.Interval(), rule, d.N, p[i], corrected)
	}
	return t
}

type overlap func(rows *table.Table) float64

// overlap returns the overlap of each set: 0 unless its table is split anew for each seed.
func (e *experiment) overlap(runs *table.Table) overlap {
	overlaps := map[string]float64{}
	for _, s := range e.sets {
		if rows := runs.Where("set", s.Name); s.TestFraction > 0 && rows.Len() > 0 {
			overlaps[s.Name] = rows.Nums("test")[0] / rows.Nums("train")[0]
		}
	}
	return func(rows *table.Table) float64 { return overlaps[rows.Texts("set")[0]] }
}
