package readout

import (
	"fmt"
	"math"
	"slices"
)

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
	s, d := State{Count: slices.Clone(l.counts), Sum: slices.Concat(l.sums...), Limited: l.limited}, l.cfg.Inputs
	for _, q := range l.squares {
		q.flush(d)
		for j := range d {
			for i := j; i < d; i++ {
				s.Scatter = append(s.Scatter, q.sum.row(i)[j])
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

// Restore returns the layer with the state, which predicts and goes on to the bit as the one that the state
// is of. Without a [Sequence], the recursion of Config.Sequential starts from the sums. It returns an error
// if the configuration is not valid, or the state is of another one.
func Restore(c Config, s State) (*Layer, error) {
	l, err := New(c)
	if err != nil {
		return nil, err
	}
	d := c.Inputs
	if s.KeptCount == nil {
		s.KeptCount = slices.Repeat([]int{1}, len(s.KeptClass))
	}
	products := len(l.squares) * d * (d + 1) / 2
	fits := len(s.Count) == c.Classes && len(s.Sum) == c.Classes*d && len(s.Scatter) == products
	if !fits || len(s.Kept) != len(s.KeptClass)*d || len(s.KeptCount) != len(s.KeptClass) {
		return nil, fmt.Errorf("readout: a state of %d counts, %d sums, %d products, %d counts of kept examples "+
			"and %d numbers of %d kept examples; the layer has %d inputs and %d classes", len(s.Count),
			len(s.Sum), len(s.Scatter), len(s.KeptCount), len(s.Kept), len(s.KeptClass), d, c.Classes)
	}
	if err := finite(s.Sum, s.Scatter, s.Kept); err != nil {
		return nil, err
	}
	rest := s.Scatter
	for _, q := range l.squares {
		for j := range d {
			for i := j; i < d; i++ {
				q.sum.row(i)[j] = rest[i-j]
			}
			rest = rest[d-j:]
		}
	}
	l.limited = s.Limited
	for c, n := range s.Count {
		l.counts[c] = n
		copy(l.sums[c], s.Sum[c*d:])
	}
	if err := l.restoreKept(s); err != nil {
		return nil, err
	}
	switch {
	case l.sequence == nil || s.Sequence == nil && l.examples() == 0:
	case s.Sequence == nil:
		l.sequence.solve(l.moments())
		l.sequence.Next = l.examples() + firstFit
	default:
		err = l.sequence.restore(*s.Sequence)
	}
	return l, err
}

// restoreKept keeps the examples of the state.
func (l *Layer) restoreKept(s State) error {
	classes, d := len(l.kept), l.cfg.Inputs
	counted := make([]int, classes)
	for i, class := range s.KeptClass {
		if class < 0 || class >= classes {
			return fmt.Errorf("readout: a kept example of class %d; the layer has classes 0 to %d", class, classes-1)
		}
		x := slices.Clone(s.Kept[i*d:][:d])
		e := labelled{x: x, class: class, count: float64(s.KeptCount[i]), hash: hash(x)}
		kept := l.kept[class]
		if last := len(kept) - 1; last >= 0 && order(kept[last], e) == 0 {
			kept[last].count += e.count
		} else {
			l.kept[class] = append(kept, e)
		}
		if counted[class] += s.KeptCount[i]; s.KeptCount[i] <= 0 {
			counted[class] = math.MinInt
		}
	}
	for c, n := range l.counts {
		if k := counted[c]; k < 0 || k > n || k == 0 && n != 0 || !slices.IsSortedFunc(l.kept[c], order) {
			return fmt.Errorf("readout: %d examples of class %d with %d kept, in the order of their hashes: "+
				"these do not fit", n, c, k)
		}
	}
	return nil
}

func finite(all ...[]float64) error {
	for _, numbers := range all {
		for _, x := range numbers {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("readout: a state with %g; need finite numbers", x)
			}
		}
	}
	return nil
}
