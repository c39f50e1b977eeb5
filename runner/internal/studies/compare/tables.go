package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/field"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// allSets is the name, in the column set, of what is averaged over the sets.
const allSets = "all"

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		runs := t.Get("runs")
		summary := runs.GroupBy("set", "method").Shares(learner.ShareNames...).Mean("summary", slices.Concat(learner.ScoreNames, learner.StepNames)...)
		derived := table.Set{summary, e.paired(runs), e.ranks(summary)}
		if len(e.Contrasts) > 0 {
			derived = append(derived, e.contrasts(runs, t.Get("predictions")))
		}
		if len(e.Compare.LeaveOut) > 0 {
			derived = append(derived, e.leftOut(summary))
		}
		return derived
	})
}

// paired is, for every set and method, the mean over its splits of its score less
// that of the reference on the same split, and for all sets the mean over the sets
// of these means; with 95 % intervals over the splits, or over the sets.
func (e *experiment) paired(runs *table.Table) *table.Table {
	t := table.New("paired", table.Text("set", "the data set; all: the mean over the sets"), table.Text("method", "the learner"),
		table.Text("reference", "the one that it is compared with"), table.Int("pairs", "splits that the method has learned, or sets"))
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.IntervalOf(c.Name, c.Doc+", less that of the reference")...)
	}
	add := func(set string, rows *table.Table, difference func(score string) []float64) {
		row := []any{set, rows.Texts("method")[0], e.Compare.Reference, rows.Len()}
		for _, score := range learner.ScoreNames {
			row = append(row, table.Interval(difference(score)))
		}
		t.Add(row...)
	}
	others := slices.DeleteFunc(runs.Distinct("method"), func(name string) bool { return name == e.Compare.Reference })
	for _, set := range e.Sets {
		of := runs.Where("set", set.Name)
		reference := of.Where("method", e.Compare.Reference)
		for _, method := range others {
			rows := of.Where("method", method)
			add(set.Name, rows, func(score string) []float64 {
				return floats.SubTo(rows.Nums(score), rows.Nums(score), reference.Nums(score)[:rows.Len()])
			})
		}
	}
	for _, method := range others {
		of := t.Where("method", method)
		add(allSets, of, of.Nums)
	}
	return t
}

// ranks is the mean over the sets of a method's rank among all by the mean score,
// from 1, the best, with the critical difference of Nemenyi's test at 5 %: two
// methods whose mean ranks differ by less do not differ significantly on these sets
// (Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR
// 2006).
func (e *experiment) ranks(summary *table.Table) *table.Table {
	t := table.New("ranks", table.Text("method", "the learner"), table.Int("sets", "over which ranks are averaged"))
	for _, c := range learner.ScoreColumns() {
		t.Columns = append(t.Columns, table.Num(c.Name, "mean rank by the "+c.Doc+"; 1: the best"))
	}
	t.Columns = append(t.Columns, table.Num("critical_difference", "of two mean ranks, by Nemenyi's test at 5 %"))
	k, n := len(e.Methods), len(e.Sets)
	critical := metric.StudentizedRange(k) / math.Sqrt2 * math.Sqrt(float64(k*(k+1))/float64(6*n))
	for i, m := range e.Methods {
		row := []any{m.Name, n}
		for _, score := range learner.ScoreNames {
			mean := 0.0
			for _, set := range e.Sets {
				mean += metric.Ranks(summary.Where("set", set.Name).Nums(score))[i] / float64(n)
			}
			row = append(row, mean)
		}
		t.Add(append(row, critical)...)
	}
	return t
}

