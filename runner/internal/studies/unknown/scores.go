package unknown

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/classgaussian"
	"closedform/core/bnn"
	"closedform/internal/kernel"
	"closedform/runner/internal/confidence"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
)

// score is as in the package confidence, which has those of output layers.
type score = confidence.Score

const (
	probability       = confidence.Probability
	entropy           = confidence.Entropy           // bnn.EntropyBased
	epistemic   score = "epistemic"                  // bnn.Epistemic
	mutual            = confidence.MutualInformation // bnn.MutualInformation

	// firstLayer is minus the mean logarithm of the variances of the first layer's
	// pre-activations xᵀΣ_jx: how far x is out where the weights have learned little. The
	// logarithm gives neurons of all scales one voice.
	firstLayer score = "first-layer-variance"

	// mahalanobis is max_c (d_0 − d_c) of the squared Mahalanobis distances of the means that
	// the last hidden layer hands on from those of the classes, with their covariance about
	// these, and from that of all, with all of it (Ren et al. 2021).
	mahalanobis score = "relative-mahalanobis"

	// logitVariance is minus the mean variance of the logits, v_j = ŷᵀΣŷ of the last layer. It
	// is upside down, and means nothing by itself: it goes as |ŷ|², and what is foreign moves
	// fewer hidden units. relativeLogit is that over |ŷ|², which is the right way up.
	logitVariance score = "logit-variance"
	relativeLogit score = "relative-logit-variance"

	density = confidence.Density // also the log density of the input, of another method that has it

	// combined is also, of a method without an output layer, [confidence.Examples.Combine] over the scores of the key
	// combine, with all examples for validation as one group.
	combined = confidence.Combined
)

var scores = slices.Concat(
	[]score{probability, entropy, epistemic, mutual, firstLayer, mahalanobis, logitVariance, relativeLogit, combined}, confidence.OfLayer)

// monitor is a learner with what its scores need.
type monitor struct {
	*learner.Tolerant
	settings
	hidden     []relative   // by member
	validation *predictions // of the part for validation
}

// relative is the relative Mahalanobis distance.
type relative struct {
	classes, all *classgaussian.Model
	distance     []float64
}

// newMonitor fits moments to the hidden means of the training examples.
func newMonitor(l *learner.Tolerant, s settings, train *data.Examples) *monitor {
	m := &monitor{Tolerant: l, settings: s}
	if !slices.Contains(append(s.Combine, s.Scores...), mahalanobis) {
		return m
	}
	l.Look(train, func(i int, _ []float64, a learner.Answer) error {
		for k, layers := range a.Members {
			h := layers[len(layers)-1].Input
			if k == len(m.hidden) {
				m.hidden = append(m.hidden, newRelative(len(h), l.Classes))
			}
			of := m.hidden[k]
			if err := cmp.Or(of.classes.Observe(h, train.Class(i)), of.all.Observe(h, 0)); err != nil {
				return err
			}
		}
		return nil
	})
	return m
}

func newRelative(inputs, classes int) relative {
	of := func(classes int) *classgaussian.Model {
		m, err := classgaussian.New(classgaussian.Config{Inputs: inputs, Classes: classes}, nil)
		if err != nil {
			panic(err) // a layer and its learner have both
		}
		return m
	}
	return relative{of(classes), of(1), make([]float64, classes)}
}

// nearness returns max_c (d_0 − d_c).
func (r *relative) nearness(h []float64) (float64, error) {
	if err := r.classes.Distances(r.distance, h); err != nil {
		return 0, err
	}
	nearest := floats.Min(r.distance)
	err := r.all.Distances(r.distance[:1], h)
	return r.distance[0] - nearest, err
}

