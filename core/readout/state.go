package readout

import (
	"errors"
	"slices"

	"closedform/internal/kernel"
)

// State is the complete state of a layer. Without Sequence it does not depend on the order of the examples.
type State struct {
	Count     []int     // number of examples of each class
	Sum       []float64 // Σx of each class: classes × inputs
	Scatter   []float64 // Σxxᵀ of all examples, for Gaussian of each class: upper triangles by rows
	Kept      []float64 // the kept inputs, by rows
	KeptClass []int     // class of each kept input
	KeptCount []int     // number of examples of each kept input
	Limited   int       // see Layer.Limited
	Sequence  *Sequence // nil unless Config.Sequential
}

// Sequence is the state of Config.Sequential. It depends on the order of the examples.
type Sequence struct {
	P        []float64 // (Λ + Σzzᵀ)⁻¹ without the pending changes: the lower triangle by rows
	Pending  []float64 // k/√h of each pending change: inputs + 1 numbers
	W        []float64 // Wᵀ, classes × (inputs + 1)
	Evidence []float64 // ℓ of each temperature
	Share    float64   // share s of p_A
	Next     int       // number of examples at the next fit of the Gaussians

	Output      []float64 // outputs of the last examples, oldest first: one number for each class
	Class       []int     // classes of the last examples
	Sample      []float64 // outputs that the Gaussians are fitted to
	SampleClass []int     // classes of the sample
	SampleCount []int     // number of examples of each class at the fit; empty before the first
}

// State returns a copy of all that the layer knows.
func (l *Layer) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, d := &l.totals, l.cfg.Inputs
	s := State{Count: slices.Clone(t.counts), Sum: slices.Concat(t.sums...), Limited: l.limited}
	for k, q := range t.squares {
		t.flush(k)
		for j := range d {
			for i := j; i < d; i++ {
				s.Scatter = append(s.Scatter, q.Row(i)[j])
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
		s.Sequence = l.sequence.state()
	}
	return s
}

var errState = errors.New("readout: a state of another configuration, or with numbers that are not finite")

// Restore returns a layer with the state. It predicts and learns as the original, to the bit. Restore returns
// an error if the configuration is invalid, or does not fit the state.
func Restore(c Config, s State) (*Layer, error) {
	l, err := New(c)
	if err != nil {
		return nil, err
	}
	t, d := &l.totals, c.Inputs
	if len(s.Count) != c.Classes || len(s.Sum) != c.Classes*d || len(s.Scatter) != len(t.squares)*d*(d+1)/2 ||
		len(s.Kept) != len(s.KeptClass)*d || len(s.KeptCount) != len(s.KeptClass) ||
		(l.sequence == nil) != (s.Sequence == nil) ||
		!kernel.Finite(slices.Concat(s.Sum, s.Scatter, s.Kept)...) {
		return nil, errState
	}
	for _, q := range t.squares {
		for j := range d {
			for i := j; i < d; i++ {
				q.Row(i)[j] = s.Scatter[i-j]
			}
			s.Scatter = s.Scatter[d-j:]
		}
	}
	l.limited = s.Limited
	for c, n := range s.Count {
		t.counts[c] = n
		copy(t.sums[c], s.Sum[c*d:])
	}
	if !l.kept.restore(s) || l.sequence != nil && !l.sequence.restore(*s.Sequence, t.examples()) {
		return nil, errState
	}
	return l, nil
}

func (q Sequence) clone() *Sequence {
	for _, v := range []*[]float64{&q.P, &q.Pending, &q.W, &q.Evidence, &q.Output, &q.Sample} {
		*v = append([]float64(nil), *v...)
	}
	for _, v := range []*[]int{&q.Class, &q.SampleClass, &q.SampleCount} {
		*v = slices.Clone(*v)
	}
	return &q
}

func (s *sequence) state() *Sequence {
	q := s.Sequence
	q.P, q.Pending, q.W = s.p, s.pending, s.w
	return q.clone()
}

// restore copies a state after n examples, and reports whether it fits.
func (s *sequence) restore(q Sequence, n int) bool {
	d, classes := len(s.z), len(s.o)
	fits := len(q.P) == len(s.p) && len(q.W) == classes*d && len(q.Evidence) == len(temperatures) &&
		len(q.Pending) == n%together*d && q.Share >= 0 && q.Share <= 1 &&
		len(q.Output) == classes*len(q.Class) && len(q.Class) <= mostRecent &&
		len(q.Sample) == classes*len(q.SampleClass) && len(q.SampleClass) <= mostRecent &&
		(len(q.SampleCount) == classes && len(q.Sample) > 0 || len(q.SampleCount)+len(q.Sample) == 0) &&
		kernel.Finite(slices.Concat(q.P, q.Pending, q.W, q.Evidence, q.Output, q.Sample)...)
	for _, class := range slices.Concat(q.Class, q.SampleClass) {
		fits = fits && class >= 0 && class < classes
	}
	if !fits {
		return false
	}
	q = *q.clone()
	s.p, s.pending, s.w = q.P, q.Pending, q.W
	q.P, q.Pending, q.W = nil, nil, nil
	if s.Sequence = q; len(s.SampleCount) > 0 {
		s.fit()
	}
	return true
}