// leftOut is, for every set, what a choice among some methods costs that has not seen the set: the
// one with the least mean log loss over the other sets, beside the reference and the best of them.
func (e *experiment) leftOut(summary *table.Table) *table.Table {
	t := table.New("left_out", table.Text("set", "the data set that is left out; all: means over the sets"), table.Text("chosen", "the method of least mean log loss over the other sets"),
		table.Num("log_loss", "of the chosen one on the set that is left out, in nats"), table.Num("reference_log_loss", "of the reference"),
		table.Num("best_log_loss", "of the best of the methods on this set, which nobody can know"))
	loss := func(set, method string) float64 {
		return summary.Where("set", set).Where("method", method).Nums("log_loss")[0]
	}
	for _, left := range e.Sets {
		var chosen string
		least, best := math.Inf(1), math.Inf(1)
		for _, method := range e.Compare.LeaveOut {
			sum := 0.0
			for _, set := range e.Sets {
				if set.Name != left.Name {
					sum += loss(set.Name, method)
				}
			}
			if sum < least {
				chosen, least = method, sum
			}
			best = min(best, loss(left.Name, method))
		}
		t.Add(left.Name, chosen, table.Finite(loss(left.Name, chosen)), table.Finite(loss(left.Name, e.Compare.Reference)), table.Finite(best))
	}
	t.Add(allSets, "", table.Mean(t.Nums("log_loss")), table.Mean(t.Nums("reference_log_loss")), table.Mean(t.Nums("best_log_loss")))
	return t
}

// contrast is a comparison of two methods that the manifest names.
type contrast struct {
	Method  string `toml:"method" allowed:"the name of a [[method]]"`
	Against string `toml:"against" allowed:"the name of a [[method]]"`
	Set     string `toml:"set,omitempty"`   // none: all
	Score   string `toml:"score,omitempty"` // none: log_loss
}

func (e *experiment) checkContrasts() error {
	for i, c := range e.Contrasts {
		c.Set, c.Score = cmp.Or(c.Set, allSets), cmp.Or(c.Score, "log_loss")
		if c.Set == allSets && len(e.Sets) == 1 {
			c.Set = e.Sets[0].Name
		}
		path := fmt.Sprintf("contrast.%d.", i+1)
		switch {
		case !e.named(c.Method):
			return field.Errorf(path+"method", "%q is not allowed; allowed: the name of a [[method]]", c.Method)
		case !e.named(c.Against) || c.Method == c.Against:
			return field.Errorf(path+"against", "%q is not allowed; allowed: the name of another [[method]]", c.Against)
		case c.Set != allSets && !slices.ContainsFunc(e.Sets, func(s data.Named) bool { return s.Name == c.Set }):
			return field.Errorf(path+"set", "%q is not allowed; allowed: the name of a [[set]], or %s", c.Set, allSets)
		case c.Score != "log_loss" && c.Score != "error":
			return field.Errorf(path+"score", "%q is not allowed; allowed: log_loss, error", c.Score)
		}
		e.Contrasts[i] = c
	}
	return nil
}

// contrasts tests the differences that the manifest names, with Holm's correction for their
// number ("A simple sequentially rejective multiple test procedure", Scandinavian Journal of
// Statistics 1979). What varies, and so what a mean difference is divided by, is
//
//   - of all sets, the set;
//   - of random splits, the split, whose training parts overlap: the variance of their mean is
//     (1/J + test/train)s² (Nadeau and Bengio, "Inference for the generalization error", Machine
//     Learning 2003);
//   - of one test part, the seed and the test example: the sum of both variances, which is not
//     less than that of the two-way layout (Owen, "The pigeonhole bootstrap", AOAS 2007), with
//     Satterthwaite's degrees of freedom;
//   - of a generator, whose examples are new for each seed, the seed.
func (e *experiment) contrasts(runs, predictions *table.Table) *table.Table {
	t := table.New("contrasts", slices.Concat([]table.Column{
		table.Text("set", "the data set, or all"), table.Text("method", "the learner"),
		table.Text("against", "the one that it is compared with"), table.Text("score", "what is compared"),
	}, table.IntervalOf("difference", "mean score of the method less that of the other; negative is better"), []table.Column{
		table.Text("unit", "what varies: sets, splits, seeds, or seeds and the test examples"),
		table.Int("units", "how many sets, splits or seeds"),
		table.Num("p", "two-sided p-value of no difference, by Student's t"), table.Num("p_holm", "the same, corrected for all rows by Holm's procedure"),
	})...)
	all := make([]difference, len(e.Contrasts))
	p := make([]float64, len(all))
	for i, c := range e.Contrasts {
		all[i] = e.difference(c, runs, predictions)
		p[i] = 1 - table.StudentWithin(all[i].freedom, math.Abs(all[i].mean)/math.Sqrt(all[i].variance))
	}
	for i, corrected := range holm(p) {
		c, d := e.Contrasts[i], all[i]
		half := table.StudentQuantile(d.freedom, 0.95) * math.Sqrt(d.variance)
		t.Add(c.Set, c.Method, c.Against, c.Score, table.Finite(d.mean), table.Finite(d.mean-half), table.Finite(d.mean+half),
			d.unit, d.units, table.Finite(p[i]), table.Finite(corrected))
	}
	return t
}

