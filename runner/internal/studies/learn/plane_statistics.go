package learn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"closedform/runner/internal/approx"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

var none = math.NaN()

// life is what is gathered of one network.
type life struct {
	class  []int // of the points of the grid, data.NoClass on a boundary
	coarse []int // points on every stride-th line

	entropies     []float64 // mean over the coarse points after each example
	negativeSteps int       // whose smallest posterior variance as printed was negative
	applied       int       // that were taken as printed
	snapshots     [][]prediction
}

func (l *life) last() []prediction { return l.snapshots[len(l.snapshots)-1] }

// statistics are the columns of runs that a claim may name.
var statistics = []struct {
	name, doc string
	of        func(*life) float64
}{
	{"accuracy", "share of the grid, its boundary points apart, that the last snapshot classifies right", func(l *life) float64 {
		return metric.Accuracy(labelled(l.last(), l.class))
	}},
	{"entropy_drop", "drop of the mean predictive entropy from the first to the last snapshot, in nats", func(l *life) float64 {
		return meanEntropy(l.snapshots[0]) - meanEntropy(l.last())
	}},
	{"entropy_falls", "share of examples, from the second, after which the mean predictive entropy is lower than before", (*life).entropyFalls},
	{"separation_12", "among points of classes 1 and 2, share with the larger of their probabilities on the right one", func(l *life) float64 {
		return l.share(func(p []float64, class int) bool { return p[class] > p[1-class] })
	}},
	{"recall_12", "share of the points of classes 1 and 2 that are classified right among all classes", func(l *life) float64 {
		return l.share(func(p []float64, class int) bool { return floats.MaxIdx(p) == class })
	}},
	{"variance_auroc", "probability that Σ_j Var y_j is larger at a point classified wrong than at one classified right; none where one of the sums is negative", (*life).varianceAUROC},
	{"variance_drop", "drop of the mean of Σ_j Var y_j from the first to the last snapshot; none where one of the sums is negative", func(l *life) float64 {
		first, last := totalVariances(l.snapshots[0]), totalVariances(l.last())
		if negative(floats.Min(first)) || negative(floats.Min(last)) {
			return none
		}
		return stat.Mean(first, nil) - stat.Mean(last, nil)
	}},
	{"variances_positive", "share of the predictions of all snapshots without a negative variance", func(l *life) float64 {
		return 1 - float64(l.negativeVariances())/float64(len(l.snapshots)*len(l.class))
	}},
}

// negative reports whether a variance is negative beyond the accuracy of the moments.
func negative(variance float64) bool { return variance < -approx.MomentError }

