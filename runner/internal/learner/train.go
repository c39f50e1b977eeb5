package learner

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/field"
	"closedform/core/kernel"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// Examples are inputs with their classes, from 0.
type Examples interface {
	Len() int
	Inputs() int
	Input(dst []float64, i int) // sets dst to input i
	Class(i int) int
}

// Course is a stream of examples that a learner is trained along, pass after pass.
type Course struct {
	Examples Examples
	Passes   int                        // at least one
	Order    func(pass int) rand.Source // shuffles the examples of a pass, from 1; nil: as they are
	Before   func(x []float64, class int, pass int)
	After    func(pass, k int) error // after the k-th example of a pass
}

// Train trains the learner.
func (c Course) Train(ctx context.Context, l Learner) error {
	x := make([]float64, c.Examples.Inputs())
	order := make([]int, c.Examples.Len())
	for i := range order {
		order[i] = i
	}
	for pass := 1; pass <= max(1, c.Passes); pass++ {
		if b := bankOf(l); b != nil && pass == 2 {
			b.settle()
		}
		if c.Order != nil {
			if src := c.Order(pass); src != nil {
				order = rand.New(src).Perm(len(order))
			}
		}
		for k, i := range order {
			if k%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			c.Examples.Input(x, i)
			class := c.Examples.Class(i)
			if c.Before != nil {
				c.Before(x, class, pass)
			}
			if err := l.Observe(x, class); err != nil {
				return err
			}
			if c.After != nil {
				if err := c.After(pass, k+1); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
}

// Test returns the predictions of all examples, and their classes. Where the learner
// breaks down over one, all are equal probabilities.
func (t *Tolerant) Test(e Examples) (p [][]float64, class []int) {
	const chunk = 512 // examples that are held as floating-point numbers
	for first := 0; first < e.Len(); first += chunk {
		x := make([][]float64, min(chunk, e.Len()-first))
		for i := range x {
			x[i] = make([]float64, e.Inputs())
			e.Input(x[i], first+i)
			class = append(class, e.Class(first+i))
		}
		p = append(p, t.Probabilities(x)...)
	}
	if t.failed {
		p = Equal(len(p), t.Classes)
	}
	return p, class
}

// TestEpistemic returns the [Epistemic] of all examples, nil if the learner knows none.
// If it breaks down over one, it is certain of nothing: all are 0.
func (t *Tolerant) TestEpistemic(e Examples) []float64 {
	l, ok := t.Learner.(Epistemic)
	if !ok {
		return nil
	}
	return t.confidences(e, l.Epistemic)
}

// TestMutualInformation returns 1 − I/log n of all examples, with their mutual informations
// I, see [Mixture]; nil if the learner has no members, or is not fitted. If it breaks down
// over one, it is certain of nothing: all are 0.
func (t *Tolerant) TestMutualInformation(e Examples) []float64 {
	var l any = t.Learner
	switch of := l.(type) {
	case *Batch:
		l = of.model
	case *Network:
		if len(of.Members()) == 1 {
			return nil
		}
	}
	m, ok := l.(Mixture)
	if !ok {
		return nil
	}
	p := make([]float64, t.Classes)
	return t.confidences(e, func(x []float64) (float64, error) {
		information, err := m.MutualInformation(p, x)
		return 1 - information/kernel.Log(float64(t.Classes)), err
	})
}

// confidences returns one for each example, or if the learner breaks down zeros.
func (t *Tolerant) confidences(e Examples, of func(x []float64) (float64, error)) []float64 {
	out, x := make([]float64, e.Len()), make([]float64, e.Inputs())
	if !t.try(len(out), func(i int) (err error) {
		e.Input(x, i)
		out[i], err = of(x)
		return err
	}) {
		clear(out)
	}
	return out
}

// Variances returns the [Network.Variances] at all inputs. If the network breaks down over
// one, none is a number.
func (t *Tolerant) Variances(inputs [][]float64) (own, exact []float64) {
	own, exact = make([]float64, len(inputs)), make([]float64, len(inputs))
	if !t.try(len(inputs), func(i int) (err error) {
		own[i], exact[i], err = t.Learner.(*Network).Variances(inputs[i])
		return err
	}) {
		return table.Gaps(len(inputs)), table.Gaps(len(inputs))
	}
	return own, exact
}

// CalibrationBins is the number of bins of the expected calibration error.
const CalibrationBins = 15

// ScoreColumns returns the columns of [Scores].
func ScoreColumns() []table.Column {
	return []table.Column{
		table.Num("error", "share of wrong answers"), table.Num("log_loss", "mean of −log p of the true class, in nats"),
		table.Num("brier", "mean of the squared distance of the probabilities from the label, 0 to 2"),
		table.Num("ece", "expected calibration error of the largest probability, 15 bins"),
		table.Num("aurc", "area under the risk–coverage curve of the largest probability"),
	}
}

// ScoreNames are the names of the ScoreColumns.
var ScoreNames = []string{"error", "log_loss", "brier", "ece", "aurc"}

// Scores returns the scores of predictions in the order of ScoreColumns.
func Scores(p [][]float64, class []int) []float64 {
	top, wrong := make([]float64, len(p)), make([]bool, len(p))
	for i, p := range p {
		top[i], wrong[i] = floats.Max(p), floats.MaxIdx(p) != class[i]
	}
	return []float64{
		metric.Error(p, class), metric.LogLoss(p, class), metric.Brier(p, class), metric.ECE(p, class, CalibrationBins), metric.AURC(top, wrong),
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

// Loss returns 1 if the most probable class of the prediction p is wrong, else 0; and
// −log p_class.
func Loss(p []float64, class int) (wrong, logLoss float64) {
	if floats.MaxIdx(p) != class {
		wrong = 1
	}
	return wrong, -kernel.Log(p[class])
}

// Prequential scores predictions of examples before they are learned (Dawid, "The
// prequential approach", JRSS A 1984).
type Prequential struct{ seen, wrong, logLoss float64 }

// Add takes note of a prediction.
func (s *Prequential) Add(p []float64, class int) {
	wrong, loss := Loss(p, class)
	s.seen++
	s.wrong += wrong
	s.logLoss += loss
}

// Means returns error and log loss so far, NaN if there is none.
func (s *Prequential) Means() []float64 {
	return []float64{s.wrong / s.seen, s.logLoss / s.seen}
}

// Increasing returns an error unless the numbers increase from 1 or more to most or less.
func Increasing(key string, numbers []int, most int) error {
	for i, n := range numbers {
		if n < 1 || n > most || i > 0 && n <= numbers[i-1] {
			return field.Errorf(key, "%v is not allowed; allowed: increasing numbers from 1 to %d", numbers, most)
		}
	}
	return nil
}

// Snapshots returns about six numbers of examples up to n, evenly spaced on a logarithmic
// scale but that they are 1, 2 or 5 times a power of ten, the last apart.
func Snapshots(n int) (numbers []int) {
	const parts = 6
	for i := 1; i < parts; i++ {
		want, best := kernel.Log(float64(n))*float64(i)/parts, 1
		for decade := 1; decade < n; decade *= 10 {
			for _, k := range []int{decade, 2 * decade, 5 * decade} {
				const tie = 1e-9 // the smaller is taken
				if 5*k < 4*n && math.Abs(kernel.Log(float64(k))-want) < math.Abs(kernel.Log(float64(best))-want)-tie {
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
