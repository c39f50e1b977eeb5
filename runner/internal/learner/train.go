package learner

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/internal/field"
	"closedform/internal/kernel"
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
	chunks(e, func(first int, x [][]float64) error {
		p = append(p, t.Probabilities(x)...)
		for i := range x {
			class = append(class, e.Class(first+i))
		}
		return nil
	})
	if t.failed {
		p = Equal(len(p), t.Classes)
	}
	return p, class
}

// chunks hands do the inputs of some examples after another, in room that it uses again, up
// to the first error: few of them are held as floating-point numbers.
func chunks(e Examples, do func(first int, x [][]float64) error) error {
	const most = 64
	room := make([][]float64, min(most, e.Len()))
	for i := range room {
		room[i] = make([]float64, e.Inputs())
	}
	for first := 0; first < e.Len(); first += most {
		x := room[:min(most, e.Len()-first)]
		for i := range x {
			e.Input(x[i], first+i)
		}
		if err := do(first, x); err != nil {
			return err
		}
	}
	return nil
}

// Answer is what a learner says of one input.
type Answer struct {
	P                 []float64
	MutualInformation float64       // in nats; NaN if the learner has no members
	Members           [][]bnn.Layer // of each member; nil if it has no layers of Gaussian weights
}

// Look has see look at the answers about all examples, one after another, unless the
// learner breaks down before or see returns an error, which is a break-down, too.
func (t *Tolerant) Look(e Examples, see func(i int, x []float64, a Answer) error) (ok bool) {
	a := Answer{P: make([]float64, t.Classes), MutualInformation: math.NaN()}
	if n, ours := t.Learner.(*Network); ours {
		return t.chunks(e, func(first int, x [][]float64) error {
			return n.each(x, func(i int, p *bnn.Prediction) error {
				normalise(a.P, p)
				if len(p.Members) > 0 {
					a.MutualInformation = p.MutualInformation()
				}
				a.Members = layersOf(p)
				return see(first+i, x[i], a)
			})
		})
	}
	if members := batchedMembers(t.Learner); members != nil {
		return t.chunks(e, func(first int, x [][]float64) error {
			return batchAnswers(members, t.Classes, x, func(i int, a Answer) error { return see(first+i, x[i], a) })
		})
	}
	x, m := make([]float64, e.Inputs()), mixtureOf(t.Learner)
	return t.try(e.Len(), func(i int) (err error) {
		e.Input(x, i)
		if m == nil {
			err = t.Learner.Predict(a.P, x)
			m = mixtureOf(t.Learner) // a batch method is fitted now
		}
		if m != nil && err == nil {
			a.MutualInformation, err = m.MutualInformation(a.P, x)
		}
		if err != nil {
			return err
		}
		a.Members = layers(t.Learner)
		return see(i, x, a)
	})
}

// Hidden is Look for the means that the last hidden layer of each member hands on.
func (t *Tolerant) Hidden(e Examples, see func(i int, members [][]float64) error) (ok bool) {
	return t.Look(e, func(i int, _ []float64, a Answer) error {
		var means [][]float64
		for _, layers := range a.Members {
			means = append(means, layers[len(layers)-1].Input)
		}
		return see(i, means)
	})
}

// chunks is that of all examples, unless the learner breaks down.
func (t *Tolerant) chunks(e Examples, do func(first int, x [][]float64) error) (ok bool) {
	t.failed = t.failed || chunks(e, do) != nil
	return !t.failed
}

// mixtureOf returns a learner that has several members, or nil.
func mixtureOf(l any) Mixture {
	if of, batch := l.(*Batch); batch {
		l = of.model
	}
	m, _ := l.(Mixture)
	return m
}

// layers returns those of all members of a learner, nil if they have none.
func layers(l Learner) (all [][]bnn.Layer) {
	switch of := l.(type) {
	case *Network:
		all = layersOf(&of.prediction)
	case *Ensemble:
		for _, m := range of.Members {
			all = append(all, layers(m)...)
		}
	case *Bank:
		all = layers(&of.Ensemble)
	case Layered:
		all = append(all, of.Layers())
	}
	return all
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
