package learner

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// Stepper is a learner some of whose steps cannot be taken as printed.
type Stepper interface{ Steps() Steps }

// Steps counts what became of the examples.
type Steps struct {
	Indefinite, Skipped, Projected int
	Floored, Capped                int // variances kept at their floor and at their cap, see bnn.Update
	Limited                        int // examples whose inputs an output layer cut, see readout.Layer.Limited
	Failed                         bool
}

// StepColumns returns the columns of [Steps.Row].
func StepColumns() []table.Column {
	return []table.Column{
		table.Int("indefinite_steps", "examples whose step was indefinite as printed"),
		table.Int("skipped_steps", "examples whose step was not taken"),
		table.Int("projected_steps", "those that were taken after a repair"),
		table.Int("floored", "variances of logits, hidden units and weights that were raised to their floor"),
		table.Int("capped", "variances of logits and hidden pre-activations that were lowered to their cap"),
		table.Int("limited", "examples of an output layer with an input beyond ±32, which was cut"),
		table.Flag("failed", "1 if the learner broke down; it predicts equal probabilities from then on"),
	}
}

// StepNames are the names of the StepColumns.
var StepNames = table.Names(StepColumns())

// Row returns the counts in the order of StepColumns.
func (s Steps) Row() []any {
	return []any{s.Indefinite, s.Skipped, s.Projected, s.Floored, s.Capped, s.Limited, s.Failed}
}

// count counts what became of an example.
func (s *Steps) count(u bnn.Update) {
	if u.Indefinite {
		s.Indefinite++
	}
	switch u.Action {
	case bnn.Skipped:
		s.Skipped++
	case bnn.Projected:
		s.Projected++
	}
	s.Floored, s.Capped = s.Floored+u.Floored, s.Capped+u.Capped
}

func (s *Steps) add(other Steps) {
	s.Indefinite, s.Skipped = s.Indefinite+other.Indefinite, s.Skipped+other.Skipped
	s.Projected += other.Projected
	s.Floored, s.Capped = s.Floored+other.Floored, s.Capped+other.Capped
}

// Steps returns what became of the examples.
func (c *Classifier) Steps() Steps {
	var s Steps
	if l, ok := c.Learner.(Stepper); ok {
		s = l.Steps()
	}
	if l := c.Readout(); l != nil {
		s.Limited = l.Limited()
	}
	s.Failed = c.Err != nil
	return s
}

// BrokenDown returns a note on each method of the table, which has the StepColumns and a row for each run,
// that broke down in some runs.
func BrokenDown(runs *table.Table) (notes []string) {
	for _, method := range runs.Distinct("method") {
		all := runs.Where("method", method)
		if failed := all.Where("failed", 1).Len(); failed > 0 {
			const note = "%s broke down in %d of %d runs, and is scored there as equal probabilities"
			notes = append(notes, fmt.Sprintf(note, method, failed, all.Len()))
		}
	}
	return notes
}

// CalibrationBins is the number of bins of the expected calibration error.
const CalibrationBins = 15

// ScoreColumns returns the columns of [Scores].
func ScoreColumns() []table.Column {
	return []table.Column{
		table.Share("error", "share of wrong answers"),
		table.Positive("log_loss", "mean of −log p of the true class, in nats"),
		table.Positive("brier", "mean of the squared distance of the probabilities from the label, 0 to 2"),
		table.Share("ece", "expected calibration error of the largest probability, 15 bins"),
		table.Share("aurc", "area under the risk–coverage curve of the largest probability"),
	}
}

// ScoreNames are the names of the ScoreColumns.
var ScoreNames = table.Names(ScoreColumns())

// Scores returns the scores of predictions in the order of ScoreColumns.
func Scores(p [][]float64, class []int) []float64 {
	top, wrong := make([]float64, len(p)), make([]bool, len(p))
	for i, p := range p {
		top[i], wrong[i] = floats.Max(p), floats.MaxIdx(p) != class[i]
	}
	return []float64{
		metric.Error(p, class), metric.LogLoss(p, class), metric.Brier(p, class),
		metric.ECE(p, class, CalibrationBins), metric.AURC(top, wrong),
	}
}

// ProbabilityColumns returns the columns p1, p2, … of n classes.
func ProbabilityColumns(n int, doc string) []table.Column {
	columns := make([]table.Column, n)
	for j := range columns {
		columns[j] = table.Num(fmt.Sprintf("p%d", j+1), doc).Rounded(6)
	}
	return columns
}

// Loss returns 1 if the most probable class of the prediction p is wrong, else 0; and −log p_class.
func Loss(p []float64, class int) (wrong, logLoss float64) {
	if floats.MaxIdx(p) != class {
		wrong = 1
	}
	return wrong, -kernel.Log(p[class])
}

// Prequential scores predictions of examples before they are learned (Dawid, "The prequential approach", JRSS
// A 1984).
type Prequential struct{ seen, wrong, logLoss float64 }

// Add takes note of a prediction.
func (s *Prequential) Add(p []float64, class int) {
	wrong, loss := Loss(p, class)
	s.seen++
	s.wrong += wrong
	s.logLoss += loss
}

// PrequentialColumns returns the columns of [Prequential.Means].
func PrequentialColumns() []table.Column {
	return []table.Column{
		table.Share("prequential_error",
			"share of wrong answers on the examples of the first pass so far, each before learning"),
		table.Positive("prequential_log_loss", "mean of −log p of their true classes, in nats"),
	}
}

// Means returns error and log loss so far, NaN if there is none.
func (s *Prequential) Means() []float64 {
	return []float64{s.wrong / s.seen, s.logLoss / s.seen}
}

// Increasing returns an error unless the numbers increase from 1 or more to most or less.
func Increasing(key string, numbers []int, most int) error {
	for i, n := range numbers {
		if n < 1 || n > most || i > 0 && n <= numbers[i-1] {
			const allowed = "%v is not allowed; allowed: increasing numbers from 1 to %d"
			return field.Errorf(key, allowed, numbers, most)
		}
	}
	return nil
}

// Snapshots returns about six numbers of examples up to n, evenly spaced on a logarithmic scale but that they
// are 1, 2 or 5 times a power of ten, the last apart.
func Snapshots(n int) (numbers []int) {
	const parts = 6
	distance := func(k int, log float64) float64 { return math.Abs(kernel.Log(float64(k)) - log) }
	for i := 1; i < parts; i++ {
		want, best := kernel.Log(float64(n))*float64(i)/parts, 1
		for decade := 1; decade < n; decade *= 10 {
			for _, k := range []int{decade, 2 * decade, 5 * decade} {
				const tie = 1e-9 // the smaller is taken
				if 5*k < 4*n && distance(k, want) < distance(best, want)-tie {
					best = k
				}
			}
		}
		if best < n && !slices.Contains(numbers, best) {
			numbers = append(numbers, best)
		}
	}
	return append(numbers, n)
}
