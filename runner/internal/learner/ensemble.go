package learner

import (
	"math/rand/v2"

	"closedform/core/random"
	"closedform/internal/field"
)

// mostMembers is how many an ensemble may have.
const mostMembers = 64

// Members makes the members of an ensemble, each random as a stream of its own says. The
// first has src, as it has by itself; the streams of the others are named after their
// number and one that src gives after that, so that more members leave the first as they are.
func Members[T any](n int, src rand.Source, make func(rand.Source) (T, error)) (all []T, err error) {
	stream, name := src, uint64(0)
	for k := range max(1, n) {
		if k > 0 {
			stream = random.Source("member", name, k)
		}
		member, err := make(stream)
		if err != nil {
			return nil, err
		}
		if k == 0 && n > 1 {
			name = src.Uint64()
		}
		all = append(all, member)
	}
	return all, nil
}

// Single returns an error if one of the models is an ensemble of several.
func Single(models []Named) error {
	for _, v := range models {
		if v.Members > 1 {
			return v.in(field.Errorf("members", "%d is not allowed; allowed: 1, as this looks into one network", v.Members))
		}
	}
	return nil
}

// Ensemble is baselines that all see the same examples. It predicts the mean of their
// probabilities.
type Ensemble struct{ Members []Learner }

// Observe shows all members an example.
func (e *Ensemble) Observe(x []float64, class int) error {
	for _, m := range e.Members {
		if err := m.Observe(x, class); err != nil {
			return err
		}
	}
	return nil
}

// Predict sets p to the mean of the members' probabilities at x.
func (e *Ensemble) Predict(p, x []float64) error {
	all, err := mean(e.Members, len(p), [][]float64{x})
	if err == nil {
		copy(p, all[0].P)
	}
	return err
}

var _ Learner = (*Ensemble)(nil)
