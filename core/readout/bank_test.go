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

// A bank weighs its members by the probabilities that they report: the ridge regression draws curved boundaries and
// has more weight than a linear network. An ensemble is the mean of its members, which report nothing.
func TestBank(t *testing.T) {
	examples := drawn(400, 6, 3)
	members := func() []bnn.Model {
		network := check.Must(bnn.New(bnn.Default(6, 3), random.Source("network")))
		return []bnn.Model{network, learned(t, Config{Ridge, 6, 3}, nil), learned(t, Config{Gaussian, 6, 3}, nil)}
	}
	bank, ensemble := check.Must(bnn.NewBank(members()...)), check.Must(bnn.Combine(members()...))
	for _, e := range examples {
		if u, err := bank.Observe(e.x, e.class); err != nil || !(u.LogP < 0) {
			t.Fatalf("%v, update %+v", err, u)
		}
		check.Must(ensemble.Observe(e.x, e.class))
	}
	if w := bank.Weights(); w[0] > w[1] || len(bank.Members()) != 1 {
		t.Errorf("weights %v of a linear network, ridge and Gaussians", w)
	}
	var p, q bnn.Prediction
	check.OK(t, ensemble.Predict(&p, examples[0].x))
	var sum [3]float64
	for _, m := range ensemble.Models() {
		check.OK(t, m.Predict(&q, examples[0].x))
		for j, x := range q.P {
			sum[j] += x
		}
		if l, ok := m.(*Layer); ok && l.State().Earlier != nil {
			t.Error("a layer of an ensemble keeps an earlier state")
		}
	}
	for j, s := range sum {
		check.Near(t, "mean", p.P[j], s/3, 1e-15)
	}
	check.OK(t, bank.AddClass())
	if err := bank.Predict(&p, examples[0].x); err != nil || len(p.P) != 4 || p.P[3] > 0.15 {
		t.Errorf("with a new class %v, error %v", p.P, err)
	}
	check.Must(bank.Observe(examples[0].x, 3))
}
