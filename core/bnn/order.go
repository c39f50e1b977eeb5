package bnn

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// Order is what a [Bank] keeps of its examples to notice an order of their classes. The order counts as not
// random if one of two tests says so:
//
//   - Equal labels follow each other more often than in a random order of the same labels: by more than five
//     standard deviations, and by more than 0.9 of what is possible, as in runs of ten.
//   - A network has forgotten a class: it gives the kept examples of the class less probability now than before
//     it learned them. The mean difference of the logarithms, −10 at least, is above 1 and above three standard
//     errors.
//
// The weights of the members and of the powers then follow from how the kept examples are predicted now, by an
// output layer as if it had not learned the example. They are weighted to the share of their class among all
// examples.
type Order struct {
	Counts []int    `json:"counts"` // examples of each class
	Same   int      `json:"same"`   // how often a class equalled the one before it
	Last   int      `json:"last"`   // the class of the latest example
	Kept   [][]Kept `json:"kept"`   // of each class, up to fifty examples without preference
}

// Kept is an example, with the logarithms of the probabilities, −10 at least, that the members gave its class
// before they learned it.
type Kept struct {
	X    []float64 `json:"x"`
	LogP []float64 `json:"log_p"`
}

const (
	mostKept  = 50  // examples of a class
	leastLogP = -10 // of a network, for the second test
	leastMix  = -20 // of the logarithm of a mixture, for the weights
)

func (o *Order) addClass() { o.Counts, o.Kept = append(o.Counts, 0), append(o.Kept, nil) }

func (o *Order) clone() Order {
	c := *o
	c.Counts, c.Kept = slices.Clone(o.Counts), slices.Clone(o.Kept)
	for i, kept := range c.Kept {
		c.Kept[i] = slices.Clone(kept)
		for j, e := range kept {
			c.Kept[i][j] = Kept{slices.Clone(e.X), slices.Clone(e.LogP)}
		}
	}
	return c
}

// check returns an error unless the order is that of a bank, or empty.
func (o *Order) check(inputs, classes, members int) error {
	good := len(o.Counts) == len(o.Kept) && (len(o.Counts) == classes || len(o.Counts) == 0) &&
		o.Same >= 0 && 0 <= o.Last && o.Last < classes
	for c := range min(len(o.Counts), len(o.Kept)) {
		kept := o.Kept[c]
		good = good && len(kept) == min(o.Counts[c], mostKept)
		for _, e := range kept {
			good = good && len(e.X) == inputs && len(e.LogP) == members && notFinite(e.X) < 0 && notFinite(e.LogP) < 0
		}
	}
	if !good {
		return fmt.Errorf("bnn: the kept examples are not those of a bank of %d members with %d inputs and %d classes",
			members, inputs, classes)
	}
	return nil
}

// add counts an example, and keeps it if it belongs to the sample of its class (reservoir sampling: Vitter,
// "Random sampling with a reservoir", 1985). The draw follows from the number of the example in its class.
func (o *Order) add(x []float64, class int, logP []float64) {
	if o.Last == class && o.Counts[class] > 0 {
		o.Same++
	}
	o.Last = class
	o.Counts[class]++
	n := o.Counts[class]
	if n <= mostKept {
		o.Kept[class] = append(o.Kept[class], Kept{make([]float64, len(x)), make([]float64, len(logP))})
	}
	place := n - 1
	if n > mostKept {
		var random rand.PCG
		random.Seed(uint64(class), uint64(n))
		high, _ := bits.Mul64(random.Uint64(), uint64(n))
		place = int(high)
	}
	if place < mostKept {
		e := o.Kept[class][place]
		copy(e.X, x)
		for k, l := range logP {
			e.LogP[k] = atLeast(l, leastLogP)
		}
	}
}

// total returns the number of examples, and those kept.
func (o *Order) total() (examples, kept int) {
	for c, n := range o.Counts {
		examples, kept = examples+n, kept+len(o.Kept[c])
	}
	return examples, kept
}

// hasRuns is the first test. In a random order of the labels the number of equal neighbours has the mean and
// the variance below (Mood, "The distribution theory of runs", 1940).
func (o *Order) hasRuns() bool {
	var n, square, cube float64
	for _, count := range o.Counts {
		c := float64(count)
		n, square, cube = n+c, square+float64(c*c), cube+float64(float64(c*c)*c)
	}
	mean := (square - n) / n
	variance := (float64(square*(square+float64(n*(n+1)))) - float64(2*n*cube) - float64(float64(n*n)*n)) /
		(n * n * (n - 1))
	excess := float64(o.Same) - mean
	return excess > 5*math.Sqrt(max(0, variance)) && excess > 0.9*(n-square/n)
}

