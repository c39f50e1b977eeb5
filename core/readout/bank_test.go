package readout

import (
	"slices"
	"testing"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/check"
)

// Before is of a state that had more than half of the examples, unless there is a new class.
func TestBefore(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		c := Config{kind, 5, 3}
		l, examples, since := learned(t, c, nil), drawn(40, 5, 3), 0
		for i, e := range examples {
			if i >= 2*since || i == 33 {
				since = i
			}
			if i == 33 {
				check.OK(t, l.AddClass())
				c.Classes++
			}
			want := predicted(t, learned(t, c, examples[:since]), e.x)[:c.Classes]
			var p bnn.Prediction
			check.OK(t, l.Before(&p, e.x))
			if _, err := l.Observe(e.x, e.class); err != nil || !slices.Equal(p.P, want) {
				t.Errorf("example %d: error %v, %v; after %d examples %v", i, err, p.P, since, want)
			}
		}
	})
}

// An ensemble is the mean of its members. A bank takes no output layers.
func TestEnsemble(t *testing.T) {
	network := check.Must(bnn.New(bnn.Default(6, 3), random.Source("network")))
	e := check.Must(bnn.Combine(network, learned(t, Config{Ridge, 6, 3}, nil), learned(t, Config{Gaussian, 6, 3}, nil)))
	examples := drawn(40, 6, 3)
	for _, example := range examples {
		check.Must(e.Observe(example.x, example.class))
	}
	var p, q bnn.Prediction
	check.OK(t, e.Predict(&p, examples[0].x))
	var sum [3]float64
	for _, m := range e.Models() {
		check.OK(t, m.Predict(&q, examples[0].x))
		for j, x := range q.P {
			sum[j] += x
		}
	}
	for j, s := range sum {
		check.Near(t, "mean", p.P[j], s/3, 1e-15)
	}
	check.Refuses(t, "a bank", check.Err(bnn.NewBank(e.Models()...)), "member 1 does not report")
}
