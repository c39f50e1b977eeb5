package unknown

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/classgaussian"
	"closedform/core/bnn"
	"closedform/core/readout"
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

	// logitVariance is minus the mean variance of the logits, v_j = ŷᵀΣŷ of the last layer. It goes as |ŷ|², and
	// out-of-distribution inputs move fewer hidden units, so it is lower there. relativeLogit is that over |ŷ|².
	logitVariance score = "logit-variance"
	relativeLogit score = "relative-logit-variance"

	// density is the log density of the input, or of an output layer that of the most probable class c, with
	// output = "ridge" of Gaussians with one covariance.
	density      score = "density"
	densityRatio score = "density-ratio" // density less the log density of one Gaussian of all examples
	ridge        score = "ridge"         // the largest output of the ridge regression
	ridgeDensity score = "ridge-density" // log density of c on the outputs of the regression

	// combined is the function combine of the scores of an output layer, with the validation examples of the same
	// most probable class as reference, or else of those that the manifest names, with all validation examples.
	combined score = "combined"
)

var (
	ofLayer = []score{density, densityRatio, ridge, ridgeDensity} // those of [readout.Layer.Scores]
	scores  = slices.Concat([]score{probability, entropy, mutual, firstLayer, mahalanobis, logitVariance, relativeLogit, combined}, ofLayer)
)

// monitor is a learner with what its scores need.
type monitor struct {
	*learner.Tolerant
	scores, parts []score      // those that are wanted, and those that combined is made of
	raw           bool         // entropy and mutual information are minus these, for the order alone
	hidden        []relative   // by member
	validation    *predictions // the first
}

// relative is the relative Mahalanobis distance.
type relative struct {
	classes, all *classgaussian.Model
	distance     []float64
}

// observeHidden fits moments to the hidden means of the training examples, if a score needs them.
func (m *monitor) observeHidden(train *data.Examples) {
	if !slices.Contains(append(m.parts, m.scores...), mahalanobis) {
		return
	}
	m.Look(train, func(i int, _ []float64, a learner.Answer) error {
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
func (m *monitor) of(s score, x []float64, a learner.Answer) (float64, error) {
	most, unit := 1., kernel.Log(float64(len(a.P)))
	if m.raw {
		most, unit = 0, 1
	}
	switch s {
	case probability:
		return floats.Max(a.P), nil
	case entropy:
		return most - kernel.Entropy(a.P, 1)/unit, nil
	case mutual:
		return most - a.MutualInformation/unit, nil
	case density:
		if l, ok := m.Learner.(*classgaussian.Model); ok {
			return l.LogDensity(x)
		}
	case mahalanobis:
		return mean(a, func(k int, _, last bnn.Layer) (float64, error) { return m.hidden[k].nearness(last.Input) })
	case firstLayer:
		return mean(a, func(_ int, first, _ bnn.Layer) (sum float64, _ error) {
			for _, v := range first.Variance {
				sum -= kernel.Log(max(v, math.SmallestNonzeroFloat64)) / float64(len(first.Variance))
			}
			return sum, nil
		})
	case logitVariance, relativeLogit:
		return mean(a, func(_ int, _, last bnn.Layer) (float64, error) {
			x := -kernel.Sum(last.Variance) / float64(len(last.Variance))
			if s == relativeLogit {
				x /= max(kernel.Dot(last.Input, last.Input), math.SmallestNonzeroFloat64)
			}
			return x, nil
		})
	}
	return math.NaN(), nil
}

// mean returns that of the members, of their first and last layers, NaN if there is none.
func mean(a learner.Answer, of func(k int, first, last bnn.Layer) (float64, error)) (float64, error) {
	var sum float64
	for k, layers := range a.Members {
		x, err := of(k, layers[0], layers[len(layers)-1])
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
	wanted := slices.Compact(slices.Sorted(slices.Values(slices.Concat(m.scores, m.parts))))
	var inputs [][]float64 // of the output layer
	layer := m.Readout()
	ok := m.Look(e, func(_ int, x []float64, answer learner.Answer) error {
		a.p, a.top = append(a.p, answer.P), append(a.top, floats.MaxIdx(answer.P))
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
		ok = a.addLayer(layer, inputs) == nil
	}
	if !ok || e.Len() == 0 {
		a.p, a.top = learner.Equal(e.Len(), m.Classes), make([]int, e.Len())
		for _, s := range wanted {
			a.by[s] = make([]float64, e.Len())
		}
	}
	for i, top := range a.top {
		a.class = append(a.class, e.Class(i))
		a.wrong = append(a.wrong, top != a.class[i])
	}
	m.combine(&a)
	a.scores = a.have(m.scores)
	return a
}

// addLayer adds the scores of an output layer.
func (a *predictions) addLayer(l *readout.Layer, x [][]float64) error {
	all, err := l.Scores(x, a.top)
	for _, scores := range all {
		for k, value := range scores {
			a.by[ofLayer[k]] = append(a.by[ofLayer[k]], value)
		}
	}
	return err
}

// combine sets the combined score, that of an output layer or of two scores or more. The first predictions are
// those of the part for validation.
func (m *monitor) combine(a *predictions) {
	delete(a.by, combined)
	if m.validation == nil {
		m.validation = a
	}
	if len(a.have(ofLayer)) == len(ofLayer) {
		a.by[combined] = a.combine(ofLayer, m.validation, func(p *predictions, i int) int { return p.top[i] })
	} else if parts := a.have(m.parts); len(parts) > 1 {
		a.by[combined] = a.combine(parts, m.validation, func(*predictions, int) int { return 0 })
	}
}

// combine returns the sum over some scores of log p (Fisher 1925). p is the share of the reference examples
// of the same group, and of the example itself, whose score is no larger than that of the example.
func (a *predictions) combine(of []score, reference *predictions, group func(of *predictions, i int) int) []float64 {
	sum := make([]float64, len(a.p))
	for _, s := range of {
		tails := map[int][]float64{}
		for i := range reference.p {
			g := group(reference, i)
			tails[g] = append(tails[g], reference.by[s][i])
		}
		for _, tail := range tails {
			slices.Sort(tail)
		}
		for i, x := range a.by[s] {
			tail := tails[group(a, i)]
			below := sort.Search(len(tail), func(k int) bool { return tail[k] > x })
			sum[i] += kernel.Log(float64(1+below) / float64(1+len(tail)))
		}
	}
	return sum
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