// hasForgotten is the second test of a member and a class: before and now are the log probabilities of the
// kept examples.
func hasForgotten(before, now []float64) bool {
	m := float64(len(now))
	if m < 5 {
		return false
	}
	mean, square := 0.0, 0.0
	for i, l := range now {
		f := before[i] - max(leastLogP, l)
		mean, square = mean+f/m, square+float64(f*f)
	}
	variance := (square - float64(m*mean)*mean) / (m - 1)
	return mean > 1 && mean > 3*math.Sqrt((max(0, variance)+0.01)/m)
}

// current returns the weights that Predict uses.
func (b *Bank) current() *weighing {
	if b.equal || b.state.Fixed || b.state.Forgetting > 0 {
		return b.along
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.judged == nil {
		b.judged = b.along
		logP := make([][]float64, len(b.models)) // of each member, of all kept examples
		b.each(func(b *Bank, k int) {
			if _, isLayer := b.models[k].(LeftOut); !isLayer {
				logP[k] = b.keptLogP(k)
			}
		})
		if b.state.Order.hasRuns() || b.forgetting(logP) {
			b.each(func(b *Bank, k int) {
				if logP[k] == nil {
					logP[k] = b.keptLogP(k)
				}
			})
			b.judged = b.byKept(logP)
		}
	}
	return b.judged
}

// predictLearned predicts an example that was learned: by an output layer as if it had not been. The member
// of a prediction that fails has no weight.
func predictLearned(m Model, dst *Prediction, x []float64, class int) error {
	if l, ok := m.(LeftOut); ok {
		return l.PredictLeftOut(dst, x, class)
	}
	return m.Predict(dst, x)
}

// keptLogP returns the log probability of the class of each kept example now, by a member.
func (b *Bank) keptLogP(k int) (logP []float64) {
	var p Prediction
	for class, kept := range b.state.Order.Kept {
		for _, e := range kept {
			logP = append(logP, math.Inf(-1))
			if predictLearned(b.models[k], &p, e.X, class) == nil {
				logP[len(logP)-1] = kernel.Log(p.P[class] / p.Sum())
			}
		}
	}
	return logP
}

// forgetting reports whether a member has forgotten a class; logP are of the members that might.
func (b *Bank) forgetting(logP [][]float64) bool {
	for k, now := range logP {
		for _, kept := range b.state.Order.Kept {
			if now == nil {
				break
			}
			var before []float64
			for _, e := range kept {
				before = append(before, e.LogP[k])
			}
			if hasForgotten(before, now[:len(kept)]) {
				return true
			}
			now = now[len(kept):]
		}
	}
	return false
}

// byKept returns the weights as they follow from the kept examples, whose log probabilities by the members now
// are logP. Together the examples count as many as they are.
func (b *Bank) byKept(logP [][]float64) *weighing {
	o := &b.state.Order
	w, total := newWeighing(len(b.models)), 0
	examples, all := o.total()
	each := func(do func(i int, e Kept, class int, weight float64)) {
		total = 0
		for class, kept := range o.Kept {
			share := float64(all) * float64(o.Counts[class]) / float64(examples) / float64(len(kept))
			for _, e := range kept {
				do(total, e, class, share)
				total++
			}
		}
	}
	column := make([]float64, len(logP))
	each(func(i int, _ Kept, _ int, weight float64) {
		for k := range logP {
			column[k] = logP[k][i]
		}
		w.add(column, weight, leastMix)
	})
	w.normalise()
	var p Prediction
	b.allocate(&p, w)
	each(func(_ int, e Kept, class int, weight float64) {
		copy(p.Weights, w.members)
		for k := range b.models {
			_ = b.member(&p, k, e.X, func(m Model, dst *Prediction, x []float64) error {
				return predictLearned(m, dst, x, class)
			})
		}
		if left := kernel.Sum(p.Weights); left > 0 {
			floats.Scale(1/left, p.Weights)
			p.average()
			w.judge(p.P, class, weight)
		}
	})
	w.normalise()
	return w
}
