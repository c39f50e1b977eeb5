package learner

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/runner/internal/pool"
)

// CheckMembers returns an error unless an ensemble may have so many members; zero
// stands for one.
func CheckMembers(members int) error {
	if members == 0 {
		return nil
	}
	return field.Within("members", members, 1, 64)
}

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

// Ensemble is learners that all see the same examples. It predicts the mean of their
// probabilities.
type Ensemble struct {
	Members []Learner
	weights []float64        // of the members, whose sum is 1; nil: all the same
	drop    func(k int) bool // leaves out a member that broke down, if there are others; nil: none is
	p       []float64
}

// NewEnsemble returns the ensemble of learners that make makes, see [Members]; of one,
// that learner.
func NewEnsemble(n int, src rand.Source, make func(rand.Source) (Learner, error)) (Learner, error) {
	members, err := Members(n, src, make)
	if err != nil {
		return nil, err
	}
	if len(members) == 1 {
		return members[0], nil
	}
	return &Ensemble{Members: members}, nil
}

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
	_, err := e.predict(p, x, false)
	return err
}

// predict is Predict, and returns the mean entropy of the members if that is asked for.
func (e *Ensemble) predict(p, x []float64, entropy bool) (mean float64, err error) {
	if len(e.p) != len(p) {
		e.p = make([]float64, len(p))
	}
	clear(p)
	weight := 1 / float64(len(e.Members))
	for k, m := range e.Members {
		if e.weights != nil {
			weight = e.weights[k]
		}
		if weight == 0 {
			continue
		}
		if err := m.Predict(e.p, x); err != nil {
			if e.drop != nil && e.drop(k) {
				return e.predict(p, x, entropy)
			}
			return 0, err
		}
		floats.AddScaled(p, weight, e.p)
		if entropy {
			mean += weight * kernel.Entropy(e.p, 1)
		}
	}
	return mean, nil
}

// MutualInformation implements [Mixture].
func (e *Ensemble) MutualInformation(p, x []float64) (float64, error) {
	mean, err := e.predict(p, x, true)
	return max(0, kernel.Entropy(p, 1)-mean), err
}

// batched is a learner that predicts several inputs at once, which pays where its weights are larger
// than the caches, and returns what its layers have made of each.
type batched interface {
	PredictAll(p, x [][]float64) ([][]bnn.Layer, error)
}

// batchedMembers returns the members of an ensemble, or the learner, if all are batched; else nil.
func batchedMembers(l Learner) (all []batched) {
	members := []Learner{l}
	if e, ok := l.(*Ensemble); ok {
		members = e.Members
	}
	for _, m := range members {
		b, ok := m.(batched)
		if !ok {
			return nil
		}
		all = append(all, b)
	}
	return all
}

// batchAnswers has see look at the answers of the members together, as [Ensemble.MutualInformation] makes
// them, up to the first error.
func batchAnswers(members []batched, classes int, x [][]float64, see func(i int, a Answer) error) error {
	q := slices.Collect(slices.Chunk(make([]float64, atOnce*classes), classes))
	weight := 1 / float64(len(members))
	for first := 0; first < len(x); first += atOnce {
		some := x[first:min(first+atOnce, len(x))]
		all := make([]Answer, len(some))
		for i := range all {
			all[i].P = make([]float64, classes)
		}
		for _, m := range members {
			layers, err := m.PredictAll(q[:len(some)], some)
			if err != nil {
				return err
			}
			for i := range all {
				a := &all[i]
				floats.AddScaled(a.P, weight, q[i])
				a.MutualInformation += weight * kernel.Entropy(q[i], 1)
				a.Members = append(a.Members, layers[i])
			}
		}
		for i, a := range all {
			a.MutualInformation = max(0, kernel.Entropy(a.P, 1)-a.MutualInformation)
			if len(members) == 1 {
				a.MutualInformation = math.NaN()
			}
			if err := see(first+i, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// TrainMembers trains the members of an ensemble each by itself, on idle processors; the course
// has no Before and After. What they become is what [Course.Train] makes of them, unless they
// see the examples in orders of their own: the first in those of the course, the others in ones
// drawn with streams named after what those give first and their number.
func (c Course) TrainMembers(ctx context.Context, t *Tolerant, ownOrders bool) error {
	var members []*Tolerant
	network, ours := t.Learner.(*Network)
	if ours {
		for _, n := range network.Members() {
			one, err := bnn.Combine(n)
			if err != nil {
				return err
			}
			members = append(members, NewTolerant(&Network{Ensemble: one, noise: network.noise, every: network.every}, t.Classes))
		}
	} else {
		for _, m := range t.Learner.(*Ensemble).Members {
			members = append(members, NewTolerant(m, t.Classes))
		}
	}
	err := pool.Each(ctx, len(members), func(ctx context.Context, k int) error {
		own := c
		if ownOrders && k > 0 {
			own.Order = func(pass int) rand.Source {
				return random.Source("order of member", c.Order(pass).Uint64(), k)
			}
		}
		return own.Train(ctx, members[k])
	})
	if err != nil {
		return err
	}
	for _, member := range members {
		t.failed = t.failed || member.failed
		if ours {
			network.steps.add(member.Steps())
		}
	}
	return nil
}

var (
	_ Learner = (*Ensemble)(nil)
	_ Mixture = (*Ensemble)(nil)
)
