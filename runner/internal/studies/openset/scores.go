package openset

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/runner/internal/confidence"
	"closedform/runner/internal/learner"
)

var scores = slices.Concat([]confidence.Score{confidence.Probability, confidence.Entropy, confidence.MutualInformation},
	confidence.OfLayer, []confidence.Score{confidence.Combined})

// looked is what a learner says of some examples.
type looked struct {
	p                   [][]float64
	class               []int
	confidence.Examples // each of the group of its most probable class
}

// look returns what the learner says, with the scores that it has but for the combined one. One
// that breaks down has no score but the probability, the same for all.
func look(l *learner.Tolerant, e learner.Examples) (looked, error) {
	a := looked{Examples: confidence.Examples{By: map[confidence.Score][]float64{}}}
	for i := range e.Len() {
		a.class = append(a.class, e.Class(i))
	}
	layer := l.Readout()
	var inputs [][]float64
	add := func(name confidence.Score, value float64) { a.By[name] = append(a.By[name], value) }
	if !l.Look(e, func(_ int, x []float64, answer learner.Answer) error {
		c := floats.MaxIdx(answer.P)
		a.p, a.Group = append(a.p, slices.Clone(answer.P)), append(a.Group, c)
		add(confidence.Probability, answer.P[c])
		add(confidence.Entropy, -kernel.Entropy(answer.P, 1))
		if !math.IsNaN(answer.MutualInformation) {
			add(confidence.MutualInformation, -answer.MutualInformation)
		}
		if layer != nil {
			inputs = append(inputs, slices.Clone(x))
		}
		return nil
	}) {
		a.p, a.Group = learner.Equal(e.Len(), l.Classes), make([]int, e.Len())
		a.By = map[confidence.Score][]float64{confidence.Probability: make([]float64, e.Len())}
		return a, nil
	}
	if layer == nil {
		return a, nil
	}
	return a, confidence.Layer(a.By, layer, inputs, a.Group)
}

// combine adds the combined score, with p-values under the examples for validation.
func (a *looked) combine(validation looked) {
	if a.By[confidence.Density] != nil {
		a.By[confidence.Combined] = a.Combine(confidence.OfLayer, validation.Examples)
	}
}