func (l *life) entropyFalls() float64 {
	var falls float64
	for i := range l.entropies[1:] {
		if l.entropies[i+1] < l.entropies[i] {
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
		return none
	}
	var variance []float64
	var wrong []bool
	for i, f := range l.last() {
		if class := l.class[f.point]; class != data.NoClass {
			variance = append(variance, total[i])
			wrong = append(wrong, floats.MaxIdx(f.p) != class)
		}
	}
	return metric.AUROC(variance, wrong)
}

func (l *life) negativeVariances() (n int) {
	for _, all := range l.snapshots {
		for _, f := range all {
			if negative(floats.Min(f.variance)) {
				n++
			}
		}
	}
	return n
}

// labelled returns the predictions of labels and the true classes at points that have
// one.
func labelled(all []prediction, classes []int) (p [][]float64, class []int) {
	for _, f := range all {
		if c := classes[f.point]; c != data.NoClass {
			p, class = append(p, f.label), append(class, c)
		}
	}
	return p, class
}

// meanEntropy returns the predictive entropy, averaged over the predictions.
func meanEntropy(all []prediction) float64 {
	var sum float64
	for _, f := range all {
		sum += metric.Entropy(f.label)
	}
	return sum / float64(len(all))
}

// totalVariances returns Σ_j Var y_j of every prediction.
func totalVariances(all []prediction) []float64 {
	var total []float64
	for _, f := range all {
		total = append(total, floats.Sum(f.variance))
	}
	return total
}

// modelColumns are those of runs, after method and seed, that describe the model.
func modelColumns() []table.Column {
	return []table.Column{
		table.Num("linear_ceiling", "best accuracy of linear scores without bias"), table.Num("lambda", "slope λ of the probit"),
		table.Num("rho", "its correlation ρ"),
	}
}

// runs returns the table of the network, of one row.
func (c *planeCell) runs(task *data.Task) *table.Table {
	t := table.New("runs", table.Text("method", "the network"), table.Int("seed", "of prior and examples"))
	row := []any{c.Model.Name, c.Seed}
	add := func(columns []table.Column, values ...any) {
		t.Columns, row = append(t.Columns, columns...), append(row, values...)
	}
	number := func(name, doc string, x any) { add([]table.Column{table.Num(name, doc)}, x) }
	l := &c.life
	add(modelColumns(), task.LinearCeiling, c.Model.Lambda.Value(task.Classes, c.Model.Rho), c.Model.Rho)
	for _, s := range statistics {
		number(s.name, s.doc, s.of(l))
	}
	add(learner.ScoreColumns()[1:], learner.Scores(labelled(l.last(), l.class))[1:]) // the first is one minus the accuracy
	for i, k := range c.Evaluate.Snapshots {
		number(fmt.Sprintf("entropy_%d", k), fmt.Sprintf("predictive entropy after %d examples, mean over the grid, in nats", k), meanEntropy(l.snapshots[i]))
	}
	for i, k := range c.Evaluate.Snapshots {
		number(fmt.Sprintf("variance_%d", k), fmt.Sprintf("Σ_j Var y_j after %d examples, mean over the grid", k), stat.Mean(totalVariances(l.snapshots[i]), nil))
	}
	for q, name := range []string{"p", "var"} {
		gap := l.gap(q)
		number("max_abs_"+name+"_error", "largest distance of "+name+" from Monte Carlo, on the coarse grid at all snapshots", gap.largest)
		number("mean_abs_"+name+"_error", "mean of that distance", gap.sum/gap.count)
		number("rms_"+name+"_error", "root mean square of the error, the variance of Monte Carlo taken off", math.Sqrt(max(0, gap.square/gap.count)))
		number("mean_"+name+"_se", "mean standard error of Monte Carlo, the noise in the first two", gap.err/gap.count)
	}
	var excess, asymmetry float64
	for _, all := range l.snapshots {
		for _, f := range all {
			excess, asymmetry = max(excess, math.Abs(f.excess)), max(asymmetry, f.asymmetry)
		}
	}
	number("max_abs_excess", "largest |Σp − 1|", excess)
	number("max_asymmetry", "largest |E_ij − E_ji|", asymmetry)
	add([]table.Column{
		table.Int("negative_variances", "predictions of all snapshots with a negative variance"),
		table.Int("negative_steps", "examples after which, as printed, a logit would have a negative variance"),
		table.Int("applied", "examples whose step was taken as printed"),
	}, l.negativeVariances(), l.negativeSteps, l.applied)
	add(learner.StepColumns(), c.network.Steps().Row())
	t.Add(row...)
	return t
}

// deviation sums |approximation − Monte Carlo| over points and classes.
type deviation struct{ largest, sum, err, square, count float64 }

// gap returns the deviation of the means (q = 0) or variances (q = 1) on the coarse
// grid, also for the seed that was checked everywhere.
func (l *life) gap(q int) (d deviation) {
	for _, all := range l.snapshots {
		for _, i := range l.coarse {
			f := all[i]
			for j, x := range [][]float64{f.p, f.variance}[q] {
				gap, se := math.Abs(x-f.check[q][j]), f.checkErr[q][j]
				d.largest = max(d.largest, gap)
				d.sum += gap
				d.err += se
				d.square += gap*gap - se*se
				d.count++
			}
		}
	}
	return d
}
