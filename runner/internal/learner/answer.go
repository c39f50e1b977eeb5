package learner

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/internal/kernel"
	"closedform/runner/internal/table"
)

// Answer is what a learner says of one input.
type Answer struct {
	P                 []float64
	MutualInformation float64       // of the label and the member, in nats; NaN if the learner has no members
	Members           [][]bnn.Layer // of each member; nil if it has no layers of Gaussian weights
}

// Look has see look at the answers about all examples, one after another, unless the
// learner breaks down before or see returns an error, which is a break-down, too. x is what the
// learner sees: the features of the input, if there is a map.
func (t *Tolerant) Look(e Examples, see func(i int, x []float64, a Answer) error) (ok bool) {
	if !t.failed {
		t.note(chunks(e, func(first int, x [][]float64) error {
			return t.answers(x, func(i int, x []float64, a Answer) error { return see(first+i, x, a) })
		}))
	}
	return !t.failed
}

// Test returns the predictions of all examples, and their classes. Where the learner
// breaks down over one, all are equal probabilities.
func (t *Tolerant) Test(e Examples) (p [][]float64, class []int) {
	for i := range e.Len() {
		class = append(class, e.Class(i))
	}
	if !t.Look(e, func(_ int, _ []float64, a Answer) error {
		p = append(p, slices.Clone(a.P))
		return nil
	}) {
		p = Equal(e.Len(), t.Classes)
	}
	return p, class
}

// Probabilities returns the predictions at all inputs. If the learner breaks down
// over one of them, all are equal probabilities.
func (t *Tolerant) Probabilities(inputs [][]float64) [][]float64 {
	var out [][]float64
	if !t.failed {
		t.note(t.answers(inputs, func(_ int, _ []float64, a Answer) error {
			out = append(out, slices.Clone(a.P))
			return nil
		}))
	}
	if t.failed {
		return Equal(len(inputs), t.Classes)
	}
	return out
}

// Before returns the prediction of an example that is learned next, see [bnn.Model].
func (t *Tolerant) Before(x []float64) []float64 {
	n := networkOf(t)
	if n == nil || t.failed {
		return t.Probabilities([][]float64{x})[0]
	}
	seen, err := t.see([][]float64{x})
	if t.failed = err != nil || n.Model.Before(&n.prediction, seen[0]) != nil; t.failed {
		return Equal(1, t.Classes)[0]
	}
	p := make([]float64, t.Classes)
	normalise(p, &n.prediction)
	return p
}

// Variances returns the [Network.Variances] at all inputs. If the network breaks down over
// one, none is a number.
func (t *Tolerant) Variances(inputs [][]float64) (own, exact []float64) {
	own, exact = make([]float64, len(inputs)), make([]float64, len(inputs))
	for i := 0; i < len(inputs) && !t.failed; i++ {
		var err error
		own[i], exact[i], err = t.Learner.(*Network).Variances(inputs[i])
		t.failed = err != nil
	}
	if t.failed {
		return table.Gaps(len(inputs)), table.Gaps(len(inputs))
	}
	return own, exact
}

// chunks hands do the inputs of some examples after another, in room that it uses again, up
// to the first error: few of them are held as floating-point numbers.
func chunks(e Examples, do func(first int, x [][]float64) error) error {
	const most = 64
	room := make([][]float64, min(most, e.Len()))
	for i := range room {
		room[i] = make([]float64, e.Inputs())
	}
	for first := 0; first < e.Len(); first += most {
		x := room[:min(most, e.Len()-first)]
		for i := range x {
			e.Input(x[i], first+i)
		}
		if err := do(first, x); err != nil {
			return err
		}
	}
	return nil
}

// answers has see look at the answers about the inputs, one after another, up to the first error.
func (t *Tolerant) answers(x [][]float64, see func(i int, x []float64, a Answer) error) error {
	x, err := t.see(x)
	if err != nil {
		return err
	}
	if n, ours := t.Learner.(*Network); ours {
		a := Answer{P: make([]float64, t.Classes), MutualInformation: math.NaN()}
		return n.each(x, func(i int, p *bnn.Prediction) error {
			normalise(a.P, p)
			if len(p.Members) > 0 {
				a.MutualInformation = p.MutualInformation()
			}
			a.Members = layersOf(p)
			return see(i, x[i], a)
		})
	}
	members := []Learner{t.Learner}
	if e, ok := t.Learner.(*Ensemble); ok {
		members = e.Members
	}
	for first := 0; first < len(x); first += atOnce {
		all, err := mean(members, t.Classes, x[first:min(first+atOnce, len(x))])
		for i := 0; i < len(all) && err == nil; i++ {
			err = see(first+i, x[first+i], all[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mean returns the means of the members' answers about each input.
func mean(members []Learner, classes int, x [][]float64) ([]Answer, error) {
	q, all := slices.Collect(slices.Chunk(make([]float64, len(x)*classes), classes)), make([]Answer, len(x))
	for i := range all {
		all[i].P = make([]float64, classes)
	}
	weight := 1 / float64(len(members))
	for _, m := range members {
		layers, err := predictAll(m, q, x)
		if err != nil {
			return nil, err
		}
		for i := range all {
			a := &all[i]
			floats.AddScaled(a.P, weight, q[i])
			a.MutualInformation += weight * kernel.Entropy(q[i], 1)
			if layers != nil {
				a.Members = append(a.Members, layers[i])
			}
		}
	}
	for i := range all {
		a := &all[i]
		a.MutualInformation = max(0, kernel.Entropy(a.P, 1)-a.MutualInformation)
		if len(members) == 1 {
			a.MutualInformation = math.NaN()
		}
	}
	return all, nil
}

// predictAll sets p_i to the prediction of a baseline at x_i, for all inputs, and returns what its
// layers have made of each, if it has a method for that: predicting several inputs at once pays
// where the weights are larger than the caches.
func predictAll(l Predictor, p, x [][]float64) ([][]bnn.Layer, error) {
	if b, ok := l.(interface {
		PredictAll(p, x [][]float64) ([][]bnn.Layer, error)
	}); ok {
		return b.PredictAll(p, x)
	}
	for i := range x {
		if err := l.Predict(p[i], x[i]); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
