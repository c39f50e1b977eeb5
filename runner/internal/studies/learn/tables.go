package learn

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

const (
	allSets  = "all"
	wilcoxon = "wilcoxon"
)

// Tables adds means over the seeds, and comparisons. A sweep keeps only the means. Counts of 0 are left out.
func (e *experiment) Tables(cells []table.Tables) table.Tables {
	counts, tables := table.Names(learner.StepColumns())[:6], table.Merge(cells)
	for _, t := range tables {
		t.Columns = slices.DeleteFunc(t.Columns, func(c table.Column) bool {
			return slices.Contains(counts, c.Name) && kernel.Sum(c.Nums) == 0
		})
	}
	if e.Evaluate.repeated() {
		return append(tables, e.means(tables[0], "summary", nil))
	}
	runs, curve := tables.Get("runs"), tables.Get("curve")
	overlap := func(rows *table.Table) float64 { return e.overlap[rows.Texts("set")[0]] }
	summary := e.means(runs, "summary", overlap)
	e.addSampling(summary, runs)
	if tables = append(tables, summary); curve != nil {
		tables = append(tables, e.means(curve, "curve_summary", overlap))
	}
	if tables.Get("maps") != nil {
		s := e.spec(e.methods[0], e.sets[0], e.Evaluate.Order[0], []int{e.manifest.Seed})
		tables = append(tables, s.examples())
	}
	if e.Evaluate.Reference != "" {
		tables = append(tables, e.paired(runs), e.ranks(summary))
	}
	if len(e.Contrasts) > 0 {
		tables = append(tables, e.contrasts(runs))
	}
	if slices.Contains(e.Evaluate.Order, Shuffled) && !e.Evaluate.single() {
		tables = append(tables, e.orderDifferences(runs))
	}
	if omitted := e.omitted(); omitted.Len() > 0 {
		tables = append(tables, omitted)
	}
	if len(e.Evaluate.LeaveOut) > 0 {
		tables = append(tables, e.leftOut(summary))
	}
	return slices.DeleteFunc(tables, func(t *table.Table) bool { return t == runs && e.swept })
}

// means averages all columns of numbers over the seeds. Beside the mean log loss it has the median and, if any
// log loss is infinite, the share of seeds in which it is.
func (e *experiment) means(t *table.Table, name string, overlap func(*table.Table) float64) *table.Table {
	by := strings.Fields("set method lambda rho order pass k seen differ_by")
	by = slices.DeleteFunc(by, func(key string) bool { return !t.Has(key) })
	keys := slices.Concat(by, []string{"seed", "train", "test"})
	var columns []string
	for _, c := range t.Columns {
		if c.Kind != table.Words && !slices.Contains(keys, c.Name) {
			columns = append(columns, c.Name)
		}
	}
	means := t.Mean(name, table.Means{Keys: by, Columns: columns, Overlap: overlap})
	more := table.New("", table.Positive("log_loss_median", "median of the log loss over the seeds, in nats"),
		table.Share("log_loss_infinite", "share of the seeds with an infinite log loss"))
	if t.Has("train") {
		more.Columns = append(more.Columns, table.Positive("train", "training examples, mean"))
	}
	for _, rows := range t.GroupBy(by...) {
		losses := rows.Nums("log_loss")
		infinite := floats.Count(func(x float64) bool { return math.IsInf(x, 1) }, losses)
		row := []float64{table.Median(losses), float64(infinite) / float64(len(losses))}
		if t.Has("train") {
			row = append(row, table.Mean(rows.Nums("train")))
		}
		more.Add(row)
	}
	if floats.Max(more.Nums("log_loss_infinite")) == 0 {
		more.Columns = slices.Delete(more.Columns, 1, 2)
	}
	after := 1 + slices.Index(table.Names(means.Columns), "log_loss_high")
	means.Columns = slices.Insert(means.Columns, after, more.Columns...)
	return means
}

// addSampling adds what intervals over seeds that share a test part lack: how much its size leaves open.
func (e *experiment) addSampling(summary, runs *table.Table) {
	c := table.Positive("error_sampling", "half of the 95 % interval of the error (Wilson) for so many test examples, "+
		"if all seeds have the same ones")
	shared := false
	for i, name := range summary.Texts("set") {
		s := e.sets[slices.IndexFunc(e.sets, func(s set) bool { return s.Name == name })]
		half := math.NaN()
		if s.Generator.Name == "" && s.TestFraction == 0 && !e.stream {
			n := runs.Where("set", name).Nums("test")[0]
			ci := table.Wilson(summary.Nums("error")[i]*n, n)
			half, shared = (ci[2]-ci[1])/2, true
		}
		c.Nums = append(c.Nums, half)
	}
	if shared {
		summary.Columns = append(summary.Columns, c)
	}
}

