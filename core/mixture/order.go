package mixture

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"closedform/core/bnn"
	"closedform/internal/kernel"
)

// Order is what a [Mixture] keeps of its examples to detect that their classes are not in random order:
//
//   - Equal labels follow each other more often than in a random order, by more than five standard
//     deviations and by more than half of what is possible, as in runs of three.
//   - A network without process noise has forgotten a class that was away: since the kept examples of the
//     class were learned, their log probabilities (raised to −10) have fallen on average by more than 1 and by
//     more than three standard errors, and the class did not come for five times as long as on average. If a
//     class that did come is forgotten, its concept has drifted.
//
// In both cases the weights of a [Snapshot] follow from the present predictions of the kept examples; an
// output layer leaves out each example that it predicts. The examples of a class have its share of all
// examples as their total weight.
type Order struct {
	Counts []int    `json:"counts"` // number of examples of each class
	Same   int      `json:"same"`   // how often a class equalled the one before it
	Last   int      `json:"last"`   // the class of the latest example
	Latest []int    `json:"latest"` // for each class, the number of its latest example, from 1; 0: none
	Away   []int    `json:"away"`   // for each class, the number of examples since it came before its last run
	Kept   [][]Kept `json:"kept"`   // a random sample of up to fifty examples of each class

	// Earlier and Recent cover at least the last half of the examples.
	Earlier Neighbours `json:"earlier"`
	Recent  Neighbours `json:"recent"`
}

// Neighbours counts examples, and how often the class of one equalled that of the one before it.
type Neighbours struct {
	Examples int `json:"examples"`
	Same     int `json:"same"`
}

// Kept is an example with the log probabilities, raised to −10, that the members gave its class before they
// learned it.
type Kept struct {
	X    []float64 `json:"x"`
	LogP []float64 `json:"log_p"`
}

// Shares of [Order.HasRuns] that long runs of labels, of ten on average, and short ones, of three, exceed.
const (
	LongRuns  = 0.9
	shortRuns = 0.5
)

const (
	mostKept = 50   // kept examples of a class
	allKept  = 2000 // kept examples of all classes
	minLogP  = -10  // floor of the log probabilities in the second test
)

// NewOrder returns the order of no examples.
func NewOrder(classes int) *Order {
	o := new(Order)
	for range classes {
		o.AddClass()
	}
	return o
}

// AddClass adds a class without examples after the others.
func (o *Order) AddClass() {
	o.Counts, o.Latest, o.Away = append(o.Counts, 0), append(o.Latest, 0), append(o.Away, 0)
	o.Kept = append(o.Kept, nil)
	for class := range o.Kept {
		for n := len(o.Kept[class]); n > o.most(); n-- {
			i := draw(n, class, n)
			o.Kept[class] = slices.Delete(o.Kept[class], i, i+1)
		}
	}
}

// most returns the largest number of kept examples of a class.
func (o *Order) most() int { return max(1, min(mostKept, allKept/len(o.Counts))) }

// draw returns a random number below n, named by two others.
func draw(n, a, b int) int {
	var random rand.PCG
	random.Seed(uint64(a), uint64(b))
	high, _ := bits.Mul64(random.Uint64(), uint64(n))
	return int(high)
}

// Clone returns a copy.
func (o *Order) Clone() *Order {
	c := *o
	c.Counts, c.Latest, c.Away = slices.Clone(o.Counts), slices.Clone(o.Latest), slices.Clone(o.Away)
	c.Kept = slices.Clone(o.Kept)
	for i, kept := range c.Kept {
		c.Kept[i] = slices.Clone(kept) // the examples themselves never change
	}
	return &c
}

// Fits reports whether the order can be that of examples of this shape.
func (o *Order) Fits(inputs, classes, members int) bool {
	good := 0 <= o.Earlier.Same && o.Earlier.Same <= o.Earlier.Examples && 0 <= o.Recent.Same &&
		o.Recent.Same <= o.Recent.Examples && len(o.Counts) == classes && len(o.Latest) == classes &&
		len(o.Away) == classes && len(o.Kept) == classes && o.Same >= 0 && 0 <= o.Last && o.Last < classes
	for c := 0; good && c < classes; c++ {
		good = len(o.Kept[c]) == min(o.Counts[c], o.most())
		for _, e := range o.Kept[c] {
			good = good && len(e.X) == inputs && len(e.LogP) == members &&
				kernel.Finite(slices.Concat(e.X, e.LogP)...)
		}
	}
	return good
}

