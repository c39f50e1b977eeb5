// Package confidence has the scores that the studies open_set and unknown share: how well known an input
// looks to an output layer, and Fisher's combination of scores.
package confidence

import (
	"slices"
	"sort"

	"closedform/core/readout"
	"closedform/internal/kernel"
)

// Score is a measure of how sure a learner may be of its prediction. The larger it is, the surer; no two
// scores have the same scale.
type Score string

// Scores of any learner, and of an output layer at the most probable class c of an input.
const (
	Probability       Score = "probability"        // the largest probability
	Entropy           Score = "entropy"            // a decreasing function of the entropy of the probabilities
	MutualInformation Score = "mutual-information" // a decreasing function of the mutual information of label and member

	Density      Score = "density"       // log density of c, with output = "ridge" of Gaussians with one covariance
	DensityRatio Score = "density-ratio" // density less the log density of one Gaussian of all examples
	Ridge        Score = "ridge"         // the largest output of the ridge regression
	RidgeDensity Score = "ridge-density" // log density of c on the outputs of the regression

	// Combined is [Examples.Combine] over the four scores of the layer, with the validation examples of the same most
	// probable class as reference.
	Combined Score = "combined"
)

// OfLayer are the scores of [readout.Scores.Of], which [Layer] sets.
var OfLayer = []Score{Density, DensityRatio, Ridge, RidgeDensity}

// Layer sets the scores of an output layer at inputs with the most probable classes top.
func Layer(by map[Score][]float64, l *readout.Layer, x [][]float64, top []int) error {
	all := make([]readout.Scores, len(x))
	err := l.Scores(all, x)
	for i := 0; i < len(all) && err == nil; i++ {
		for k, value := range all[i].Of(top[i]) {
			by[OfLayer[k]] = append(by[OfLayer[k]], value)
		}
	}
	return err
}

// Examples are scores of some examples, each of a group.
type Examples struct {
	By    map[Score][]float64
	Group []int
}

// Combine returns the sum over some scores of log p (Fisher 1925). p is the share of the reference examples
// of the same group, and of the example itself, whose score is no larger than that of the example.
func (e Examples) Combine(of []Score, reference Examples) []float64 {
	sum := make([]float64, len(e.Group))
	for _, s := range of {
		tails := map[int][]float64{}
		for i, g := range reference.Group {
			tails[g] = append(tails[g], reference.By[s][i])
		}
		for _, tail := range tails {
			slices.Sort(tail)
		}
		for i, g := range e.Group {
			tail := tails[g]
			below := sort.Search(len(tail), func(k int) bool { return tail[k] > e.By[s][i] })
			sum[i] += kernel.Log(float64(1+below) / float64(1+len(tail)))
		}
	}
	return sum
}
