package readout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/familiar"
	"closedform/internal/kernel"
)

// fewest is the number of examples with kept inputs of a class from which there is a p-value.
const fewest = 10

// reference has what Familiarity compares with.
type reference struct {
	scores [][4][]float64 // of each class minus the four scores of its kept inputs
	counts [][]float64    // of each class the examples of its kept inputs
	sums   []float64      // minus Σ log p of kept inputs
	all    []float64      // the examples of these
}

// Familiarity returns for each input x_i a p-value of the hypothesis that it is like the learned examples of
// its most probable class c = class_i, and the log density of c at x_i. The statistic is Σ log p over the
// four scores of the method scores (Fisher 1925), where p is the [familiar.Tail] of a score among those of
// the kept examples of the class, each left out. The p-value is the Tail of the sum among those of all kept
// examples. It is NaN with fewer than ten kept examples of the class, and the density before the first
// example. The error is that of Predict.
func (l *Layer) Familiarity(x [][]float64, class []int) (p, density []float64, err error) {
	scores, err := l.scores(x, class)
	if err != nil {
		return nil, nil, err
	}
	for i, c := range class {
		p, density = append(p, math.NaN()), append(density, scores[i][0])
		if countOf(l.kept[c]) < fewest {
			continue
		}
		r, sum := l.solve(true).reference, 0.0
		for k, score := range scores[i] {
			sum -= logTail(r.scores[c][k], r.counts[c], -score)
		}
		p[i] = familiar.Tail(r.sums, r.all, sum)
	}
	return p, density, nil
}

// scores returns four scores of each input x_i, larger for inputs more like those of the class c = class_i:
//
//	0  the log density of c on the inputs: with Gaussian that of its Gaussian, shrunk so that left out
//	   examples are as probable as possible, with Ridge that of Gaussians with one covariance
//	1  the same less the log density of one Gaussian of all examples
//	2  the largest output of the ridge regression, around 1 for the class of an example and 0 for others
//	3  the log density of c on these outputs
//
// A log density of a class without examples is −∞, and all are NaN before the first example.
func (l *Layer) scores(x [][]float64, class []int) (scores [][4]float64, err error) {
	w := l.scratch(min(atOnce, len(x)))
	for block := range slices.Chunk(x, atOnce) {
		n, first := len(block), len(scores)
		for i, x := range block {
			if err := l.round(w.x[i], x); err != nil {
				return nil, err
			}
			scores = append(scores, [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()})
		}
		if l.examples() == 0 {
			continue
		}
		rows, class, s := scores[first:], class[first:], l.solve(true)
		for i := range rows {
			s.ridge.outputs(w.out[i], w.x[i])
			rows[i][2] = floats.Max(w.out[i])
		}
		s.background.densities(w.score[:n], w.z, w.x[:n])
		for i := range rows {
			rows[i][1] = w.score[i][0]
		}
		s.density.densities(w.score[:n], w.z, w.x[:n])
		for i := range rows {
			density := w.score[i][class[i]]
			rows[i][0], rows[i][1] = density, density-rows[i][1]
		}
		s.outputs.densities(w.score[:n], w.z, w.out[:n])
		for i := range rows {
			rows[i][3] = w.score[i][class[i]]
		}
	}
	return scores, nil
}

// logTail returns the logarithm of [familiar.Tail], which may be 0.
func logTail(scores, counts []float64, s float64) float64 {
	return kernel.Log(max(familiar.Tail(scores, counts, s), math.SmallestNonzeroFloat64))
}

// newReference returns the reference of kept examples with their scores.
func (l *Layer) newReference(kept []labelled, scores [][4]float64) *reference {
	classes := l.cfg.Classes
	r := &reference{scores: make([][4][]float64, classes), counts: make([][]float64, classes)}
	for i, e := range kept {
		for k, score := range scores[i] {
			r.scores[e.class][k] = append(r.scores[e.class][k], -score)
		}
		r.counts[e.class] = append(r.counts[e.class], e.count)
	}
	place := make([]int, classes)
	for i, e := range kept {
		of := r.counts[e.class]
		if kernel.Sum(of) < fewest {
			continue
		}
		sum := 0.0
		of[place[e.class]]-- // the example itself
		for k, score := range scores[i] {
			sum -= logTail(r.scores[e.class][k], of, -score)
		}
		of[place[e.class]]++
		place[e.class]++
		r.sums, r.all = append(r.sums, sum), append(r.all, e.count)
	}
	return r
}

// keptScores returns the kept examples with their scores for their own classes, each left out of the fit.
func (l *Layer) keptScores(s *solution) ([]labelled, [][4]float64) {
	m := s.moments
	kept := l.sample()
	one, all := *m, slices.Clone(kept) // for the background
	one.n, one.mean = []float64{m.total}, [][]float64{m.center}
	for i := range all {
		all[i].class = 0
	}
	background, density := s.background.keptDensities(&one, all), s.density.kept
	if density == nil { // of Gaussians with one covariance
		density = s.density.keptDensities(m, kept)
	}
	scores := make([][4]float64, len(kept))
	for i := range scores {
		scores[i] = [4]float64{
			density[i], density[i] - background[i], floats.Max(s.ridge.kept[i].x), s.outputs.kept[i],
		}
	}
	return kept, scores
}
