package openset

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"

	"closedform/core/readout"
	"closedform/internal/kernel"
	"closedform/runner/internal/learner"
)

// score is how well known an input looks; larger is better known.
type score string

const (
	probability score = "probability"        // the largest probability
	entropy     score = "entropy"            // minus that of the probabilities
	mutual      score = "mutual-information" // minus that of the label and the member

	// Of an output layer, at the most probable class c:
	density      score = "density"       // log density of c, with output = "ridge" of Gaussians of one covariance
	ratio        score = "density-ratio" // that less the log density of one Gaussian of all
	ridge        score = "ridge"         // the largest output of the ridge regression
	ridgeDensity score = "ridge-density" // log density of c on the outputs of the regression

	// combined is the sum over the four above of log p (Fisher 1925), p being the share of the
	// examples for validation with the same most probable class whose score is not larger.
	combined score = "combined"
)

var scores = []score{probability, entropy, mutual, density, ratio, ridge, ridgeDensity, combined}

// looked is what a learner says of some examples.
type looked struct {
	p     [][]float64
	class []int
	top   []int // the most probable class
	by    map[score][]float64
}

// look returns what the learner says, with the scores that it has but for the combined one. One
// that breaks down has no score but the probability, the same for all.
func look(l *learner.Tolerant, e learner.Examples) (looked, error) {
	a := looked{by: map[score][]float64{}}
	for i := range e.Len() {
		a.class = append(a.class, e.Class(i))
	}
	layer := l.Readout()
	var inputs [][]float64
	add := func(name score, value float64) { a.by[name] = append(a.by[name], value) }
	if !l.Look(e, func(_ int, x []float64, answer learner.Answer) error {
		c := floats.MaxIdx(answer.P)
		a.p, a.top = append(a.p, slices.Clone(answer.P)), append(a.top, c)
		add(probability, answer.P[c])
		add(entropy, -kernel.Entropy(answer.P, 1))
		if !math.IsNaN(answer.MutualInformation) {
			add(mutual, -answer.MutualInformation)
		}
		if layer == nil {
			return nil
		}
		inputs = append(inputs, slices.Clone(x))
		return nil
	}) {
		a.p, a.top = learner.Equal(e.Len(), l.Classes), make([]int, e.Len())
		a.by = map[score][]float64{probability: make([]float64, e.Len())}
		return a, nil
	}
	if layer == nil {
		return a, nil
	}
	all := make([]readout.Scores, len(inputs))
	err := layer.Scores(all, inputs)
	for i, s := range all {
		c := a.top[i]
		add(density, s.Density[c])
		add(ratio, s.Density[c]-s.Background)
		add(ridge, floats.Max(s.Ridge))
		add(ridgeDensity, s.RidgeDensity[c])
	}
	return a, err
}

// combine adds the combined score, with p-values under the examples for validation.
func (a *looked) combine(validation looked) {
	if a.by[density] == nil {
		return
	}
	sum := make([]float64, len(a.p))
	for _, name := range []score{density, ratio, ridge, ridgeDensity} {
		tails := map[int][]float64{}
		for i, c := range validation.top {
			tails[c] = append(tails[c], validation.by[name][i])
		}
		for _, tail := range tails {
			slices.Sort(tail)
		}
		for i, c := range a.top {
			tail := tails[c]
			below := sort.Search(len(tail), func(k int) bool { return tail[k] > a.by[name][i] })
			sum[i] += kernel.Log(float64(1+below) / float64(1+len(tail)))
		}
	}
	a.by[combined] = sum
}
