package readout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/familiar"
	"closedform/internal/kernel"
)

// fewest is the number of kept examples of a class from which there is a p-value.
const fewest = 10

// reference has what Familiarity compares with.
type reference struct {
	scores [][4][]float64 // of each class minus the four scores of its kept examples, in ascending order
	sums   []float64      // minus Σ log p of kept examples, in ascending order
}

// Familiarity returns a p-value of the hypothesis that x is like the learned examples of its most probable
// class. The statistic is Σ log p over the four [Layer.Scores] (Fisher 1925), where p is the
// [familiar.Tail] of a score among those of the kept examples of the class. Familiarity is the Tail of
// the sum among those of all kept examples. Kept examples are left out of the fit and of the
// tails that they are compared with. The p-value is NaN with fewer than ten kept examples of the class. The error
// is that of Predict. The first call after an example takes longer than Predict, as both kinds are solved.
func (l *Layer) Familiarity(x []float64) (p float64, err error) {
	w := l.scratch()
	defer l.pool.Put(w)
	c, err := l.mostProbable(w, x)
	if err != nil || len(l.kept[c]) < fewest {
		return math.NaN(), err
	}
	scores, err := l.Scores([][]float64{x}, []int{c})
	if err != nil {
		return math.NaN(), err
	}
	r := l.reference()
	sum := 0.0
	for k, score := range scores[0] {
		sum -= logTail(r.scores[c][k], -score)
	}
	return familiar.Tail(r.sums, sum), nil
}

// logTail returns the logarithm of [familiar.Tail], which may be 0.
func logTail(scores []float64, s float64) float64 {
	return kernel.Log(max(familiar.Tail(scores, s), math.SmallestNonzeroFloat64))
}

func (l *Layer) reference() *reference {
	s := l.solve(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.solved.reference == nil {
		l.solved.reference = l.newReference(l.keptScores(&s))
	}
	return l.solved.reference
}

func (l *Layer) newReference(kept []labelled, scores [][4]float64) *reference {
	r := &reference{scores: make([][4][]float64, l.cfg.Classes)}
	for i, e := range kept {
		for k, score := range scores[i] {
			r.scores[e.class][k] = append(r.scores[e.class][k], -score)
		}
	}
	for c := range r.scores {
		for _, of := range r.scores[c] {
			slices.Sort(of)
		}
	}
	for i, e := range kept {
		if len(r.scores[e.class][0]) < fewest {
			continue
		}
		sum := 0.0
		for k, score := range scores[i] {
			others := slices.Clone(r.scores[e.class][k])
			at, _ := slices.BinarySearch(others, -score)
			sum -= logTail(slices.Delete(others, at, at+1), -score)
		}
		r.sums = append(r.sums, sum)
	}
	slices.Sort(r.sums)
	return r
}

// keptScores returns the kept examples with their scores for their own classes, each left out of the fit.
func (l *Layer) keptScores(s *solution) ([]labelled, [][4]float64) {
	m := s.moments
	kept := l.sample(m.n)
	one, all := *m, slices.Clone(kept) // for the background
	one.n, one.mean = []float64{m.total}, [][]float64{m.center}
	for i := range all {
		all[i].class = 0
	}
	background, density := s.background.ownDensities(&one, all), s.density.own
	if density == nil { // of Gaussians with one covariance
		density = s.density.ownDensities(m, kept)
	}
	scores := make([][4]float64, len(kept))
	for i := range scores {
		scores[i] = [4]float64{density[i], density[i] - background[i], floats.Max(s.ridge.kept[i].x), s.outputs.own[i]}
	}
	return kept, scores
}
