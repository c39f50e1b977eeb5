package mixture

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"closedform/internal/kernel"
)

// Order is what a [Mixture] keeps of its examples to detect that their classes are not in random order:
//
//   - Equal labels follow each other more often than in a random order, by more than five standard
//     deviations and by more than 0.9 of what is possible, as in runs of ten.
//   - A network has forgotten a class: since the kept examples of the class were learned, their log
//     probabilities (raised to −10) have fallen on average by more than 1 and by more than three standard
//     errors.
//
// In both cases the weights of Predict follow from the present predictions of the kept examples; an output
// layer leaves out each example that it predicts. The examples of a class have its share of all examples as
// their total weight.
type Order struct {
	Counts []int    `json:"counts"` // number of examples of each class
	Same   int      `json:"same"`   // how often a class equalled the one before it
	Last   int      `json:"last"`   // the class of the latest example
	Kept   [][]Kept `json:"kept"`   // a random sample of up to fifty examples of each class
}

// Kept is an example with the log probabilities, raised to −10, that the members gave its class before they
// learned it.
type Kept struct {
	X    []float64 `json:"x"`
	LogP []float64 `json:"log_p"`
}

const (
	mostKept = 50  // kept examples of a class
	minLogP  = -10 // floor of the log probabilities in the second test
)

func (o *Order) addClass() { o.Counts, o.Kept = append(o.Counts, 0), append(o.Kept, nil) }

func (o *Order) clone() Order {
	c := *o
	c.Counts, c.Kept = slices.Clone(o.Counts), slices.Clone(o.Kept)
	for i, kept := range c.Kept {
		c.Kept[i] = slices.Clone(kept) // the examples themselves never change
	}
	return c
}

func (o *Order) fits(inputs, classes, members int) bool {
	good := len(o.Counts) == classes && len(o.Kept) == classes && o.Same >= 0 && 0 <= o.Last && o.Last < classes
	for c := 0; good && c < classes; c++ {
		good = len(o.Kept[c]) == min(o.Counts[c], mostKept)
		for _, e := range o.Kept[c] {
			good = good && len(e.X) == inputs && len(e.LogP) == members &&
				kernel.Finite(slices.Concat(e.X, e.LogP)...)
		}
	}
	return good
}

// add counts an example, and keeps it if it belongs to the sample of its class (reservoir sampling: Vitter,
// "Random sampling with a reservoir", 1985), drawn by the example's number in its class.
func (o *Order) add(x []float64, class int, logP []float64) {
	if o.Last == class && o.Counts[class] > 0 {
		o.Same++
	}
	o.Last = class
	o.Counts[class]++
	place := o.Counts[class] - 1
	if place >= mostKept {
		var random rand.PCG
		random.Seed(uint64(class), uint64(place))
		high, _ := bits.Mul64(random.Uint64(), uint64(place+1))
		place = int(high)
	}
	if place >= mostKept {
		return
	}
	e := Kept{slices.Clone(x), slices.Clone(logP)}
	for k, l := range logP {
		e.LogP[k] = atLeast(l, minLogP)
	}
	o.Kept[class] = slices.Replace(o.Kept[class], place, min(place+1, len(o.Kept[class])), e)
}

// learned is a kept example with its class, and the weight that it has in the sample.
type learned struct {
	Kept
	class  int
	weight float64
}

// sample returns the kept examples with weights of mean 1.
func (o *Order) sample() (sample []learned) {
	examples := 0
	for _, n := range o.Counts {
		examples += n
	}
	for class, kept := range o.Kept {
		for _, e := range kept {
			weight := float64(o.Counts[class]) / float64(examples) / float64(len(kept))
			sample = append(sample, learned{e, class, weight})
		}
	}
	for i := range sample {
		sample[i].weight *= float64(len(sample))
	}
	return sample
}

// hasRuns is the first test, with the moments of the number of equal neighbours in a random order (Mood, "The
// distribution theory of runs", 1940).
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

// hasForgotten is the second test, for member k: now has the present log probabilities of the examples.
func hasForgotten(sample []learned, k int, now []float64) bool {
	for start, end := 0, 0; start < len(sample); start = end {
		mean, square := 0.0, 0.0
		for end < len(sample) && sample[end].class == sample[start].class {
			f := sample[end].LogP[k] - max(minLogP, now[end])
			mean, square = mean+f, square+float64(f*f)
			end++
		}
		m := float64(end - start)
		mean /= m
		variance := max(0, square-float64(m*mean)*mean) / (m - 1)
		if m >= 5 && mean > 1 && mean > 3*math.Sqrt((variance+0.01)/m) {
			return true
		}
	}
	return false
}
