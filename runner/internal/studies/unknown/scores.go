package unknown

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/classgaussian"
	"closedform/core/selective"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
)

// score is a confidence in a prediction, larger if more confident. Scales differ between scores.
type score string

const (
	probability score = "probability"        // the largest probability
	confidence  score = "confidence"         // the largest probability; of a bank, less if its members differ
	entropy     score = "entropy"            // one minus the entropy of p, over its largest value
	mutual      score = "mutual-information" // one minus the mutual information of label and member, over log n

	// firstLayer is minus the mean log variance of the first layer's pre-activations, xᵀΣ_jx.
	firstLayer score = "first-layer-variance"

	// mahalanobis is max_c (d_0 − d_c). The d are squared Mahalanobis distances of the means of the last hidden
	// layer: from the overall mean, and from class c, each with its covariance (Ren et al. 2021).
	mahalanobis score = "relative-mahalanobis"

	// density is the log density of the input; for an output layer, in the most probable class.
	density score = "density"

	// combined is the familiarity of an output layer or, of other learners, several scores joined by combine.
	combined score = "combined"
)

var (
	scores = []score{probability, confidence, entropy, mutual, firstLayer, mahalanobis, density, combined}
	parts  = []score{entropy, mutual, mahalanobis, firstLayer}
)

// Words returns the words of all scores.
func (score) Words() []string { return field.Words(scores...) }

type scorer struct {
	*learner.Result
	hidden     []relative // Gaussians for each member; nil: no score needs them, or no hidden layers
	validation predictions

	// record has test-then-train predictions of the last examples, as many as the validation part has. It is
	// empty without promises, and for batch learning and several passes.
	record selective.Record
}

// relative has the Gaussians of the relative Mahalanobis distance, of each class and of all examples.
type relative struct{ classes, overall *classgaussian.Model }

func (m *scorer) fitHidden(train *data.Examples) {
	m.PredictEach(m.Scaler.Apply(train), func(i int, _ []float64, p learner.Prediction) (err error) {
		for k, layers := range p.Members {
			h := layers[len(layers)-1].Input
			if k == len(m.hidden) {
				var r relative // New does not fail, as there are units and classes
				r.classes, _ = classgaussian.New(classgaussian.Config{}, len(h), m.Classes, nil)
				r.overall, _ = classgaussian.New(classgaussian.Config{}, len(h), 1, nil)
				m.hidden = append(m.hidden, r)
			}
			err = cmp.Or(err, m.hidden[k].classes.Observe(h, train.Class(i)), m.hidden[k].overall.Observe(h, 0))
		}
		return err
	})
}

type predictions struct {
	top   []int // the most probable class of each example
	wrong []bool
	by    map[score][]float64 // confidences by score; nil: the learner lacks the score
}

// addScores adds the scores of a prediction at x, except those that need all examples.
func (m *scorer) addScores(a predictions, x []float64, p learner.Prediction) error {
	largest := kernel.Log(float64(len(p.P)))
	values := map[score]float64{
		probability: floats.Max(p.P), confidence: p.Confidence,
		entropy: 1 - kernel.Entropy(p.P, 1)/largest, mutual: 1 - p.MutualInformation/largest,
	}
	if g, ok := m.Learners[0].(*classgaussian.Model); ok {
		var err error
		if values[density], err = g.LogDensity(x); err != nil {
			return err
		}
	}
	var first, distance float64
	each, overall, members := make([]float64, m.Classes), make([]float64, 1), float64(len(m.hidden))
	for k, r := range m.hidden {
		h, variance := p.Members[k][len(p.Members[k])-1].Input, p.Members[k][0].Variance
		if err := cmp.Or(r.classes.Distances(each, h), r.overall.Distances(overall, h)); err != nil {
			return err
		}
		sum := 0.0
		for _, v := range variance {
			sum -= kernel.Log(max(v, math.SmallestNonzeroFloat64)) / float64(len(variance))
		}
		first, distance = first+sum, distance+(overall[0]-floats.Min(each))
	}
	values[firstLayer], values[mahalanobis] = first/members, distance/members
	for s, value := range values {
		if !math.IsNaN(value) { // the learner has this score
			a.by[s] = append(a.by[s], value)
		}
	}
	return nil
}

// predict returns the predictions. If the learner fails, all confidences and classes are 0.
func (m *scorer) predict(e *data.Examples) predictions {
	e = m.Scaler.Apply(e)
	a, layer := predictions{by: map[score][]float64{}}, m.Readout()
	var inputs [][]float64 // inputs of the output layer
	ok := m.PredictEach(e, func(_ int, x []float64, p learner.Prediction) error {
		if a.top = append(a.top, floats.MaxIdx(p.P)); layer != nil {
			inputs = append(inputs, slices.Clone(x))
		}
		return m.addScores(a, x, p)
	})
	if ok && layer != nil && e.Len() > 0 {
		var err error
		a.by[combined], a.by[density], err = layer.Familiarity(inputs, a.top)
		for i, p := range a.by[combined] {
			if math.IsNaN(p) { // too few examples of the class were learned
				a.by[combined][i] = 0
			}
		}
		ok = err == nil
	}
	if !ok || e.Len() == 0 {
		a.top = make([]int, e.Len())
		for _, s := range scores {
			a.by[s] = make([]float64, e.Len())
		}
	}
	for i, class := range a.top {
		a.wrong = append(a.wrong, class != e.Class(i))
	}
	if layer == nil {
		m.combine(a)
	}
	return a
}

// combine sets the combined score if at least two of the scores in parts exist: the sum of log p over these
// scores (Fisher 1925), where p is the share of the validation part, with the example itself, whose score is
// no larger.
func (m *scorer) combine(a predictions) {
	delete(a.by, combined)
	reference := m.validation.by
	if reference == nil { // a is the validation part
		reference = a.by
	}
	present := slices.DeleteFunc(slices.Clone(parts), func(s score) bool { return a.by[s] == nil })
	if len(present) < 2 {
		return
	}
	sum := make([]float64, len(a.wrong))
	for _, s := range present {
		sorted := slices.Sorted(slices.Values(reference[s]))
		for i, x := range a.by[s] {
			below := sort.Search(len(sorted), func(k int) bool { return sorted[k] > x })
			sum[i] += kernel.Log(float64(1+below) / float64(1+len(sorted)))
		}
	}
	a.by[combined] = sum
}
