package learner

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/pool"
	"closedform/runner/internal/table"
)

// Examples are inputs with their classes, from 0.
type Examples interface {
	Len() int
	Inputs() int
	Input(dst []float64, i int) // sets dst to input i
	Class(i int) int
}

// Course is a stream of examples that a learner is trained along, pass after pass, and how it is scored.
type Course struct {
	Examples Examples
	Passes   int                        // at least one
	Order    func(pass int) rand.Source // shuffles the examples of a pass, from 1; nil: as they are
	Before   func(x []float64, class int)
	After    func(pass, k int) error // after the k-th example of a pass

	// Of a [Tolerant] learner; nil: none is predicted.
	Next  func(x, p []float64, class int)               // each example of the first pass with its prediction, before it is learned
	Score func(pass, k int, p [][]float64, class []int) // predictions of Test after k examples of a pass, and the true classes

	Test      Examples
	Snapshots []int // numbers of examples of the first pass after which Test is predicted
	Scored    []int // passes after which it is; nil: all
}

// scores reports whether the test examples are predicted after k examples of a pass.
func (c *Course) scores(pass, k int) bool {
	last := k == c.Examples.Len() && (c.Scored == nil || slices.Contains(c.Scored, pass))
	return c.Score != nil && (last || pass == 1 && slices.Contains(c.Snapshots, k))
}

// Train trains the learner.
func (c Course) Train(ctx context.Context, l Learner) error {
	t, ok := l.(*Tolerant)
	if ok {
		t.bind(ctx)
	}
	x := make([]float64, c.Examples.Inputs())
	order := make([]int, c.Examples.Len())
	for i := range order {
		order[i] = i
	}
	for pass := 1; pass <= max(1, c.Passes); pass++ {
		if n := networkOf(l); n != nil && pass == 2 {
			n.settle()
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
				c.Before(x, class)
			}
			if c.Next != nil && pass == 1 {
				c.Next(x, t.Before(x), class)
			}
			if err := l.Observe(x, class); err != nil {
				return err
			}
			if c.After != nil {
				if err := c.After(pass, k+1); err != nil {
					return err
				}
			}
			if c.scores(pass, k+1) {
				p, class := t.Test(c.Test)
				c.Score(pass, k+1, p, class)
			}
		}
	}
	return ctx.Err()
}

// networkOf returns the network that the learner is, or nil.
func networkOf(l Learner) *Network {
	if t, ok := l.(*Tolerant); ok {
		l = t.Learner
	}
	n, _ := l.(*Network)
	return n
}

// TrainMembers trains the members of an ensemble each by itself, on idle processors; the course
// has no functions but Order. What they become is what [Course.Train] makes of them, unless they
// see the examples in orders of their own: the first in those of the course, the others in ones
// drawn with streams named after what those give first and their number.
func (c Course) TrainMembers(ctx context.Context, t *Tolerant, ownOrders bool) error {
	var learners []Learner
	network, ours := t.Learner.(*Network)
	if !ours {
		learners = t.Learner.(*Ensemble).Members
	} else {
		for _, model := range network.Model.(*bnn.Ensemble).Models() {
			learners = append(learners, &Network{Model: model, noise: network.noise, every: network.every})
		}
	}
	var members []*Tolerant
	for _, l := range learners {
		members = append(members, &Tolerant{Learner: l, Classes: t.Classes, Map: t.Map})
	}
	err := pool.Each(ctx, len(members), func(ctx context.Context, k int) error {
		own := c
		if ownOrders && k > 0 {
			own.Order = func(pass int) rand.Source {
				return random.Source("order of member", c.Order(pass).Uint64(), k)
			}
		}
		return own.Train(ctx, members[k])
	})
	if err != nil {
		return err
	}
	for _, member := range members {
		t.failed = t.failed || member.failed
		if ours {
			network.steps.add(member.Steps())
		}
	}
	return nil
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
var ScoreNames = table.Names(ScoreColumns())

// ShareNames are the names of those ScoreColumns and StepColumns whose numbers are from 0 to 1.
var ShareNames = []string{"error", "ece", "aurc", "failed"}

// LossNames are the names of those ScoreColumns whose numbers are 0 or more.
var LossNames = []string{"log_loss", "brier"}

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
