package learn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// shares are the columns of runs whose numbers are from 0 to 1, beside [learner.ShareNames].
var shares = []string{"accuracy", "entropy_falls", "separation_12", "recall_12", "variance_auroc", "variances_positive"}

// runs returns the table of the network, of one row.
func (c *planeCell) runs(task *data.Task) *table.Table {
	first, last := c.snapshots[0], c.last()
	drop := math.NaN()
	if before, after := totalVariances(first), totalVariances(last.predictions); !negative(floats.Min(before)) && !negative(floats.Min(after)) {
		drop = table.Mean(before) - table.Mean(after)
	}
	var negatives, excess, asymmetry float64
	for _, f := range slices.Concat(c.snapshots...) {
		if negative(floats.Min(f.variance)) {
			negatives++
		}
		excess, asymmetry = max(excess, math.Abs(f.excess)), max(asymmetry, f.asymmetry)
	}
	p, variance, steps := c.gap(0), c.gap(1), c.network.Steps()
	type statistic struct {
		name, doc string
		value     float64
	}
	all := []statistic{
		{"lambda", "slope λ of the probit", c.Model.Lambda.Value(task.Classes, c.Model.Rho)},
		{"rho", "its correlation ρ", c.Model.Rho},
		{"linear_ceiling", "best accuracy of linear scores without bias", task.LinearCeiling},
		{"accuracy", "share of the grid, its boundary points apart, that the last snapshot classifies right", metric.Accuracy(last.labels, last.class)},
		{"entropy_drop", "drop of the mean predictive entropy from the first to the last snapshot, in nats", meanEntropy(first) - meanEntropy(last.predictions)},
		{"entropy_falls", "share of examples, from the second, after which the mean predictive entropy is lower than before by more than 1e-9 nats", falls(c.entropies)},
		{"separation_12", "among points of classes 1 and 2, share with the larger of their probabilities on the right one", last.separated / last.points},
		{"recall_12", "share of the points of classes 1 and 2 that are classified right among all classes", last.recalled / last.points},
		{"variance_auroc", "probability that Σ_j Var y_j is larger at a point that is classified wrong than at one that is classified right", last.auroc},
		{"variance_drop", "drop of the mean of Σ_j Var y_j from the first to the last snapshot; no value, here and before, where a sum is negative", drop},
		{"variances_positive", "share of the predictions of all snapshots without a negative variance", 1 - negatives/float64(len(c.snapshots)*len(c.class))},
		{"negative_variances", "predictions of all snapshots with a negative variance", negatives},
		{"negative_steps", "examples after which, as printed, a logit would have a negative variance", float64(c.negativeSteps)},
		{"max_abs_excess", "largest |Σp − 1|", excess},
		{"max_asymmetry", "largest |E_ij − E_ji|", asymmetry},
		{"max_abs_p_error", "largest distance of p from Monte Carlo on the coarse grid", p.largest},
		{"mean_abs_p_error", "mean of that distance", p.mean},
		{"rms_p_error", "root mean square error of p, the variance of Monte Carlo taken off", p.rms},
		{"mean_p_se", "mean standard error of Monte Carlo, the noise in the distances", p.se},
		{"max_abs_var_error", "largest distance of the variances from Monte Carlo", variance.largest},
		{"mean_abs_var_error", "mean of that distance", variance.mean},
		{"rms_var_error", "root mean square error of the variances", variance.rms},
		{"mean_var_se", "mean standard error of Monte Carlo", variance.se},
	}
	for i, k := range c.Evaluate.Snapshots {
		all = append(all,
			statistic{fmt.Sprintf("entropy_%d", k), fmt.Sprintf("predictive entropy after %d examples, mean over the grid, in nats", k), meanEntropy(c.snapshots[i])},
			statistic{fmt.Sprintf("variance_%d", k), fmt.Sprintf("Σ_j Var y_j after %d examples, mean over the grid", k), table.Mean(totalVariances(c.snapshots[i]))})
	}
	all = append(all, statistic{"applied_steps", "examples whose step was taken as printed", float64(len(c.entropies) - steps.Skipped - steps.Projected)})
	t := table.New("runs", table.Text("method", "the network"), table.Int("seed", "of prior and examples"))
	row := []any{c.Model.Name, c.Seed}
	for _, s := range all {
		t.Columns, row = append(t.Columns, table.Num(s.name, s.doc)), append(row, s.value)
	}
	// The first score is one minus the accuracy.
	t.Columns = slices.Concat(t.Columns, learner.ScoreColumns()[1:], learner.StepColumns())
	t.Add(append(row, learner.Scores(last.labels, last.class)[1:], steps.Row())...)
	return t
}

