package readout

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

const (
	mostKept = 2000
	block    = 32 // examples that are added to a square together
)

type totals struct {
	inputs  int
	pooled  bool        // one square of all classes
	counts  []int       // of each class
	sums    [][]float64 // of each class Σx
	squares []triangle  // Σxxᵀ
	waiting [][]float64 // of each square the examples that it still lacks
}

func (t *totals) addClass() {
	t.sums, t.counts = append(t.sums, make([]float64, t.inputs)), append(t.counts, 0)
	if !t.pooled || t.squares == nil {
		t.squares = append(t.squares, make(triangle, t.inputs*(t.inputs+1)/2))
		t.waiting = append(t.waiting, nil)
	}
}

func (t *totals) add(e labelled) {
	t.counts[e.class] += int(e.count)
	kernel.AddScaled(t.sums[e.class], e.count, e.x)
	k := e.class % len(t.squares)
	waiting := append(t.waiting[k], e.x...)
	if e.count != 1 {
		floats.Scale(math.Sqrt(e.count), waiting[len(waiting)-t.inputs:])
	}
	if t.waiting[k] = waiting; len(waiting) == block*t.inputs {
		t.flush(k)
	}
}

// flush adds the waiting examples. As the sums are exact, their number does not matter.
func (t *totals) flush(k int) {
	t.squares[k].add(1, t.waiting[k], t.inputs)
	t.waiting[k] = t.waiting[k][:0]
}

func (t *totals) examples() (n int) {
	for _, count := range t.counts {
		n += count
	}
	return n
}

// labelled is an input of some examples of a class. Of kept inputs count is exact: a dropped input stays
// behind all kept ones in order, and is never kept again.
type labelled struct {
	x      []float64
	class  int
	count  float64 // of the examples
	weight float64 // those of a class weigh as much as all its examples
	hash   uint64
	place  int // among all that are kept
}

// order compares examples by their classes, then by their hashes, and equal hashes by the inputs.
func order(a, b labelled) int {
	if c := cmp.Or(a.class-b.class, cmp.Compare(a.hash, b.hash)); c != 0 {
		return c
	}
	return slices.Compare(a.x, b.x)
}

// keep counts x, or keeps it if it is among the first inputs of the class in order, and trims the list.
func (l *Layer) keep(class int, x []float64) {
	seen := 0
	for _, n := range l.counts {
		seen += min(n, 1)
	}
	quota := max(1, mostKept/seen)
	if l.counts[class] == 1 { // the quota has changed
		for c, kept := range l.kept {
			l.kept[c] = kept[:min(len(kept), quota)]
		}
	}
	e := labelled{x: x, class: class, count: 1, hash: hash(x)}
	kept := l.kept[class]
	if i, found := slices.BinarySearchFunc(kept, e, order); found {
		kept[i].count++
	} else if i < quota {
		e.x = slices.Clone(x)
		kept = slices.Insert(kept, i, e)
		l.kept[class] = kept[:min(len(kept), quota)]
	}
}

func hash(x []float64) (h uint64) {
	for _, v := range x {
		h = (h ^ uint64(int64(v/step))) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

func (l *Layer) sample() []labelled {
	examples := slices.Concat(l.kept...)
	for i := range examples {
		examples[i].place = i
	}
	weigh(examples, l.counts)
	return examples
}

func weigh(examples []labelled, n []int) {
	counts := make([]float64, len(n))
	for _, e := range examples {
		counts[e.class] += e.count
	}
	for i, e := range examples {
		examples[i].weight = e.count * float64(n[e.class]) / counts[e.class]
	}
}