// both returns the scores in the seeds that two methods, or orders, have in their runs.
func both(a, b *table.Table, score string) (x, y []float64) {
	n := min(a.Len(), b.Len())
	return a.Nums(score)[:n], b.Nums(score)[:n]
}

// difference returns the mean difference of two methods, or orders, on a set.
func (e *experiment) difference(set string, a, b *table.Table, score string) table.Estimate {
	x, y := both(a, b, score)
	return table.NewEstimate(floats.SubTo(x, x, y), e.overlap[set])
}

// compare returns the mean difference of the scores of two methods over the seeds that both have on a set, or
// over all sets, and the rule of its interval.
func (e *experiment) compare(runs *table.Table, set, method, against, score string) (table.Estimate, string) {
	if set == allSets {
		return table.NewEstimate(e.differences(runs, method, against, score), 0), "t, sets"
	}
	rows := runs.Where("set", set)
	d := e.difference(set, rows.Where("method", method), rows.Where("method", against), score)
	return d, table.Rule(e.overlap[set])
}

// differences returns the difference of the mean scores of two methods on each set that both learn; of two
// infinite ones it is 0.
func (e *experiment) differences(runs *table.Table, method, against, score string) (d []float64) {
	for _, set := range e.sets {
		rows := runs.Where("set", set.Name)
		x, y := both(rows.Where("method", method), rows.Where("method", against), score)
		if mean, other := table.Mean(x), table.Mean(y); mean == other {
			d = append(d, 0)
		} else if len(x) > 0 {
			d = append(d, mean-other)
		}
	}
	return d
}

func (e *experiment) paired(runs *table.Table) *table.Table {
	reference, sets := e.Evaluate.Reference, runs.Distinct("set")
	t := table.New("paired", slices.Concat([]table.Column{
		table.Text("set", "the data set; all: the mean over the sets"),
		table.Text("method", "the learner, compared with "+reference),
		table.Int("seeds", "seeds, or for all sets the sets, that are averaged"), table.RuleColumn(),
	}, table.Interval("error", "mean error minus that of "+reference),
		table.Interval("log_loss", "mean log loss minus that of "+reference),
		table.Interval("log_loss_relative", "this difference divided by the mean log loss of "+reference+" on the "+
			"set; all: the mean over the sets, in which each counts alike"))...)
	if len(sets) > 1 {
		sets = append(sets, allSets)
	}
	relative := map[string][]float64{} // by method
	for _, set := range sets {
		for _, method := range learner.Names(e.Methods) {
			if method == reference {
				continue
			}
			wrong, rule := e.compare(runs, set, method, reference, "error")
			loss, _ := e.compare(runs, set, method, reference, "log_loss")
			if loss.N == 0 {
				continue // the method does not learn this set
			}
			share := table.NewEstimate(relative[method], 0).Interval()
			if set != allSets {
				rows := runs.Where("set", set)
				_, other := both(rows.Where("method", method), rows.Where("method", reference), "log_loss")
				share = append([]float64{loss.Mean / table.Mean(other)}, table.Gaps(2)...)
				relative[method] = append(relative[method], share[0])
			}
			t.Add(set, method, loss.N, rule, wrong.Interval(), loss.Interval(), share)
		}
	}
	return t
}

// ranks returns the mean rank of each method, by the mean of each score, over the sets that all methods learn;
// 1 is the best rank. Differences of mean ranks below the critical difference of Nemenyi's test at 5 % are not
// significant.
func (e *experiment) ranks(summary *table.Table) *table.Table {
	t := table.New("ranks", table.Text("method", "the learner"), table.Int("sets", "sets that are averaged"))
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.Num(c.Name, "mean rank by the "+c.Doc+"; 1: the best"))
	}
	t.Columns = append(t.Columns, table.Num("critical_difference",
		"critical difference of mean ranks, by Nemenyi's test at 5 %"))
	sets := slices.DeleteFunc(slices.Clone(e.sets), func(s set) bool { return s.Methods != nil })
	n := len(sets)
	for i, m := range e.Methods {
		means := make([]float64, len(learner.ScoreNames))
		for k, score := range learner.ScoreNames {
			for _, set := range sets {
				means[k] += metric.Ranks(summary.Where("set", set.Name).Nums(score))[i]
			}
			means[k] /= float64(n)
		}
		t.Add(m.Name, n, means, metric.Nemenyi(len(e.Methods), n))
	}
	return t
}

