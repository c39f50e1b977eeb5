package readout

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

const mostKept = 2000 // largest number of kept inputs

// example is an input of one or more examples of a class.
type example struct {
	x      []float64
	class  int
	count  float64   // number of examples with this input
	hash   uint64    // hash of x; 0: not computed yet
	source []float64 // see Layer.ObserveFrom; nil: not known
}

// kept has of each class the different inputs with the smallest hashes, in order (a bottom-k sketch, Cohen
// and Kaplan 2007): up to 2,000, equally many of each class with examples. Numbers of examples are exact: a
// dropped input stays behind all kept ones in order, and is never kept again.
type kept [][]example

// order compares examples by their classes, then by their hashes, and equal hashes by the inputs.
func order(a, b example) int {
	if c := cmp.Or(a.class-b.class, cmp.Compare(a.hash, b.hash)); c != 0 || &a.x[0] == &b.x[0] {
		return c
	}
	return slices.Compare(a.x, b.x)
}

func hash(x []float64) (h uint64) {
	for _, v := range x {
		h = (h ^ uint64(int64(v/step))) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// add counts x, or keeps a copy if it is among the first inputs of the class in order, and trims the list.
// counts has the number of examples of each class, with x. Of several sources the first in order is kept.
func (k kept) add(x, source []float64, class int, counts []float64) {
	seen := floats.Count(func(n float64) bool { return n > 0 }, counts)
	quota := max(1, mostKept/seen)
	if counts[class] == 1 { // the first example of a class changes the quota
		for c, list := range k {
			k[c] = list[:min(len(list), quota)]
		}
	}
	e := example{x: x, class: class, count: 1, hash: hash(x)}
	list := k[class]
	if i, found := slices.BinarySearchFunc(list, e, order); found {
		if list[i].count++; slices.Compare(source, list[i].source) < 0 {
			list[i].source = slices.Clone(source)
		}
	} else if i < quota {
		e.x, e.source = slices.Clone(x), slices.Clone(source)
		list = slices.Insert(list, i, e)
		k[class] = list[:min(len(list), quota)]
	}
}

// restore keeps the examples of a state, and reports whether they fit its counts.
func (k kept) restore(s State) bool {
	counted, d, inputs := make([]float64, len(k)), len(s.Sum)/len(k), len(s.Source)/max(1, len(s.KeptClass))
	for i, class := range s.KeptClass {
		if class < 0 || class >= len(k) || s.KeptCount[i] < 1 {
			return false
		}
		x := make([]float64, d)
		for j, v := range s.Kept[i*d:][:d] {
			if x[j] = float64(v) * step; math.Abs(x[j]) > limit {
				return false
			}
		}
		e := example{x: x, class: class, count: s.KeptCount[i], hash: hash(x)}
		if inputs > 0 {
			e.source = slices.Clone(s.Source[i*inputs:][:inputs])
		}
		if list := k[class]; len(list) > 0 && order(list[len(list)-1], e) >= 0 {
			return false
		}
		k[class] = append(k[class], e)
		counted[class] += s.KeptCount[i]
	}
	for c, n := range s.Count {
		if counted[c] > n || counted[c] == 0 && n != 0 {
			return false
		}
	}
	return true
}

// copies returns how often each of the examples came at least, and 1 if equal inputs had different classes.
// Inputs that always come with the same class are taken for the same examples again, which say nothing new: to
// leave out one of them is to leave out all. They may differ in one pair of a hundred, by chance or noise.
func copies(examples []example) float64 {
	byInput := map[uint64][]float64{} // by hash: the number of examples, and of pairs of one class, doubled
	for _, e := range examples {
		n := byInput[e.hash]
		if n == nil {
			n = make([]float64, 2)
			byInput[e.hash] = n
		}
		n[0] += e.count
		n[1] += e.count * (e.count - 1)
	}
	var pairs, equal float64
	for _, n := range byInput { // sums of integers, exact in any order
		pairs, equal = pairs+n[0]*(n[0]-1), equal+n[1]
	}
	if equal < 0.99*pairs {
		return 1
	}
	return slices.MinFunc(examples, func(a, b example) int { return cmp.Compare(a.count, b.count) }).count
}

// addSquares adds sign·Σxxᵀ over the examples of the kept inputs to the squares, exactly.
func (k kept) addSquares(squares []linalg.Triangle, sign float64) {
	for c, list := range k {
		square := squares[c%len(squares)]
		var once []float64 // inputs of one example, which are added in blocks
		for _, e := range list {
			if e.count == 1 {
				once = append(once, e.x...)
			} else {
				square.AddOuter(sign*e.count, e.x)
			}
		}
		for rows := range slices.Chunk(once, block*square.Dim()) {
			square.AddOuter(sign, rows)
		}
	}
}

// sample has some of n_c examples of each class c. The weights make up for missing examples: in each class
// they add up to n_c.
type sample struct {
	examples []example
	n        []float64 // number n_c of examples of each class
	weight   []float64 // weight of each entry of examples
	count    float64   // number of examples
}

// shares returns the logarithms of the shares of the classes.
func (s sample) shares() (shares []float64) {
	total := kernel.Sum(s.n)
	for _, n := range s.n {
		shares = append(shares, kernel.Log(n/total))
	}
	return shares
}

func newSample(examples []example, n []float64) sample {
	s, counts := sample{examples: examples, n: n}, make([]float64, len(n))
	for _, e := range examples {
		counts[e.class] += e.count
	}
	for _, e := range examples {
		s.weight = append(s.weight, e.count*n[e.class]/counts[e.class])
	}
	s.count = kernel.Sum(counts)
	return s
}

// divided returns the sample with all numbers of examples divided.
func (s sample) divided(by float64) sample {
	s.examples, s.weight = slices.Clone(s.examples), slices.Clone(s.weight)
	for i := range s.examples {
		s.examples[i].count /= by
		s.weight[i] /= by
	}
	s.count /= by
	return s
}

func withInputs(examples []example, x [][]float64) []example {
	examples = slices.Clone(examples)
	for i := range examples {
		examples[i].x = x[i]
	}
	return examples
}
