package classifier

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"closedform/core/features"
	"closedform/core/mixture"
	"closedform/core/random"
	"closedform/core/readout"
	"closedform/core/selective"
	check "closedform/internal/checktest"
)

// A row is a repetition if it is, with its class, among the latest, also after a file. Numbers count with
// their signs, but for 0.
func TestRepeats(t *testing.T) {
	var r, again repeats
	for i := range mostRows + 1 {
		r.add([]float64{float64(i)}, 0)
	}
	check.OK(t, json.Unmarshal(check.Must(json.Marshal(r)), &again))
	for _, r := range []*repeats{&r, &again} {
		var got []bool // each row takes the place of row 1, 2, …, 8
		for _, row := range []float64{5, 0, 1, 5, mostRows, 5, math.Copysign(0, -1)} {
			got = append(got, r.add([]float64{row}, 0))
		}
		got = append(got, r.add([]float64{mostRows}, 1), r.add([]float64{-5}, 0))
		check.Equal(t, "among the latest", got, []bool{true, false, false, true, true, true, true, false, false})
	}
}

// The record has the predictions before learning: for the next examples by the model along the stream, for a
// snapshot with its weights.
func TestRecord(t *testing.T) {
	c, rnd := newTriangle(), rand.New(random.Source("record"))
	var next, whole selective.Record
	var p Prediction
	for i := range 600 { // the labels change after 400
		x, class := []float64{rnd.NormFloat64(), rnd.NormFloat64()}, 0
		if (x[0] > 0) != (i >= 400) {
			class = 1
		}
		check.OK(t, c.Predict(&p, x))
		if i >= 496 { // 16 + 32 + … + 256 are earlier
			next.Add(p.Confidence, p.Details.Class() != class)
			byWhole, confidence := c.Model().(*mixture.Mixture).ByWholeStream(&p.Details)
			whole.Add(confidence, byWhole != class)
		}
		check.OK(t, c.Learn(x, class))
	}
	check.Equal(t, "next", c.Record.Next.Latest, next)
	check.Equal(t, "whole", c.Record.Whole.Latest, whole)
	check.True(t, next != whole, "one record")
	c.Record.Next = Recent{}
	a, b := check.Must(c.Threshold(0.2, 0.9)), check.Must(check.Must(c.Snapshot()).Threshold(0.2, 0.9))
	check.True(t, math.IsInf(a, 1) && b < 1, "without the record of the next examples: thresholds %g, %g", a, b)
}

// The familiarity by the snapshot of an output layer, here behind features, is by Bonferroni of inputs and
// layer, or of one of them where there are few examples or no model of the inputs.
func TestLayer(t *testing.T) {
	l := check.Must(readout.New(readout.Config{Kind: readout.Gaussian, Inputs: 2, Classes: 3}))
	m := features.Model{Map: check.Must(features.New(features.Relu, 2, 2, 1)), Model: l}
	c, draw, x, z := From(m, NewHistory(2)), stream(), []float64{0.5, -0.25}, make([]float64, 2)
	var p Prediction
	predict := func() float64 {
		check.OK(t, check.Must(c.Snapshot()).Predict(&p, x))
		return p.Familiarity
	}
	learn(t, c, 9, draw)
	check.Near(t, "few examples", predict(), c.Familiar.P(x), 0)
	learn(t, c, 191, draw)
	both := predict()
	check.OK(t, m.Standard(z, x))
	byLayer, _, err := l.Familiarity([][]float64{z}, []int{p.Details.Class()})
	check.OK(t, err)
	check.Near(t, "both", both, min(1, 2*c.Familiar.P(x), 2*byLayer[0]), 0)
	check.OK(t, c.Predict(&p, x))
	check.Near(t, "along the stream", p.Familiarity, c.Familiar.P(x), 0)
	c.Familiar = nil
	check.Near(t, "layer alone", predict(), byLayer[0], 0)
	check.OK(t, c.AddClass())
	byLayer, _, err = l.Familiarity([][]float64{z}, []int{3})
	check.True(t, err == nil && math.IsNaN(byLayer[0]), "of a class without examples: %v, %v", byLayer, err)
}
