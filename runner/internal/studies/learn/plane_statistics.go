package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// life is what is gathered of one network.
type life struct {
	class  []int // of the points of the grid, data.NoClass on a boundary
	coarse []int // points on every stride-th line

	entropies     []float64 // mean over the coarse points after each example
	negativeSteps int       // whose smallest posterior variance as printed was negative
	snapshots     [][]prediction
}

func (l *life) last() []prediction { return l.snapshots[len(l.snapshots)-1] }

// statistics are columns of runs.
var statistics = []struct {
	name, doc string
	of        func(*life) float64
}{
	{"accuracy", "share of the grid, its boundary points apart, that the last snapshot classifies right", func(l *life) float64 {
		return metric.Accuracy(l.labelled())
	}},
	{"entropy_drop", "drop of the mean predictive entropy from the first to the last snapshot, in nats", func(l *life) float64 {
		return meanEntropy(l.snapshots[0]) - meanEntropy(l.last())
	}},
	{"entropy_falls", "share of examples, from the second, after which the mean predictive entropy is lower than before by more than 1e-9 nats", (*life).entropyFalls},
	{"separation_12", "among points of classes 1 and 2, share with the larger of their probabilities on the right one", func(l *life) float64 {
		return l.share(func(p []float64, class int) bool { return p[class] > p[1-class] })
	}},
	{"recall_12", "share of the points of classes 1 and 2 that are classified right among all classes", func(l *life) float64 {
		return l.share(func(p []float64, class int) bool { return floats.MaxIdx(p) == class })
	}},
	{"variance_auroc", "probability that Σ_j Var y_j is larger at a point that is classified wrong than at one that is classified right", (*life).varianceAUROC},
	{"variance_drop", "drop of the mean of Σ_j Var y_j from the first to the last snapshot; no value, here and before, where a sum is negative", func(l *life) float64 {
		first, last := totalVariances(l.snapshots[0]), totalVariances(l.last())
		if negative(floats.Min(first)) || negative(floats.Min(last)) {
			return math.NaN()
		}
		return table.Mean(first) - table.Mean(last)
	}},
	{"variances_positive", "share of the predictions of all snapshots without a negative variance", func(l *life) float64 {
		return 1 - l.negativeVariances()/float64(len(l.snapshots)*len(l.class))
	}},
	{"negative_variances", "predictions of all snapshots with a negative variance", (*life).negativeVariances},
	{"negative_steps", "examples after which, as printed, a logit would have a negative variance", func(l *life) float64 { return float64(l.negativeSteps) }},
	{"max_abs_excess", "largest |Σp − 1|", func(l *life) float64 { return l.largest(func(f prediction) float64 { return math.Abs(f.excess) }) }},
	{"max_asymmetry", "largest |E_ij − E_ji|", func(l *life) float64 { return l.largest(func(f prediction) float64 { return f.asymmetry }) }},
	{"max_abs_p_error", "largest distance of p from Monte Carlo on the coarse grid", func(l *life) float64 { return l.gap(0).largest }},
	{"mean_abs_p_error", "mean of that distance", func(l *life) float64 { return l.gap(0).mean }},
	{"rms_p_error", "root mean square error of p, the variance of Monte Carlo taken off", func(l *life) float64 { return l.gap(0).rms }},
	{"mean_p_se", "mean standard error of Monte Carlo, the noise in the distances", func(l *life) float64 { return l.gap(0).se }},
	{"max_abs_var_error", "largest distance of the variances from Monte Carlo", func(l *life) float64 { return l.gap(1).largest }},
	{"mean_abs_var_error", "mean of that distance", func(l *life) float64 { return l.gap(1).mean }},
	{"rms_var_error", "root mean square error of the variances", func(l *life) float64 { return l.gap(1).rms }},
	{"mean_var_se", "mean standard error of Monte Carlo", func(l *life) float64 { return l.gap(1).se }},
}

// shares are the statistics whose numbers are from 0 to 1.
var shares = []string{"accuracy", "entropy_falls", "separation_12", "recall_12", "variance_auroc", "variances_positive"}