// of returns a score, NaN if the learner does not have it.
func (m *monitor) of(s score, x []float64, a learner.Answer) (value float64, err error) {
	value = math.NaN()
	largest := kernel.Log(float64(len(a.P)))
	switch s {
	case probability:
		value = floats.Max(a.P)
	case entropy:
		value = 1 - kernel.Entropy(a.P, 1)/largest
	case mutual:
		value = 1 - a.MutualInformation/largest
	case epistemic:
		if l, ok := m.Learner.(learner.Epistemic); ok {
			value, err = l.Epistemic(x)
		}
	case density:
		if l, ok := m.Learner.(learner.Density); ok {
			value, err = l.LogDensity(x)
		}
	case mahalanobis:
		value, err = mean(a, func(k int, l []bnn.Layer) (float64, error) {
			return m.hidden[k].nearness(l[len(l)-1].Input)
		})
	case firstLayer:
		value, err = mean(a, func(_ int, l []bnn.Layer) (sum float64, _ error) {
			for _, v := range l[0].Variance {
				sum -= kernel.Log(max(v, math.SmallestNonzeroFloat64)) / float64(len(l[0].Variance))
			}
			return sum, nil
		})
	case logitVariance, relativeLogit:
		value, err = mean(a, func(_ int, l []bnn.Layer) (float64, error) {
			v, h := l[len(l)-1].Variance, l[len(l)-1].Input
			x := -kernel.Sum(v) / float64(len(v))
			if s == relativeLogit {
				x /= max(kernel.Dot(h, h), math.SmallestNonzeroFloat64)
			}
			return x, nil
		})
	}
	return value, err
}

// mean returns that of the members, NaN if there is none.
func mean(a learner.Answer, of func(k int, layers []bnn.Layer) (float64, error)) (float64, error) {
	var sum float64
	for k, layers := range a.Members {
		x, err := of(k, layers)
		if err != nil {
			return 0, err
		}
		sum += x
	}
	return sum / float64(len(a.Members)), nil
}

// predictions are those of some examples, and how sure the learner is of them.
type predictions struct {
	p      [][]float64
	class  []int  // 0 where the true class is not one of those that were learned
	top    []int  // the most probable class
	wrong  []bool // whether that is another one
	scores []score
	by     map[score][]float64
}

// predict returns the predictions, with those of the scores that the learner has. One that
// breaks down is certain of nothing: all are 0.
func (m *monitor) predict(e *data.Examples) predictions {
	a := predictions{by: map[score][]float64{}}
	for i := range e.Len() {
		a.class = append(a.class, e.Class(i))
	}
	wanted := slices.Clone(m.Scores)
	for _, s := range m.Combine {
		if !slices.Contains(wanted, s) {
			wanted = append(wanted, s)
		}
	}
	var inputs [][]float64 // of the output layer
	layer := m.Readout()
	ok := m.Look(e, func(_ int, x []float64, answer learner.Answer) error {
		a.p, a.top = append(a.p, slices.Clone(answer.P)), append(a.top, floats.MaxIdx(answer.P))
		if layer != nil {
			inputs = append(inputs, slices.Clone(x))
		}
		for _, s := range wanted {
			value, err := m.of(s, x, answer)
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
		ok = confidence.Layer(a.by, layer, inputs, a.top) == nil
	}
	if !ok || e.Len() == 0 {
		a.p, a.top = learner.Equal(e.Len(), m.Classes), make([]int, e.Len())
		for _, s := range wanted {
			a.by[s] = make([]float64, e.Len())
		}
	}
	for i, top := range a.top {
		a.wrong = append(a.wrong, top != a.class[i])
	}
	m.combine(&a)
	a.scores = a.have(m.Scores)
	return a
}

// combine sets the combined score, that of an output layer or of two scores or more. The first predictions are
// those of the part for validation.
func (m *monitor) combine(a *predictions) {
	delete(a.by, combined)
	if m.validation == nil {
		m.validation = a
	}
	if len(a.have(confidence.OfLayer)) == len(confidence.OfLayer) {
		a.by[combined] = a.in(a.top).Combine(confidence.OfLayer, m.validation.in(m.validation.top))
	} else if parts := a.have(m.Combine); len(parts) > 1 {
		one := func(a *predictions) confidence.Examples { return a.in(make([]int, len(a.p))) }
		a.by[combined] = one(a).Combine(parts, one(m.validation))
	}
}

// in returns the scores of examples in groups.
func (a *predictions) in(group []int) confidence.Examples {
	return confidence.Examples{By: a.by, Group: group}
}

// have returns those of the scores that the learner has.
func (a predictions) have(of []score) []score {
	return slices.DeleteFunc(slices.Clone(of), func(s score) bool { return a.by[s] == nil })
}

// standing returns the score that the manifest names or, of a method without it, the density of the input, or the
// first that it has.
func (a predictions) standing(named score) score {
	return append(a.have([]score{named, density}), a.scores[0])[0]
}