// difference is a mean difference, the variance of this mean, and the degrees of freedom of the variance.
type difference struct {
	mean, variance float64
	freedom, units int
	unit           string
}

func (e *experiment) difference(c contrast, runs, predictions *table.Table) difference {
	of := func(set string) []float64 {
		rows := runs.Where("set", set)
		a, b := rows.Where("method", c.Method).Nums(c.Score), rows.Where("method", c.Against).Nums(c.Score)
		n := min(len(a), len(b))
		return floats.SubTo(make([]float64, n), a[:n], b[:n])
	}
	if c.Set == allSets {
		var means []float64
		for _, s := range e.Sets {
			means = append(means, table.Mean(of(s.Name)))
		}
		return single(means, "sets", 0)
	}
	s := e.Sets[slices.IndexFunc(e.Sets, func(s data.Named) bool { return s.Name == c.Set })]
	by := of(c.Set)
	switch rows := runs.Where("set", c.Set); {
	case s.Generator.Name != "":
		return single(by, "seeds", 0)
	case s.TestFraction > 0:
		return single(by, "splits", rows.Nums("test")[0]/rows.Nums("train")[0])
	}
	rows := predictions.Where("set", c.Set)
	a := perExample(rows.Where("method", c.Method), &s.Source, c.Score, len(by))
	floats.Sub(a, perExample(rows.Where("method", c.Against), &s.Source, c.Score, len(by)))
	seeds := single(by, "seeds and test examples", 0)
	_, variance := table.MeanVariance(a)
	examples := variance / float64(len(a))
	if len(by) == 1 {
		seeds.variance = math.NaN()
	}
	sum := seeds.variance + examples
	if ratio := sum * sum / (seeds.variance*seeds.variance/float64(seeds.freedom) + examples*examples/float64(len(a)-1)); ratio >= 1 {
		seeds.freedom = int(min(ratio, 1000))
	}
	seeds.variance = sum
	return seeds
}

// single returns the mean of values and its variance; overlap is what their correlation adds to 1/n.
func single(values []float64, unit string, overlap float64) difference {
	mean, variance := table.MeanVariance(values)
	n := len(values)
	return difference{mean, variance * (1/float64(n) + overlap), max(1, n-1), n, unit}
}

// perExample returns for each example of one test part the mean over the seeds of the score of
// its predictions, of which six digits are known.
func perExample(predictions *table.Table, s *data.Source, score string, seeds int) []float64 {
	classes, names := s.Classes(), predictions.Texts("class")
	p := make([][]float64, len(classes))
	for j := range p {
		p[j] = predictions.Nums(learner.ProbabilityColumns(len(classes), "")[j].Name)
	}
	n := len(names) / len(predictions.Distinct("seed"))
	mean, row := make([]float64, n), make([]float64, len(classes))
	for k := range n * seeds {
		for j := range row {
			row[j] = max(p[j][k], 5e-7)
		}
		wrong, loss := learner.Loss(row, slices.Index(classes, names[k]))
		if score == "error" {
			loss = wrong
		}
		mean[k%n] += loss / float64(seeds)
	}
	return mean
}

// holm returns the p-values corrected by Holm's procedure; those that are not numbers stay, and
// count.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) }) // NaN first
	corrected, largest, left := slices.Clone(p), 0.0, len(p)
	for _, i := range order {
		if math.IsNaN(p[i]) {
			continue
		}
		largest = max(largest, min(1, p[i]*float64(left)))
		corrected[i] = largest
		left--
	}
	return corrected
}
