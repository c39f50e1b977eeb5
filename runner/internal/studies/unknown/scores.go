package unknown

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/classgaussian"
	"closedform/core/bnn"
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

	// combined is the familiarity of an output layer, or else the function combine of parts.
	combined score = "combined"
)

var (
	scores = []score{probability, entropy, mutual, firstLayer, mahalanobis, density, combined}
	parts  = []score{entropy, mutual, mahalanobis, firstLayer}
)

// scorer is a learner with the scores of its predictions.
type scorer struct {
	*learner.Result
	wanted     []score
	hidden     []relative // by member
	validation predictions

	// How the learner predicted the examples of the second half of the pass before it learned them. The record
	// is empty without promises, and of what learns all examples at once or in several passes.
	record bnn.TrackRecord
}

// relative is the relative Mahalanobis distance.
type relative struct{ classes, all *classgaussian.Model }

func newGaussian(inputs, classes int) *classgaussian.Model {
	m, err := classgaussian.New(classgaussian.Config{Inputs: inputs, Classes: classes}, nil)
	if err != nil {
		panic(err) // a layer and its learner have both
	}
	return m
}

// fit sets the learner, with moments of the hidden means of the training examples if a score needs them.
func (m *scorer) fit(r *learner.Result, wanted []score, train *data.Examples) {
	m.Result, m.wanted = r, append(slices.Clone(wanted), probability)
	if slices.Contains(wanted, combined) {
		m.wanted = append(m.wanted, parts...)
	}
	if r.Readout() != nil || !slices.Contains(m.wanted, mahalanobis) {
		return
	}
	r.PredictEach(r.Scaler.Apply(train), func(i int, _ []float64, p learner.Prediction) error {
		for k, layers := range p.Members {
			h := layers[len(layers)-1].Input
			if k == len(m.hidden) {
				m.hidden = append(m.hidden, relative{newGaussian(len(h), r.Classes), newGaussian(len(h), 1)})
			}
			d := m.hidden[k]
			if err := cmp.Or(d.classes.Observe(h, train.Class(i)), d.all.Observe(h, 0)); err != nil {
				return err
			}
		}
		return nil
	})
}

// nearness returns max_c (d_0 − d_c).
func (r *relative) nearness(h []float64, classes int) (float64, error) {
	each, all := make([]float64, classes), make([]float64, 1)
	err := cmp.Or(r.classes.Distances(each, h), r.all.Distances(all, h))
	return all[0] - floats.Min(each), err
}

// value returns a score, NaN if the learner does not have it.
func (m *scorer) value(s score, x []float64, a learner.Prediction) (float64, error) {
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

// predictions say which are wrong, and have the confidence in them by the scores that the learner has.
type predictions struct {
	wrong []bool
	by    map[score][]float64
}

// predict returns the predictions. If the learner breaks down, all confidences are 0, and all are class 0.
func (m *scorer) predict(e *data.Examples) predictions {
	e = m.Scaler.Apply(e)
	a := predictions{by: map[score][]float64{}}
	var inputs [][]float64 // of the output layer
	var top []int          // the most probable classes
	layer := m.Readout()
	ok := m.PredictEach(e, func(_ int, x []float64, p learner.Prediction) error {
		top = append(top, floats.MaxIdx(p.P))
		if layer != nil {
			inputs = append(inputs, slices.Clone(x))
		}
		for _, s := range scores {
			if !slices.Contains(m.wanted, s) {
				continue
			}
			value, err := m.value(s, x, p)
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
		top = make([]int, e.Len())
		for _, s := range m.wanted {
			a.by[s] = make([]float64, e.Len())
		}
	}
	for i, class := range top {
		a.wrong = append(a.wrong, class != e.Class(i))
	}
	if layer == nil {
		m.combine(a)
	}
	return a
}

// combine sets the combined score, of two parts or more: the sum of log p over these (Fisher 1925). p is the share
// of the validation part, and of the example itself, whose score is no larger than that of the example.
func (m *scorer) combine(a predictions) {
	delete(a.by, combined)
	reference := m.validation.by
	if reference == nil { // a is the validation part
		reference = a.by
	}
	have := slices.DeleteFunc(slices.Clone(parts), func(s score) bool { return a.by[s] == nil })
	if len(have) < 2 {
		return
	}
	sum := make([]float64, len(a.wrong))
	for _, s := range have {
		sorted := slices.Sorted(slices.Values(reference[s]))
		for i, x := range a.by[s] {
			below := sort.Search(len(sorted), func(k int) bool { return sorted[k] > x })
			sum[i] += kernel.Log(float64(1+below) / float64(1+len(sorted)))
		}
	}
	a.by[combined] = sum
}
