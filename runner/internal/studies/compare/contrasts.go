package compare

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/field"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

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
		switch {
		case !e.named(c.Method) || !e.named(c.Against) || c.Method == c.Against:
			return field.Errorf("contrast", "%q against %q is not allowed; allowed: the names of two [[method]]s", c.Method, c.Against)
		case c.Set != allSets && !slices.ContainsFunc(e.Sets, func(s data.Named) bool { return s.Name == c.Set }):
			return field.Errorf("contrast", "set = %q is not allowed; allowed: the name of a [[set]], or %s", c.Set, allSets)
		case c.Score != "log_loss" && c.Score != "error":
			return field.Errorf("contrast", "score = %q is not allowed; allowed: log_loss, error", c.Score)
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

// difference is a mean difference, with its variance and the degrees of freedom of that.
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
