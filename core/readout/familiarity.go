package readout

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/core/familiar"
	"closedform/internal/kernel"
)

const fewest = 10

// Familiarity returns for each input x_i a p-value of the hypothesis that it is like the learned examples of
// its most probable class c = class_i, and the log density of c at x_i. The statistic is Σ log p over the
// four scores (Fisher 1925), where p is the [familiar.Tail] of a score among the left-out scores of the kept
// examples of the class. The p-value is the Tail of the statistic among those of all kept examples: NaN with
// fewer than ten of the class. Before the first example the density is NaN. The error is that of Predict.
func (l *Layer) Familiarity(x [][]float64, class []int) (p, density []float64, err error) {
	examples, rounded := make([]labelled, len(x)), matrix(len(x), l.cfg.Inputs)
	for i, x := range x {
		if err := l.round(rounded[i], x); err != nil {
			return nil, nil, err
		}
		examples[i] = labelled{x: rounded[i], class: class[i]}
		p, density = append(p, math.NaN()), append(density, math.NaN())
	}
	if l.examples() == 0 {
		return p, density, nil
	}
	s := l.solve(true)
	for i, scores := range s.scores(examples, false) {
		density[i] = scores[0]
		if c := class[i]; kernel.Sum(s.reference.counts[c]) >= fewest {
			p[i] = familiar.Tail(s.reference.sums, s.reference.weights, s.reference.statistic(c, scores))
		}
	}
	return p, density, nil
}

// scores returns four scores of each example, larger for inputs more like those of its class c. With left the
// examples were learned, and are left out. A log density of a class without examples is −∞.
//
//	0  the log density of c on the inputs: with Gaussian that of its Gaussian, shrunk so that left out
//	   examples are as probable as possible, with Ridge that of Gaussians with one covariance
//	1  the same less the log density of one Gaussian of all examples
//	2  the largest output of the ridge regression, around 1 for the class of an example and 0 for others
//	3  the log density of c on these outputs
func (s *solution) scores(examples []labelled, left bool) [][4]float64 {
	outputs := s.ridge.outputs(examples, left)
	density, onOutputs := s.density.densities(examples, left),
		s.outputs.densities(withInputs(examples, outputs), left)
	one := append([]labelled(nil), examples...)
	for i := range one {
		one[i].class = 0
	}
	background := s.background.densities(one, left)
	scores := make([][4]float64, len(examples))
	for i, e := range examples {
		d := density[i][e.class]
		scores[i] = [4]float64{d, d - background[i][0], floats.Max(outputs[i]), onOutputs[i][e.class]}
	}
	return scores
}

type reference struct {
	scores  [][4][]float64 // of each class minus the four scores of its kept inputs
	counts  [][]float64    // of each class the examples of its kept inputs
	sums    []float64      // the statistics of kept inputs
	weights []float64      // the numbers of examples of these
}

func (r *reference) statistic(class int, scores [4]float64) (sum float64) {
	for k, s := range scores {
		p := familiar.Tail(r.scores[class][k], r.counts[class], -s)
		sum -= kernel.Log(max(p, math.SmallestNonzeroFloat64))
	}
	return sum
}

func newReference(classes int, kept []labelled, scores [][4]float64) *reference {
	r := &reference{scores: make([][4][]float64, classes), counts: make([][]float64, classes)}
	place := make([]int, len(kept)) // in the class
	for i, e := range kept {
		for k, score := range scores[i] {
			r.scores[e.class][k] = append(r.scores[e.class][k], -score)
		}
		place[i] = len(r.counts[e.class])
		r.counts[e.class] = append(r.counts[e.class], e.count)
	}
	for i, e := range kept {
		counts := r.counts[e.class]
		if kernel.Sum(counts) < fewest {
			continue
		}
		counts[place[i]]-- // the example itself
		r.sums, r.weights = append(r.sums, r.statistic(e.class, scores[i])), append(r.weights, e.count)
		counts[place[i]]++
	}
	return r
}