// leftOut returns, for every set, the log loss of the method that has the smallest mean log loss on the other
// sets, of the reference, and of the method that is best on this set. Candidates: evaluate.leave_out.
func (e *experiment) leftOut(summary *table.Table) *table.Table {
	t := table.New("left_out", table.Text("set", "the data set that is left out; all: means over the sets"),
		table.Text("chosen", "the method of smallest mean log loss over the other sets"),
		table.Num("log_loss", "log loss of the chosen method on the set that is left out, in nats"),
		table.Num("reference_log_loss", "log loss of the reference on this set, in nats"),
		table.Num("best_log_loss", "smallest log loss of a method on this set, which nobody can know, in nats"))
	loss := func(method string, sets ...set) (sum float64) {
		for _, s := range sets {
			sum += summary.Where("set", s.Name).Where("method", method).Nums("log_loss")[0]
		}
		return sum
	}
	lowest := func(sets ...set) string {
		return slices.MinFunc(e.Evaluate.LeaveOut, func(a, b string) int {
			return cmp.Compare(loss(a, sets...), loss(b, sets...))
		})
	}
	for i, left := range e.sets {
		chosen := lowest(slices.Delete(slices.Clone(e.sets), i, i+1)...)
		t.Add(left.Name, chosen, loss(chosen, left), loss(e.Evaluate.Reference, left), loss(lowest(left), left))
	}
	mean := func(column string) float64 { return table.Mean(t.Nums(column)) }
	t.Add(allSets, "", mean("log_loss"), mean("reference_log_loss"), mean("best_log_loss"))
	return t
}

type contrast struct {
	Method  string `toml:"method" check:"required"`                // the name of one of two methods
	Against string `toml:"against" check:"required"`               // the name of the other
	Score   string `toml:"score,omitempty" words:"log_loss error"` // what is compared; default "log_loss"
	// Test is Student's t, or of two or more sets Wilcoxon's signed-rank test of their means; default "t".
	Test string `toml:"test,omitempty" words:"t wilcoxon"`
}

// contrasts tests the differences of the tables [[contrast]], with Holm's correction. A difference is
// averaged over the sets or, of one set, over the seeds.
func (e *experiment) contrasts(runs *table.Table) *table.Table {
	t := table.New("contrasts",
		table.Text("set", "the data set, or all"), table.Text("method", "the learner"),
		table.Text("against", "the learner that it is compared with"), table.Text("score", "the score"))
	t.Columns = append(append(t.Columns,
		table.Interval("difference", "mean score minus that of the other learner; negative is better")...),
		table.RuleColumn(), table.Int("units", "sets or seeds that are averaged"),
		table.Text("test", "the test: Student's t, or Wilcoxon's signed-rank test of the means of the sets"),
		table.Num("p", "two-sided p-value of the hypothesis of no difference"))
	set := allSets
	if len(e.sets) == 1 {
		set = e.sets[0].Name
	}
	for _, c := range e.Contrasts {
		d, rule := e.compare(runs, set, c.Method, c.Against, c.Score)
		p := d.P()
		if c.Test == wilcoxon {
			p = metric.SignedRank(e.differences(runs, c.Method, c.Against, c.Score))
		}
		t.Add(set, c.Method, c.Against, c.Score, d.Interval(), rule, d.N, c.Test, p)
	}
	corrected := table.Num("p_holm", "p-value, corrected for all rows by Holm's procedure")
	corrected.Nums = metric.Holm(t.Nums("p"))
	t.Columns = append(t.Columns, corrected)
	return t
}

// orderDifferences compares each order with shuffled examples, method by method, over the seeds.
func (e *experiment) orderDifferences(runs *table.Table) *table.Table {
	t := table.New("order_differences", slices.Concat([]table.Column{
		table.Text("set", "the data set"), table.Text("method", "the learner"),
		table.Text("order", "the order, compared with shuffled examples in the same seeds"),
		table.Int("seeds", "seeds that are averaged"), table.RuleColumn(),
	}, table.Interval("error", "mean error minus that of shuffled examples"),
		table.Interval("log_loss", "mean log loss minus that of shuffled examples"))...)
	for _, rows := range runs.GroupBy("set", "method", "order") {
		set, method, order := rows.Texts("set")[0], rows.Texts("method")[0], rows.Texts("order")[0]
		shuffled := runs.Where("set", set).Where("method", method).Where("order", string(Shuffled))
		wrong, loss := e.difference(set, rows, shuffled, "error"), e.difference(set, rows, shuffled, "log_loss")
		if order != string(Shuffled) && loss.N > 0 {
			t.Add(set, method, order, loss.N, table.Rule(e.overlap[set]), wrong.Interval(), loss.Interval())
		}
	}
	return t
}

// omitted lists what is left out of the sets.
func (e *experiment) omitted() *table.Table {
	t := table.New("omitted", table.Text("set", "the data set"), table.Text("omitted",
		"columns without any value, and classes with fewer rows than min_class_rows, which are left out"))
	for _, s := range e.sets {
		if names := s.Omitted(); len(names) > 0 {
			t.Add(s.Name, strings.Join(names, ", "))
		}
	}
	return t
}

// omissions returns a note on each set of which something is left out.
func omissions(omitted *table.Table) (notes []string) {
	for i := 0; omitted != nil && i < omitted.Len(); i++ {
		notes = append(notes, omitted.Texts("set")[i]+": left out: "+omitted.Texts("omitted")[i])
	}
	return notes
}
