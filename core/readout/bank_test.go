package readout

import (
	"math"
	"slices"
	"testing"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/check"
)

// LogP is that of Before, which is of a state that had more than 4/5 of the examples, unless there is a new class.
func TestBefore(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		c := Config{kind, 5, 3}
		l, examples := learned(t, c, nil), drawn(40, 5, 3)
		l.ReportLogP()
		since := 0
		for i, e := range examples {
			if float64(i) >= 1.25*float64(since) || i == 33 {
				since = i
			}
			if i == 33 {
				check.OK(t, l.AddClass())
				c.Classes++
			}
			want := predicted(t, learned(t, c, examples[:since]), e.x)[:c.Classes]
			var p bnn.Prediction
			check.OK(t, l.Before(&p, e.x))
			u, err := l.Observe(e.x, e.class)
			if err != nil || !slices.Equal(p.P, want) || math.Abs(u.LogP-math.Log(want[e.class])) > 1e-12 {
				t.Errorf("example %d: error %v, %v with log p %g; after %d examples %v", i, err, p.P, u.LogP, since, want)
			}
		}
		if got, want := predicted(t, l, examples[0].x), predicted(t, learned(t, c, examples), examples[0].x); !slices.Equal(got, want) {
			t.Errorf("predicts %v; without reports %v", got, want)
		}
	})
}

// A bank weighs its members by the probabilities that they report, and the linear network loses to layers that draw
// curved boundaries. One with equal weights is the mean of its members, which report nothing.
func TestBank(t *testing.T) {
	examples := drawn(400, 6, 3)
	of := func(w bnn.WeightRule) (b *bnn.Bank, alone []*Layer) {
		network := check.Must(bnn.New(bnn.Default(6, 3), random.Source("network")))
		layers := []*Layer{learned(t, Config{Ridge, 6, 3}, nil), learned(t, Config{Gaussian, 6, 3}, nil)}
		return check.Must(bnn.NewBank(bnn.Weighing{Weights: w}, network, layers[0], layers[1])), layers
	}
	weighed, _ := of(bnn.Evidence)
	alone, _ := of(bnn.Evidence)
	equal, layers := of(bnn.Equal)
	var logP [3]float64
	for _, e := range examples {
		for k, m := range alone.Models() {
			logP[k] += check.Must(m.Observe(e.x, e.class)).LogP
		}
		if u, err := weighed.Observe(e.x, e.class); err != nil || !(u.LogP < 0) {
			t.Fatalf("%v, update %+v", err, u)
		}
		check.Must(equal.Observe(e.x, e.class))
	}
	w := weighed.Weights()
	check.Near(t, "log odds of the layers", math.Log(w[2]/w[1]), logP[2]-logP[1], 1e-6)
	if w[0] > 0.01 || len(weighed.Members()) != 1 {
		t.Errorf("weights %v of a linear network, ridge and Gaussians", w)
	}
	var p, q bnn.Prediction
	check.OK(t, equal.Predict(&p, examples[0].x))
	check.OK(t, equal.Models()[0].Predict(&q, examples[0].x))
	for j, r := range predicted(t, layers[0], examples[0].x)[:3] {
		check.Near(t, "mean", p.P[j], (q.P[j]/q.Sum()+r+predicted(t, layers[1], examples[0].x)[j])/3, 1e-15)
	}
	if layers[0].State().Earlier != nil {
		t.Error("a layer of a bank of equal weights keeps an earlier state")
	}
	check.OK(t, weighed.AddClass())
	if err := weighed.Predict(&p, examples[0].x); err != nil || len(p.P) != 4 || p.P[3] > 0.1 {
		t.Errorf("with a new class %v, error %v", p.P, err)
	}
	if _, err := weighed.Observe(examples[0].x, 3); err != nil {
		t.Error(err)
	}
}
