package study

import (
	"math/rand/v2"
	"slices"

	"closedform/runner/internal/manifest"
)

// A classifier puts the predictive probabilities of the classes at x into p.
type classifier interface {
	Predict(p, x []float64) error
}

// online is a classifier that learns one example after the other.
type online interface {
	classifier
	Observe(x []float64, class int) error
}

// enrol returns a pupil that learns by the method with these hyper-parameters.
func enrol(m *manifest.Method, hyper map[string]float64, inputs, classes int, src rand.Source) (pupil, error) {
	if m.Kind == "closed-form" {
		model := m.Model
		model.HiddenLayers = m.HiddenLayers
		model.PriorVar, model.PriorMeanVar = hyper["prior_var"], hyper["prior_mean_var"]
		network, err := newNetwork(model.For(inputs, classes), lambdaValue(model.Lambda, classes, model.Rho), src)
		if err != nil {
			return nil, err
		}
		l := &learner{network: network, classes: classes}
		l.forget(hyper["process_noise"], slices.Contains(model.Covariance, "full"))
		return l, nil
	}
	r := &rival{classes: classes}
	var err error
	r.model, r.fit, err = newRival(m, hyper, inputs, classes, src)
	return r, err
}

// rival is a pupil that learns otherwise than in closed form: one example after
// the other, or by fitting all examples together when it is first asked.
type rival struct {
	model   classifier
	fit     func(x [][]float64, class []int) (classifier, error) // nil if the model is online
	classes int
	x       [][]float64
	class   []int
	steps
}

func (r *rival) observe(x []float64, class int) {
	if r.failed {
		return
	}
	if r.fit == nil {
		r.failed = r.model.(online).Observe(x, class) != nil
		return
	}
	r.x, r.class = append(r.x, append([]float64(nil), x...)), append(r.class, class)
	r.model = nil
}

func (r *rival) labels(inputs [][]float64) [][]float64 {
	if r.model == nil && !r.failed {
		var err error
		r.model, err = r.fit(r.x, r.class)
		r.failed = err != nil
	}
	out := make([][]float64, len(inputs))
	for i, x := range inputs {
		out[i] = make([]float64, r.classes)
		r.failed = r.failed || r.model.Predict(out[i], x) != nil
		if r.failed {
			return equal(len(inputs), r.classes)
		}
	}
	return out
}

func (r *rival) done() steps { return r.steps }

var _ pupil = (*rival)(nil)
