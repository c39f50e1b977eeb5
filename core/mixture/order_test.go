package mixture

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// fixed is a model of two classes that gives class 0 a probability of its own for what is learned next,
// for what it predicts, and for what is left out. It learns nothing.
type fixed struct{ before, now, leftOut float64 }

func (f *fixed) Shape() (inputs, classes int) { return 2, 2 }
func (f *fixed) AddClass() error              { return errors.New("no more classes") }

func (f *fixed) Observe(_ []float64, class int) (bnn.Update, error) {
	u := bnn.Update{LogP: math.Log(f.before), MinVariance: math.NaN(), MinEigenvalue: math.NaN()}
	if class == 1 {
		u.LogP = math.Log(1 - f.before)
	}
	return u, nil
}

func (f *fixed) Predict(dst *bnn.Prediction, _ []float64) error { return f.predict(dst, f.now) }

func (f *fixed) predict(dst *bnn.Prediction, p float64) error {
	*dst = bnn.Prediction{P: []float64{p, 1 - p}, Mean: make([]float64, 2), Variance: make([]float64, 2)}
	dst.Moments = softmax.NewMoments(2)
	copy(dst.Moments.P, dst.P)
	return nil
}

// layer is a model that is up to date before each example, and is left out of what it has learned.
type layer struct{ fixed }

func (l *layer) Before(dst *bnn.Prediction, _ []float64) error { return l.predict(dst, l.before) }

func (l *layer) PredictLeftOut(dst *bnn.Prediction, _ []float64, _ int) error {
	return l.predict(dst, l.leftOut)
}

// In a shuffled stream the weights are those along the stream, to the bit. In others what counts is how the
// examples of all classes are predicted in the end.
func TestOrderIsNoticed(t *testing.T) {
	for _, order := range []string{"shuffled", "sorted", "parts"} {
		for _, n := range []int{150, 600} {
			m := mixture(models()...)
			x, class := stream(n, order)
			for i := range x {
				check.Must(m.Observe(x[i], class[i]))
			}
			var p, q bnn.Prediction
			check.OK(t, errors.Join(m.Predict(&p, x[0]), m.Before(&q, x[0])))
			same := floats.Equal(p.Weights, q.Weights) && floats.Equal(p.P, q.P) &&
				floats.Equal(m.Weights(), q.Weights)
			what := fmt.Sprintf("%s, %d examples: weights %v are %v", order, n, p.Weights, q.Weights)
			check.Equal(t, what, same, order == "shuffled")
			m.Fix()
			check.NearAll(t, "fixed weights", m.Weights(), p.Weights, 0)
		}
	}
}

// Runs are noticed where they are long, as in runs of ten, and are no chance.
func TestRuns(t *testing.T) {
	for c, want := range map[[3]int]bool{ // by the lengths of runs and of the stream, and the classes
		{1, 1000, 2}: false, {2, 1000, 2}: false, {8, 1000, 10}: false, {8, 100000, 2}: false,
		{15, 1000, 10}: true, {15, 1000, 3}: true, {20, 40, 4}: true,
		{20, 20, 2}: false, {1000, 1000, 3}: false, {1, 1, 2}: false,
	} {
		var o Order
		for range c[2] {
			o.addClass()
		}
		for i := range c[1] {
			o.add(nil, i/c[0]%c[2], nil)
		}
		check.Equal(t, c, o.hasRuns(), want)
	}
	o := Order{Counts: make([]int, 2), Kept: make([][]Kept, 2)}
	check.Equal(t, "no examples", o.hasRuns(), false)
}

// A class is forgotten if its log probability falls by more than 1 and three standard errors.
func TestHasForgotten(t *testing.T) {
	fall := func(n int, by ...float64) bool {
		sample, now := make([]learned, 2*n), make([]float64, 2*n) // of two classes
		for i := range sample {
			sample[i] = learned{Kept: Kept{LogP: []float64{0, -1}}, class: i / n}
			if now[i] = -1; i < n {
				now[i] -= by[i%len(by)]
			}
		}
		return hasForgotten(sample, 1, now)
	}
	check.Equal(t, "forgotten", []bool{
		fall(4, 5), fall(5, 5), fall(5, -5), fall(50, 0.9), fall(50, 1.1), fall(50, 0, 2.5), fall(5, 0, 4),
		fall(9, 0, 4, 4), fall(6, math.Inf(1)), fall(40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 29),
	}, []bool{false, true, false, false, true, true, false, true, true, false})
}

