package readout

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

const (
	mostKept = 2000
	block    = 32 // examples that are added to a square together
)

// square is Σxxᵀ, the upper triangle by rows, and examples that it still lacks.
type square struct {
	sum     []float64
	waiting []float64
}

// totals are the sums over the examples.
type totals struct {
	inputs  int
	pooled  bool        // one square of all classes
	counts  []int       // of each class
	sums    [][]float64 // of each class Σx
	squares []*square
}

func (t *totals) addClass() {
	t.sums, t.counts = append(t.sums, make([]float64, t.inputs)), append(t.counts, 0)
	if !t.pooled || t.squares == nil {
		t.squares = append(t.squares, &square{sum: make([]float64, t.inputs*(t.inputs+1)/2)})
	}
}

// add adds the examples of an input.
func (t *totals) add(e labelled) {
	t.counts[e.class] += int(e.count)
	kernel.AddScaled(t.sums[e.class], e.count, e.x)
	x := e.x
	if e.count != 1 {
		x = slices.Clone(x)
		floats.Scale(math.Sqrt(e.count), x)
	}
	t.squares[e.class%len(t.squares)].add(x)
}

func (t *totals) examples() (n int) {
	for _, count := range t.counts {
		n += count
	}
	return n
}

func (s *square) add(x []float64) {
	s.waiting = append(s.waiting, x...)
	if len(s.waiting) == block*len(x) {
		s.flush(len(x))
	}
}

// flush adds the waiting examples. The sums are exact, so it does not matter how many these are.
func (s *square) flush(d int) {
	rest := s.sum
	for i := range d {
		row, x := rest[:d-i], s.waiting
		for ; len(x) >= 4*d; x = x[4*d:] {
			a, b, c, e := x[i:], x[d+i:], x[2*d+i:], x[3*d+i:]
			kernel.AddScaled4(row, &[4]float64{a[0], b[0], c[0], e[0]}, a, b, c, e)
		}
		for ; len(x) > 0; x = x[d:] {
			kernel.AddScaled(row, x[i], x[i:])
		}
		rest = rest[d-i:]
	}
	s.waiting = s.waiting[:0]
}

// labelled is an input of some examples of a class. Where it is kept, count is exact: an input that was
// dropped stays behind all that are kept, and is never kept again.
type labelled struct {
	x      []float64
	class  int
	count  float64 // of the examples
	weight float64 // those of a class weigh as much as all its examples
	hash   uint64
}

// order compares examples by their hashes, and equal hashes by the inputs.
func order(a, b labelled) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), slices.Compare(a.x, b.x))
}

// keep counts x, or keeps it if it is among the first inputs of the class in order, and drops what is no
// longer.
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

// hash mixes the inputs, each an integer number of steps.
func hash(x []float64) (h uint64) {
	for _, v := range x {
		h = (h ^ uint64(int64(v/step))) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// sample returns the kept inputs.
func (l *Layer) sample() []labelled {
	all := slices.Concat(l.kept...)
	weigh(all, l.counts)
	return all
}

// weigh sets the weights of examples; n are the numbers of all examples of each class.
func weigh(all []labelled, n []int) {
	counts := make([]float64, len(n))
	for _, e := range all {
		counts[e.class] += e.count
	}
	for i, e := range all {
		all[i].weight = e.count * float64(n[e.class]) / counts[e.class]
	}
}

// State is all that a layer knows. It does not depend on the order of the examples.
type State struct {
	Count     []int     // of each class its examples
	Sum       []float64 // classes × inputs: Σx
	Scatter   []float64 // Σxxᵀ of all classes, with Gaussian of each: the upper triangles by rows
	Kept      []float64 // kept inputs × inputs
	KeptClass []int     // of each kept input
	KeptCount []int     // of each kept input its examples; nil: one for each time that it is kept
	Limited   int       // see Layer.Limited
	Sequence  *Sequence // nil unless Config.Sequential
}

// State returns a copy of all that the layer knows.
func (l *Layer) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := State{Count: slices.Clone(l.counts), Sum: slices.Concat(l.sums...), Limited: l.limited}
	for _, q := range l.squares {
		q.flush(l.cfg.Inputs)
		s.Scatter = append(s.Scatter, q.sum...)
	}
	for c, kept := range l.kept {
		for _, e := range kept {
			s.Kept = append(s.Kept, e.x...)
			s.KeptClass, s.KeptCount = append(s.KeptClass, c), append(s.KeptCount, int(e.count))
		}
	}
	if l.sequence != nil {
		s.Sequence = l.sequence.state()
	}
	return s
}

// Restore returns the layer with the state, which predicts and goes on to the bit as the one that the state
// is of. Without a [Sequence], the recursion of Config.Sequential starts from the sums. It returns an error
// if the configuration is not valid, or the state is of another one.
func Restore(c Config, s State) (*Layer, error) {
	l, err := New(c)
	if err != nil {
		return nil, err
	}
	d, triangle := c.Inputs, c.Inputs*(c.Inputs+1)/2
	if s.KeptCount == nil {
		s.KeptCount = slices.Repeat([]int{1}, len(s.KeptClass))
	}
	fits := len(s.Count) == c.Classes && len(s.Sum) == c.Classes*d && len(s.Scatter) == len(l.squares)*triangle
	if !fits || len(s.Kept) != len(s.KeptClass)*d || len(s.KeptCount) != len(s.KeptClass) {
		return nil, fmt.Errorf("readout: a state of %d counts, %d sums, %d products, %d counts of kept examples "+
			"and %d numbers of %d kept examples; the layer has %d inputs and %d classes", len(s.Count),
			len(s.Sum), len(s.Scatter), len(s.KeptCount), len(s.Kept), len(s.KeptClass), d, c.Classes)
	}
	if err := finite(s.Sum, s.Scatter, s.Kept); err != nil {
		return nil, err
	}
	for i, q := range l.squares {
		copy(q.sum, s.Scatter[i*triangle:])
	}
	for i, class := range s.KeptClass {
		if class < 0 || class >= c.Classes {
			return nil, fmt.Errorf("readout: a kept example of class %d; the layer has classes 0 to %d",
				class, c.Classes-1)
		}
		x := slices.Clone(s.Kept[i*d:][:d])
		e := labelled{x: x, class: class, count: float64(s.KeptCount[i]), hash: hash(x)}
		kept := l.kept[class]
		if last := len(kept) - 1; last >= 0 && order(kept[last], e) == 0 {
			kept[last].count += e.count
		} else {
			l.kept[class] = append(kept, e)
		}
	}
	l.limited = s.Limited
	for c, n := range s.Count {
		kept, counted := l.kept[c], countOf(l.kept[c])
		fits := slices.IsSortedFunc(kept, order)
		for _, e := range kept {
			fits = fits && e.count > 0
		}
		if !fits || counted > float64(n) || counted == 0 && n != 0 {
			return nil, fmt.Errorf("readout: %d examples of class %d with %g kept, in the order of their hashes: "+
				"these do not fit", n, c, counted)
		}
		l.counts[c] = n
		copy(l.sums[c], s.Sum[c*d:])
	}
	if l.sequence != nil && s.Sequence != nil {
		if err := l.sequence.restore(s.Sequence); err != nil {
			return nil, err
		}
	} else if l.sequence != nil && l.examples() > 0 {
		l.sequence.solve(l.moments())
		l.sequence.Next = l.examples() + firstFit
	}
	return l, nil
}

func finite(all ...[]float64) error {
	for _, x := range slices.Concat(all...) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("readout: a state with %g; need finite numbers", x)
		}
	}
	return nil
}
