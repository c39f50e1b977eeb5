package unknown

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/classgaussian"
	"closedform/internal/kernel"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
)

// score is a measure of how sure a learner may be of its prediction. The larger it is, the surer; no two
// scores have the same scale.
type score string

const (
	probability score = "probability"        // the largest probability
	entropy     score = "entropy"            // one minus the entropy of the probabilities, over its largest value
	mutual      score = "mutual-information" // the same of the mutual information of label and member

	// firstLayer is minus the mean logarithm of the variances of the first layer's
	// pre-activations xᵀΣ_jx: how far x is out where the weights have learned little. The
	// logarithm gives neurons of all scales one voice.
	firstLayer score = "first-layer-variance"

	// mahalanobis is max_c (d_0 − d_c) of the squared Mahalanobis distances of the means that
	// the last hidden layer hands on from those of the classes, with their covariance about
	// these, and from that of all, with all of it (Ren et al. 2021).
	mahalanobis score = "relative-mahalanobis"

	// density is the log density of the input, or of an output layer that of the most probable class.
	density score = "density"

	// combined is the familiarity of an output layer, or else the function combine of those scores that the
	// manifest names.
	combined score = "combined"
)

var scores = []score{probability, entropy, mutual, firstLayer, mahalanobis, density, combined}

// monitor is a learner with what its scores need.
type monitor struct {
	*learner.Classifier
	scores, parts []score      // those that are wanted, and those that combined is made of
	hidden        []relative   // by member
	validation    *predictions // the first
}

// relative is the relative Mahalanobis distance.
type relative struct{ classes, all *classgaussian.Model }

// observeHidden fits moments to the hidden means of the training examples, if a score needs them.
func (m *monitor) observeHidden(train *data.Examples) {
	if !slices.Contains(append(m.parts, m.scores...), mahalanobis) {
		return
	}
	m.PredictEach(train, func(i int, _ []float64, a learner.Prediction) error {
		for k, layers := range a.Members {
			h := layers[len(layers)-1].Input
			if k == len(m.hidden) {
				m.hidden = append(m.hidden, newRelative(len(h), m.Classes))
			}
			of := m.hidden[k]
			if err := cmp.Or(of.classes.Observe(h, train.Class(i)), of.all.Observe(h, 0)); err != nil {
				return err
			}
		}
		return nil
	})
}

func newRelative(inputs, classes int) relative {
	of := func(classes int) *classgaussian.Model {
		m, err := classgaussian.New(classgaussian.Config{Inputs: inputs, Classes: classes}, nil)
		if err != nil {
			panic(err) // a layer and its learner have both
		}
		return m
	}
	return relative{of(classes), of(1)}
}

// nearness returns max_c (d_0 − d_c).
func (r *relative) nearness(h []float64, classes int) (float64, error) {
	each, all := make([]float64, classes), make([]float64, 1)
	err := cmp.Or(r.classes.Distances(each, h), r.all.Distances(all, h))
	return all[0] - floats.Min(each), err
}

// value returns a score, NaN if the learner does not have it.
func (m *monitor) value(s score, x []float64, a learner.Prediction) (float64, error) {
	switch s {
	case probability:
		return floats.Max(a.P), nil
	case entropy:
		return 1 - kernel.Entropy(a.P, 1)/kernel.Log(float64(len(a.P))), nil
	case mutual:
		return 1 - a.MutualInformation/kernel.Log(float64(len(a.P))), nil
	case density:
		if l, ok := m.Learner.(*classgaussian.Model); ok {
			return l.LogDensity(x)
		}
	case mahalanobis, firstLayer: // the mean of the members
		sum := 0.0
		for k, layers := range a.Members {
			x, err := minusLog(layers[0].Variance), error(nil)
			if s == mahalanobis {
				x, err = m.hidden[k].nearness(layers[len(layers)-1].Input, m.Classes)
			}
			if err != nil {
				return 0, err
			}
			sum += x
		}
		return sum / float64(len(a.Members)), nil // NaN without members
	}
	return math.NaN(), nil
}

// minusLog returns minus the mean logarithm of variances.
func minusLog(variance []float64) (sum float64) {
	for _, v := range variance {
		sum -= kernel.Log(max(v, math.SmallestNonzeroFloat64)) / float64(len(variance))
	}
	return sum
}

// predictions are those of some examples, and how sure the learner is of them.
type predictions struct {
	p      [][]float64
	class  []int  // 0 where the true class is not one of those that were learned
	wrong  []bool // whether another class is the most probable one
	scores []score
	by     map[score][]float64
}

// predict returns the predictions, with those of the scores that the learner has. One that
// breaks down is certain of nothing: all are 0.
func (m *monitor) predict(e *data.Examples) predictions {
	a := predictions{by: map[score][]float64{}}
	wanted := slices.Compact(slices.Sorted(slices.Values(slices.Concat(m.scores, m.parts))))
	var inputs [][]float64 // of the output layer
	var top []int          // the most probable classes
	layer := m.Readout()
	ok := m.PredictEach(e, func(_ int, x []float64, answer learner.Prediction) error {
		a.p, top = append(a.p, answer.P), append(top, floats.MaxIdx(answer.P))
		if layer != nil {
			inputs = append(inputs, slices.Clone(x))
		}
		for _, s := range wanted {
			value, err := m.value(s, x, answer)
			if err != nil {
				return err
			}
			if !math.IsNaN(value) {
				a.by[s] = append(a.by[s], value)
			}
		}
		return nil
	})
	if ok && layer != nil && e.Len() > 0 {
		var err error
		a.by[combined], a.by[density], err = layer.Familiarity(inputs, top)
		for i, p := range a.by[combined] {
			if math.IsNaN(p) { // too few examples of the class were learned
				a.by[combined][i] = 0
			}
		}
		ok = err == nil
	}
	if !ok || e.Len() == 0 {
		a.p = learner.Equal(e.Len(), m.Classes)
		for _, s := range wanted {
			a.by[s] = make([]float64, e.Len())
		}
	}
	for i, p := range a.p {
		a.class = append(a.class, e.Class(i))
		a.wrong = append(a.wrong, floats.MaxIdx(p) != a.class[i])
	}
	if layer == nil {
		m.combine(&a)
	}
	a.scores = a.have(m.scores)
	return a
}

// combine sets the combined score, of two scores or more: the sum of log p over these (Fisher 1925). p is the
// share of the first predictions, and of the example itself, whose score is no larger than that of the example.
func (m *monitor) combine(a *predictions) {
	delete(a.by, combined)
	if m.validation == nil {
		m.validation = a
	}
	parts := a.have(m.parts)
	if len(parts) < 2 {
		return
	}
	sum := make([]float64, len(a.p))
	for _, s := range parts {
		tail := slices.Sorted(slices.Values(m.validation.by[s]))
		for i, x := range a.by[s] {
			below := sort.Search(len(tail), func(k int) bool { return tail[k] > x })
			sum[i] += kernel.Log(float64(1+below) / float64(1+len(tail)))
		}
	}
	a.by[combined] = sum
}

// have returns those of the scores that the learner has.
func (a predictions) have(of []score) []score {
	return slices.DeleteFunc(slices.Clone(of), func(s score) bool { return a.by[s] == nil })
}