// Add counts an example, which the members had given these log probabilities, and keeps a copy if it belongs to
// the sample of its class (reservoir sampling: Vitter, "Random sampling with a reservoir", 1985), drawn by the
// example's number in its class.
func (o *Order) Add(x []float64, class int, logP []float64) {
	n := o.examples() + 1
	if o.Recent.Examples >= max(16, 2*o.Earlier.Examples) {
		o.Earlier, o.Recent = o.Recent, Neighbours{}
	}
	o.Recent.Examples++
	if o.Counts[class] > 0 && o.Last == class {
		o.Same++
		o.Recent.Same++
	} else if o.Counts[class] > 0 {
		o.Away[class] = n - o.Latest[class]
	}
	o.Last, o.Latest[class] = class, n
	o.Counts[class]++
	place := o.Counts[class] - 1
	if place >= o.most() {
		place = draw(place+1, class, place)
	}
	if place >= o.most() {
		return
	}
	e := Kept{slices.Clone(x), slices.Clone(logP)}
	for k, l := range logP {
		e.LogP[k] = atLeast(l, minLogP)
	}
	o.Kept[class] = slices.Replace(o.Kept[class], place, min(place+1, len(o.Kept[class])), e)
}

func (o *Order) examples() (n int) {
	for _, count := range o.Counts {
		n += count
	}
	return n
}

// wasAway reports whether the latest example of a class, or the one before its last run, came more than five
// times the mean distance of its examples ago, as in a random order one in 150.
func (o *Order) wasAway(class int) bool {
	n := o.examples()
	return max(n-o.Latest[class], o.Away[class])*o.Counts[class] > 5*n
}

// learned is a kept example with its class, and the weight that it has in the sample.
type learned struct {
	Kept
	class  int
	weight float64
}

// sample returns the kept examples with weights of mean 1.
func (o *Order) sample() (sample []learned) {
	examples := o.examples()
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

// HasRuns reports whether equal labels follow each other more often than in a random order, by five standard
// deviations and by a share of what is possible: among all examples, with the moments of the number of equal
// neighbours in a random order (Mood, "The distribution theory of runs", 1940), or among the last half, as if
// their classes were independent.
func (o *Order) HasRuns(share float64) bool {
	var n, square, cube float64
	for _, count := range o.Counts {
		c := float64(count)
		n, square, cube = n+c, square+float64(c*c), cube+float64(float64(c*c)*c)
	}
	mean := (square - n) / n
	variance := (float64(square*(square+float64(n*(n+1)))) - float64(2*n*cube) - float64(float64(n*n)*n)) /
		(n * n * (n - 1))
	exceeds := func(same int, mean, variance, most float64) bool {
		excess := float64(same) - mean
		return excess > 5*math.Sqrt(max(0, variance)) && excess > share*(most-mean)
	}
	half, equal := float64(o.Earlier.Examples+o.Recent.Examples), mean/(n-1)
	return exceeds(o.Same, mean, variance, n-1) || exceeds(o.Earlier.Same+o.Recent.Same,
		float64(half*equal), float64(half*equal)*(1-equal), half)
}

// Ordered reports whether the order is not random, by both tests of a model and its snapshot p.
func (o *Order) Ordered(p bnn.Predictor) bool {
	if o.HasRuns(shortRuns) {
		return true
	}
	sample := o.sample()
	return leftOut(p) == nil && o.hasForgotten(sample, 0, logProbabilities(p, sample))
}

// hasForgotten is the second test, for a network with the present log probabilities of the sample.
func (o *Order) hasForgotten(sample []learned, k int, now []float64) bool {
	for start, end := 0, 0; start < len(sample); start = end {
		class, mean, square := sample[start].class, 0.0, 0.0
		for end < len(sample) && sample[end].class == class {
			f := sample[end].LogP[k] - max(minLogP, now[end])
			mean, square = mean+f, square+float64(f*f)
			end++
		}
		m := float64(end - start)
		mean /= m
		variance := max(0, square-float64(m*mean)*mean) / (m - 1)
		if m >= 5 && mean > 1 && mean > 3*math.Sqrt((variance+0.01)/m) && o.wasAway(class) {
			return true
		}
	}
	return false
}
