package readout

import (
	"slices"
	"testing"

	"closedform/core/bnn"
	check "closedform/internal/checktest"
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