// runs returns the table of the network, of one row.
func (c *planeCell) runs(task *data.Task) *table.Table {
	t := table.New("runs", table.Text("method", "the network"), table.Int("seed", "of prior and examples"),
		table.Num("lambda", "slope λ of the probit"), table.Num("rho", "its correlation ρ"),
		table.Num("linear_ceiling", "best accuracy of linear scores without bias"))
	row := []any{c.Model.Name, c.Seed, c.Model.Lambda.Value(task.Classes, c.Model.Rho), c.Model.Rho, task.LinearCeiling}
	number := func(x float64, name, doc string) {
		t.Columns, row = append(t.Columns, table.Num(name, doc)), append(row, x)
	}
	for _, s := range statistics {
		number(s.of(&c.life), s.name, s.doc)
	}
	for i, k := range c.Evaluate.Snapshots {
		all := c.snapshots[i]
		number(meanEntropy(all), fmt.Sprintf("entropy_%d", k), fmt.Sprintf("predictive entropy after %d examples, mean over the grid, in nats", k))
		number(table.Mean(totalVariances(all)), fmt.Sprintf("variance_%d", k), fmt.Sprintf("Σ_j Var y_j after %d examples, mean over the grid", k))
	}
	steps := c.network.Steps()
	number(float64(len(c.entropies)-steps.Skipped-steps.Projected), "applied_steps", "examples whose step was taken as printed")
	// The first score is one minus the accuracy.
	t.Columns = append(append(t.Columns, learner.ScoreColumns()[1:]...), learner.StepColumns()...)
	t.Add(append(row, learner.Scores(c.labelled())[1:], steps.Row())...)
	return t
}

// labelled returns the labels that the last snapshot predicts and the true classes, at
// points that have one.
func (l *life) labelled() (p [][]float64, class []int) {
	for _, f := range l.last() {
		if c := l.class[f.point]; c != data.NoClass {
			p, class = append(p, f.label), append(class, c)
		}
	}
	return p, class
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

// leastFall of an entropy, in nats, is many times its rounding error, which else would
// decide where an example changes nothing.
const leastFall = 1e-9

func (l *life) entropyFalls() float64 {
	var falls float64
	for i := range l.entropies[1:] {
		if l.entropies[i+1] < l.entropies[i]-leastFall {
			falls++
		}
	}
	return falls / float64(len(l.entropies)-1)
}

// share returns that of the points of the first two classes that are right at the
// last snapshot.
func (l *life) share(isRight func(p []float64, class int) bool) float64 {
	var right, points float64
	for _, f := range l.last() {
		if class := l.class[f.point]; class == 0 || class == 1 {
			points++
			if isRight(f.p, class) {
				right++
			}
		}
	}
	return right / points
}

func (l *life) varianceAUROC() float64 {
	total := totalVariances(l.last())
	if negative(floats.Min(total)) {
		return math.NaN()
	}
	var variance []float64
	var wrong []bool
	for i, f := range l.last() {
		if class := l.class[f.point]; class != data.NoClass {
			variance, wrong = append(variance, total[i]), append(wrong, floats.MaxIdx(f.p) != class)
		}
	}
	return metric.AUROC(variance, wrong)
}

func (l *life) negativeVariances() (n float64) {
	for _, all := range l.snapshots {
		for _, f := range all {
			if negative(floats.Min(f.variance)) {
				n++
			}
		}
	}
	return n
}

// largest returns the largest x of all predictions.
func (l *life) largest(x func(prediction) float64) (most float64) {
	for _, all := range l.snapshots {
		for _, f := range all {
			most = max(most, x(f))
		}
	}
	return most
}

// gap is what |approximation − Monte Carlo| is over points and classes: the largest
// and the mean, the mean standard error of Monte Carlo, and the root mean square of
// approximation − truth.
type gap struct{ largest, mean, se, rms float64 }

// gap returns that of the means (q = 0) or variances (q = 1) on the coarse grid at all
// snapshots, also for the seed that was checked everywhere.
func (l *life) gap(q int) (g gap) {
	var squares, n float64
	for _, all := range l.snapshots {
		for _, i := range l.coarse {
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