// labelled is the last snapshot, and what it says of the points that have a class.
type labelled struct {
	predictions []prediction
	labels      [][]float64
	class       []int

	points, separated, recalled float64 // points of the first two classes; of these, those that are right
	auroc                       float64 // of Σ_j Var y_j, for points that are classified wrong; NaN where a sum is negative
}

func (c *planeCell) last() labelled {
	l := labelled{predictions: c.snapshots[len(c.snapshots)-1], auroc: math.NaN()}
	total := totalVariances(l.predictions)
	var variance []float64
	var wrong []bool
	for i, f := range l.predictions {
		class := c.class[i]
		if class == data.NoClass {
			continue
		}
		l.labels, l.class = append(l.labels, f.label), append(l.class, class)
		right := floats.MaxIdx(f.p) == class
		variance, wrong = append(variance, total[i]), append(wrong, !right)
		if class > 1 {
			continue
		}
		l.points++
		if f.p[class] > f.p[1-class] {
			l.separated++
		}
		if right {
			l.recalled++
		}
	}
	if !negative(floats.Min(total)) {
		l.auroc = metric.AUROC(variance, wrong)
	}
	return l
}

// meanEntropy returns the predictive entropy, averaged over the predictions.
func meanEntropy(all []prediction) float64 {
	var sum float64
	for _, f := range all {
		sum += kernel.Entropy(f.label, 1)
	}
	return sum / float64(len(all))
}

// totalVariances returns Σ_j Var y_j of every prediction.
func totalVariances(all []prediction) (total []float64) {
	for _, f := range all {
		total = append(total, kernel.Sum(f.variance))
	}
	return total
}

// negative reports whether a variance is negative beyond the accuracy of the moments.
func negative(variance float64) bool { return variance < -softmax.MomentError }

// falls returns the share of entropies, from the second, that are below the one before by many times
// the rounding error, which else would decide where an example changes nothing.
func falls(entropies []float64) float64 {
	const least = 1e-9
	var n float64
	for i := range entropies[1:] {
		if entropies[i+1] < entropies[i]-least {
			n++
		}
	}
	return n / float64(len(entropies)-1)
}

// gap is what |approximation − Monte Carlo| is over points and classes: the largest
// and the mean, the mean standard error of Monte Carlo, and the root mean square of
// approximation − truth.
type gap struct{ largest, mean, se, rms float64 }

// gap returns that of the means (q = 0) or variances (q = 1) on the coarse grid at all
// snapshots, also for the seed that was checked everywhere.
func (c *planeCell) gap(q int) (g gap) {
	var squares, n float64
	for _, all := range c.snapshots {
		for _, i := range c.coarse {
			f := all[i]
			for j, x := range [][]float64{f.p, f.variance}[q] {
				distance, se := math.Abs(x-f.check[q][j]), f.checkErr[q][j]
				g.largest = max(g.largest, distance)
				g.mean += distance
				g.se += se
				squares += distance*distance - se*se
				n++
			}
		}
	}
	return gap{g.largest, g.mean / n, g.se / n, math.Sqrt(max(0, squares/n))}
}
