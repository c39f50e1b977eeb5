package readout

import (
	"errors"
	"math"
	"slices"

	"closedform/internal/kernel"
)

// State is the complete state of a layer. Without Sequence it does not depend on the order of the examples.
type State struct {
	Count     []float64 // number of examples of each class
	Sum       []float64 // Σx of each class: classes × inputs
	Scatter   []float64 // Σxxᵀ of the examples that are not kept, for Gaussian of each class: lower triangles
	Kept      []int16   // the kept inputs in units of 2⁻⁹, by rows
	Source    []float64 // sources of the kept inputs, by rows, see Layer.ObserveFrom; nil unless all are known
	KeptClass []int     // class of each kept input
	KeptCount []float64 // number of examples of each kept input
	Limited   int       // see Layer.Limited
	Sequence  *Sequence // nil unless Config.Sequential
}

// Sequence is the state of Config.Sequential. It depends on the order of the examples.
type Sequence struct {
	P        []uint64  // P less that of the sums, see recursion.difference: the lower triangle by rows
	Pending  []float64 // k/√h of each pending change: inputs + 1 numbers
	W        []float64 // Wᵀ, classes × (inputs + 1)
	Evidence []float64 // ℓ of each temperature
	Share    float64   // share s of p_A
	Next     int       // number of examples at the next fit of the Gaussians

	Output      []float64 // outputs of the last examples, oldest first: one number for each class
	Class       []int     // classes of the last examples
	Sample      []float64 // outputs that the Gaussians are fitted to
	SampleClass []int     // classes of the sample
	SampleCount []float64 // number of examples of each class at the fit; empty before the first
}

// State returns a copy of all that the layer knows.
func (l *Layer) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.totals.clone()
	s := State{Count: t.counts, Sum: slices.Concat(t.sums...), Limited: l.limited}
	if l.sequence != nil {
		s.Sequence = l.sequence.state(&t)
	}
	l.kept.addSquares(t.squares, -1)
	s.Scatter = slices.Concat(t.squares...)
	complete := true
	for c, kept := range l.kept {
		for _, e := range kept {
			s.Kept = append(s.Kept, Units(e.x)...)
			s.KeptClass, s.KeptCount = append(s.KeptClass, c), append(s.KeptCount, e.count)
			s.Source, complete = append(s.Source, e.source...), complete && len(e.source) > 0
		}
	}
	if !complete {
		s.Source = nil
	}
	return s
}

// Units returns x, limited and rounded, in units of 2⁻⁹, as State.Kept has it.
func Units(x []float64) []int16 {
	rounded, units := make([]float64, len(x)), make([]int16, len(x))
	round(rounded, x)
	for i, v := range rounded {
		units[i] = int16(v / step)
	}
	return units
}

var errState = errors.New("readout: a state of another configuration, or with numbers that are not finite")

// Restore returns a layer with the state. It predicts and learns as the original, to the bit. Restore returns
// an error if the configuration is invalid, or does not fit the state.
func Restore(c Config, s State) (*Layer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if !s.fits(c) { // checked before memory for a layer is allocated
		return nil, errState
	}
	l, err := New(c)
	if err != nil {
		return nil, err
	}
	t, d := &l.totals, c.Inputs
	l.limited = s.Limited
	copy(t.counts, s.Count)
	for c, sum := range t.sums {
		copy(sum, s.Sum[c*d:])
	}
	if !l.kept.restore(s) {
		return nil, errState
	}
	for k, q := range t.squares {
		copy(q, s.Scatter[k*len(q):])
	}
	l.kept.addSquares(t.squares, 1)
	if t.examples() > 0 && sharedGaussians(t.moments()) == nil { // not positive semi-definite
		return nil, errState
	}
	if l.sequence != nil && !l.sequence.restore(*s.Sequence, t) {
		return nil, errState
	}
	return l, nil
}

func (s *State) fits(c Config) bool {
	d, squares, examples := c.Inputs, 1, kernel.Sum(s.Count)
	if c.Kind == Gaussian {
		squares = c.Classes
	}
	return len(s.Count) == c.Classes && len(s.Sum) == c.Classes*d && len(s.Scatter) == squares*d*(d+1)/2 &&
		len(s.Kept) == len(s.KeptClass)*d && len(s.KeptCount) == len(s.KeptClass) &&
		len(s.Source)%max(1, len(s.KeptClass)) == 0 && kernel.Finite(s.Source...) &&
		within(limit*examples, s.Sum) && within(limit*limit*examples, s.Scatter) && natural(s.Count) &&
		natural(s.KeptCount) && c.Sequential == (s.Sequence != nil) &&
		(s.Sequence == nil || s.Sequence.fits(d+1, c.Classes, int(examples)))
}

func within(most float64, numbers []float64) bool {
	return !slices.ContainsFunc(numbers, func(v float64) bool { return !(math.Abs(v) <= most) })
}

func natural(numbers []float64) bool {
	return !slices.ContainsFunc(numbers, func(n float64) bool { return !(n >= 0 && n < 1<<53 && n == math.Trunc(n)) })
}

// fits reports whether the state can be that of d − 1 inputs after n examples.
func (q *Sequence) fits(d, classes, n int) bool {
	fits := len(q.P) == d*(d+1)/2 && len(q.W) == classes*d && len(q.Evidence) == len(temperatures) &&
		len(q.Pending) == n%together*d && q.Share >= 0 && q.Share <= 1 &&
		len(q.Output) == classes*len(q.Class) && len(q.Class) <= mostRecent &&
		len(q.Sample) == classes*len(q.SampleClass) && len(q.SampleClass) <= mostRecent &&
		(len(q.SampleCount) == classes && len(q.Sample) > 0 || len(q.SampleCount)+len(q.Sample) == 0) &&
		natural(q.SampleCount) &&
		kernel.Finite(slices.Concat(q.Pending, q.W, q.Evidence, q.Output, q.Sample)...)
	for _, class := range slices.Concat(q.Class, q.SampleClass) {
		fits = fits && class >= 0 && class < classes
	}
	return fits
}

func (q Sequence) clone() *Sequence {
	for _, v := range []*[]float64{&q.Pending, &q.W, &q.Evidence, &q.Output, &q.Sample, &q.SampleCount} {
		*v = append([]float64(nil), *v...)
	}
	q.Class, q.SampleClass = slices.Clone(q.Class), slices.Clone(q.SampleClass)
	return &q
}

// state returns a copy, for the sums t.
func (s *sequence) state(t *totals) *Sequence {
	q := s.Sequence
	q.Pending, q.W = s.pending, s.w
	q.P = s.difference(t)
	return q.clone()
}

// restore copies a state that fits the sums t, and reports whether its P is finite.
func (s *sequence) restore(q Sequence, t *totals) bool {
	s.Sequence = *q.clone()
	s.pending, s.w = s.Pending, s.W
	s.add(q.P, t)
	s.P, s.Pending, s.W = nil, nil, nil
	if len(s.SampleCount) > 0 {
		s.fit()
	}
	return kernel.Finite(s.p...)
}