// wrapper is a model within another one, such as a network behind features.
type wrapper struct {
	bnn.LeftOut
	bnn.Model
}

func (w wrapper) Unwrap() bnn.Model { return w.Model }

// What cannot be left out of a wrapped model cannot be left out of the wrapper.
func TestLeftOut(t *testing.T) {
	l := new(layer)
	check.True(t, leftOut(wrapper{l, l}) != nil && leftOut(wrapper{l, network(1, 2, 2)}) == nil, "leftOut")
}

// Weights follow from what members say now of kept examples, of a layer as if it had not learned them, each
// class by its share; the powers, too. A layer that says less than before has not forgotten.
func TestWeightsByKept(t *testing.T) {
	net, good := &fixed{0.5, 0.9, 0.5}, &layer{fixed{0.9, 0.3, 0.8}}
	m := mixture(net, good)
	const n = 240 // 180 of class 0, and then 60 of class 1
	for i := range n {
		check.Must(m.Observe([]float64{float64(i), 0}, i/180))
	}
	meanLogP := func(p float64) float64 { return 0.75*math.Log(p) + 0.25*math.Log(1-p) }
	weights, total := []float64{0, 0}, 0.0
	for a := range 5 {
		share := float64(a) / 4
		u := math.Exp(100 * meanLogP(share*0.9+(1-share)*0.8)) // of the 100 kept
		total += u
		floats.AddScaled(weights, u, []float64{share, 1 - share})
	}
	floats.Scale(1/total, weights)
	check.NearAll(t, "weights", m.Weights(), weights, 1e-9)

	mixed := weights[0]*0.9 + weights[1]*0.8
	power := func(tau, p float64) float64 { return math.Pow(p, tau) / (math.Pow(p, tau) + math.Pow(1-p, tau)) }
	var p bnn.Prediction
	check.OK(t, m.Predict(&p, []float64{1, 2}))
	now, want := weights[0]*0.9+weights[1]*0.3, 0.0
	total = 0
	for _, tau := range powers {
		u := math.Exp(100 * meanLogP(power(tau, mixed)))
		total += u
		want += u * power(tau, now)
	}
	check.Near(t, "p", p.P[0], want/total, 1e-9)

	alone := mixture(&layer{fixed{0.9, 0.3, 0.1}}, &fixed{0.5, 0.5, 0.5})
	for i := range n {
		check.Must(alone.Observe([]float64{float64(i), 0}, i%2))
	}
	check.NearAll(t, "the layer is less certain than before", alone.Weights(), alone.stream.members.weight, 0)
}

// The kept examples are a sample in which every example of a class has the same probability.
func TestKeptIsFair(t *testing.T) {
	const classes = 30
	var o Order
	for range classes {
		o.addClass()
	}
	var tenth [10]int
	for c := range classes - 1 {
		for i := range 500 {
			o.add([]float64{float64(i)}, c, []float64{math.Inf(-1)})
		}
		for _, e := range o.Kept[c] {
			tenth[int(e.X[0])/50]++
		}
	}
	for i, n := range tenth { // 145 are expected, with a standard deviation of 11
		check.True(t, n >= 110 && n <= 180, "%d of tenth %d: %v", n, i, tenth)
	}
	got := []any{len(o.Kept[0]), len(o.Kept[classes-1]), o.Kept[0][0].LogP[0], o.Counts[3], o.Same}
	check.Equal(t, "kept", got, []any{mostKept, 0, -10., 500, 499 * (classes - 1)})
}

// Predictions between the examples of a sorted stream, and before a class is added, leave no trace: each is by
// the weights of its moment.
func TestPredictBetweenExamples(t *testing.T) {
	x, class := stream(200, "sorted")
	alone, asked := mixture(models()...), mixture(models()...)
	var p, q bnn.Prediction
	for i := range x {
		check.Must(alone.Observe(x[i], class[i]))
		check.Must(asked.Observe(x[i], class[i]))
		check.OK(t, asked.Predict(&q, x[0]))
	}
	for _, change := range []func(m *Mixture) error{func(*Mixture) error { return nil }, (*Mixture).AddClass} {
		check.OK(t, change(alone))
		check.OK(t, change(asked))
		check.OK(t, asked.Predict(&q, x[0]))
	}
	check.OK(t, alone.Predict(&p, x[0]))
	check.NearAll(t, "P", q.P, p.P, 0)
	check.NearAll(t, "weights", asked.Weights(), alone.Weights(), 0)
}
