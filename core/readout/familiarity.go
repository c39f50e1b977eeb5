package readout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/familiar"
	"closedform/internal/kernel"
)

const fewest = 10 // smallest number of examples of a class with p-values

// familiarity compares four scores of an input with those of the kept examples of its class, each left out.
type familiarity struct {
	ridge      *ridge
	density    *gaussians     // class Gaussians on the inputs
	background *gaussians     // one Gaussian on all inputs
	left       [][4][]float64 // minus the four scores of the kept examples, by class
	counts     [][]float64    // number of examples of each kept input, by class
	sums       []float64      // statistics of the kept inputs of classes with ten examples
	weights    []float64      // number of examples of each input in sums
}

func newFamiliarity(kind Kind, m *moments, s sample, r *ridge) *familiarity {
	f := &familiarity{ridge: r, background: sharedGaussians(m.merged())}
	if kind == Gaussian {
		f.density, _ = fitGaussians(m, s, true)
	} else {
		f.density = sharedGaussians(m)
	}
	f.refer(len(m.n), s.examples, f.scores(s.examples, true))
	return f
}

// Familiarity returns for each input x_i a p-value of the hypothesis that it is like the learned examples of
// its most probable class c = class_i, and the log density of c at x_i. The statistic is −Σ log p over the
// four scores (Fisher 1925), where p is the [familiar.Tail] of a score among the left-out scores of the kept
// examples of the class. The p-value is the Tail of the statistic among those of all kept examples: NaN with
// fewer than ten of the class. Before the first example the density is NaN. The error is that of Predict.
func (l *Layer) Familiarity(x [][]float64, class []int) (p, density []float64, err error) {
	examples := make([]example, len(x))
	for i, x := range x {
		if examples[i], err = l.example(x, class[i]); err != nil {
			return nil, nil, err
		}
		p, density = append(p, math.NaN()), append(density, math.NaN())
	}
	if l.totals.examples() == 0 {
		return p, density, nil
	}
	f := l.solve(true).familiarity
	for i, scores := range f.scores(examples, false) {
		density[i] = scores[0]
		if c := class[i]; kernel.Sum(f.counts[c]) >= fewest {
			p[i] = familiar.Tail(f.sums, f.weights, f.statistic(c, scores))
		}
	}
	return p, density, nil
}

// scores returns four scores of each example, larger for inputs more like those of its class c. With left the
// examples were learned, and are left out. A log density of a class without examples is −∞.
//
//	0  the log density of c on the inputs, whose Gaussians have one covariance with Ridge
//	1  the same less the log density of one Gaussian of all examples
//	2  the largest output of the ridge regression, around 1 for the class of an example and 0 for others
//	3  the log density of c on these outputs
func (f *familiarity) scores(examples []example, left bool) [][4]float64 {
	outputs := f.ridge.outputs(examples, left)
	density := f.density.densities(examples, left)
	onOutputs := f.ridge.classes.densities(withInputs(examples, outputs), left)
	merged := slices.Clone(examples)
	for i := range merged {
		merged[i].class = 0
	}
	background := f.background.densities(merged, left)
	scores := make([][4]float64, len(examples))
	for i, e := range examples {
		d := density[i][e.class]
		scores[i] = [4]float64{d, d - background[i][0], floats.Max(outputs[i]), onOutputs[i][e.class]}
	}
	return scores
}

// refer sets what the scores of an input are compared with.
func (f *familiarity) refer(classes int, kept []example, scores [][4]float64) {
	f.left, f.counts = make([][4][]float64, classes), make([][]float64, classes)
	place := make([]int, len(kept)) // index of each kept example within its class
	for i, e := range kept {
		for k, score := range scores[i] {
			f.left[e.class][k] = append(f.left[e.class][k], -score)
		}
		place[i] = len(f.counts[e.class])
		f.counts[e.class] = append(f.counts[e.class], e.count)
	}
	for i, e := range kept {
		counts := f.counts[e.class]
		if kernel.Sum(counts) < fewest {
			continue
		}
		counts[place[i]]-- // leave out the example itself
		f.sums, f.weights = append(f.sums, f.statistic(e.class, scores[i])), append(f.weights, e.count)
		counts[place[i]]++
	}
}

func (f *familiarity) statistic(class int, scores [4]float64) (sum float64) {
	for k, s := range scores {
		p := familiar.Tail(f.left[class][k], f.counts[class], -s)
		sum -= kernel.Log(max(p, math.SmallestNonzeroFloat64))
	}
	return sum
}
