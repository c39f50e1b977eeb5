package readout

import (
	"errors"
	"math"
	"slices"
)

// State is the complete state of a layer. It does not depend on the order of the examples.
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
	s, d := State{Count: slices.Clone(l.counts), Sum: slices.Concat(l.sums...), Limited: l.limited}, l.cfg.Inputs
	for k, q := range l.squares {
		l.flush(k)
		for j := range d {
			for i := j; i < d; i++ {
				s.Scatter = append(s.Scatter, q.row(i)[j])
			}
		}
	}
	for c, kept := range l.kept {
		for _, e := range kept {
			s.Kept = append(s.Kept, e.x...)
			s.KeptClass, s.KeptCount = append(s.KeptClass, c), append(s.KeptCount, int(e.count))
		}
	}
	if l.sequence != nil {
		q := l.sequence.clone()
		s.Sequence = &q
	}
	return s
}

var errState = errors.New("readout: a state of another configuration, or with numbers that are not finite")

// Restore returns the layer with the state; it predicts and continues to the bit as the original. It returns
// an error if the configuration is not valid, or does not fit the state.
func Restore(c Config, s State) (*Layer, error) {
	l, err := New(c)
	if err != nil {
		return nil, err
	}
	d := c.Inputs
	if s.KeptCount == nil {
		s.KeptCount = slices.Repeat([]int{1}, len(s.KeptClass))
	}
	if len(s.Count) != c.Classes || len(s.Sum) != c.Classes*d || len(s.Scatter) != len(l.squares)*d*(d+1)/2 ||
		len(s.Kept) != len(s.KeptClass)*d || len(s.KeptCount) != len(s.KeptClass) ||
		!finite(s.Sum, s.Scatter, s.Kept) || (l.sequence == nil) != (s.Sequence == nil) {
		return nil, errState
	}
	for _, q := range l.squares {
		for j := range d {
			for i := j; i < d; i++ {
				q.row(i)[j] = s.Scatter[i-j]
			}
			s.Scatter = s.Scatter[d-j:]
		}
	}
	l.limited = s.Limited
	for c, n := range s.Count {
		l.counts[c] = n
		copy(l.sums[c], s.Sum[c*d:])
	}
	if !l.restoreKept(s) || l.sequence != nil && !l.sequence.restore(*s.Sequence) {
		return nil, errState
	}
	return l, nil
}

func (l *Layer) restoreKept(s State) bool {
	d, counted := l.cfg.Inputs, make([]int, len(l.kept))
	for i, class := range s.KeptClass {
		if class < 0 || class >= len(counted) || s.KeptCount[i] < 1 {
			return false
		}
		x := slices.Clone(s.Kept[i*d:][:d])
		e := labelled{x: x, class: class, count: float64(s.KeptCount[i]), hash: hash(x)}
		kept := l.kept[class]
		if last := len(kept) - 1; last >= 0 && order(kept[last], e) == 0 {
			kept[last].count += e.count
		} else {
			l.kept[class] = append(kept, e)
		}
		counted[class] += s.KeptCount[i]
	}
	for c, n := range l.counts {
		if counted[c] > n || counted[c] == 0 && n != 0 || !slices.IsSortedFunc(l.kept[c], order) {
			return false
		}
	}
	return true
}

func finite(all ...[]float64) bool {
	for _, numbers := range all {
		for _, x := range numbers {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return false
			}
		}
	}
	return true
}
