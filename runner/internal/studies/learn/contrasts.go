package learn

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// contrast is a comparison of two methods that the manifest names.
type contrast struct {
	Method  string `toml:"method" allowed:"the name of a [[method]]"`
	Against string `toml:"against" allowed:"the name of a [[method]]"`
	Score   string `toml:"score,omitempty"` // log_loss, the default, or error
}

// contrasts tests the differences that the manifest names, with Holm's correction for their
// number. The unit of replication is
//
//   - for all sets, the set;
//   - for random splits, the split, whose training parts overlap: the variance of their mean is
//     (1/J + test/train)s² (Nadeau and Bengio, "Inference for the generalization error", Machine
//     Learning 2003);
//   - for one test part, the seed and the test example: the sum of both variances, which is not
//     less than that of the two-way layout (Owen, "The pigeonhole bootstrap", AOAS 2007), with
//     Satterthwaite's degrees of freedom;
//   - for a generator, which draws new examples for each seed, the seed.
func (e *experiment) contrasts(runs, predictions *table.Table) *table.Table {
	t := table.New("contrasts", slices.Concat([]table.Column{
		table.Text("set", "the data set, or all"), table.Text("method", "the learner"),
		table.Text("against", "the one that it is compared with"), table.Text("score", "what is compared"),
	}, table.IntervalOf("difference", "mean score less that of the other; negative is better"), []table.Column{
		table.Text("unit", "of replication: sets, splits, seeds, or seeds and test examples"),
		table.Int("units", "how many sets, splits or seeds"),
		table.Num("p", "two-sided p-value of no difference, by Student's t"),
		table.Num("p_holm", "the same, corrected for all rows by Holm's procedure"),
	})...)
	all := make([]difference, len(e.Contrasts))
	p := make([]float64, len(all))
	for i, c := range e.Contrasts {
		all[i] = e.difference(c, runs, predictions)
		p[i] = 1 - table.StudentWithin(all[i].freedom, math.Abs(all[i].mean)/math.Sqrt(all[i].variance))
	}
	set := allSets
	if len(e.sets) == 1 {
		set = e.sets[0].Name
	}
	for i, corrected := range metric.Holm(p) {
		c, d := e.Contrasts[i], all[i]
		half := table.StudentQuantile(d.freedom, 0.95) * math.Sqrt(d.variance)
		t.Add(set, c.Method, c.Against, c.Score, table.Finite(d.mean), table.Finite(d.mean-half),
			table.Finite(d.mean+half), d.unit, d.units, table.Finite(p[i]), table.Finite(corrected))
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
	if len(e.sets) > 1 {
		var means []float64
		for _, s := range e.sets {
			rows := runs.Where("set", s.Name)
			means = append(means, table.Mean(differences(rows, c.Method, c.Against, c.Score)))
		}
		return single(means, "sets", 0)
	}
	s := e.sets[0]
	bySeed := differences(runs, c.Method, c.Against, c.Score)
	switch {
	case s.Generator.Name != "":
		return single(bySeed, "seeds", 0)
	case s.TestFraction > 0:
		return single(bySeed, "splits", runs.Nums("test")[0]/runs.Nums("train")[0])
	}
	examples := func(method string) []float64 {
		return perExample(predictions.Where("method", method), s.Classes(), c.Score, len(bySeed))
	}
	byExample := examples(c.Method)
	floats.Sub(byExample, examples(c.Against))
	seeds := single(bySeed, "seeds and test examples", 0)
	n := float64(len(byExample))
	_, variance := table.MeanVariance(byExample)
	variance /= n
	if len(bySeed) == 1 {
		seeds.variance = math.NaN()
	}
	sum := seeds.variance + variance
	ratio := sum * sum / (seeds.variance*seeds.variance/float64(seeds.freedom) + variance*variance/(n-1))
	if ratio >= 1 {
		seeds.freedom = int(min(ratio, 1000))
	}
	seeds.variance = sum
	return seeds
}

// differences returns the scores of a method less those of another for each seed that both have.
func differences(runs *table.Table, method, against, score string) []float64 {
	a, b := runs.Where("method", method).Nums(score), runs.Where("method", against).Nums(score)
	n := min(len(a), len(b))
	return floats.SubTo(make([]float64, n), a[:n], b[:n])
}

// single returns the mean of values and its variance; overlap is what their correlation adds to 1/n.
func single(values []float64, unit string, overlap float64) difference {
	mean, variance := table.MeanVariance(values)
	n := len(values)
	return difference{mean, variance * (1/float64(n) + overlap), max(1, n-1), n, unit}
}

// perExample returns for each example of one test part the mean over the seeds of the score of
// its predictions, of which six digits are known.
func perExample(predictions *table.Table, classes []string, score string, seeds int) []float64 {
	truth := predictions.Texts("class")
	n := len(truth) / len(predictions.Distinct("seed"))
	mean := make([]float64, n)
	for k, p := range probabilities(predictions)[:n*seeds] {
		p = slices.Clone(p[:len(classes)])
		for j := range p {
			p[j] = max(p[j], 5e-7)
		}
		wrong, loss := learner.Loss(p, slices.Index(classes, truth[k]))
		if score == "error" {
			loss = wrong
		}
		mean[k%n] += loss / float64(seeds)
	}
	return mean
}
