package learner

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/tagi"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/check"
	"closedform/internal/kernel"
)

func mixture(t *testing.T, members int) *bnn.Ensemble {
	t.Helper()
	m := DefaultModel()
	m.Layers, m.Members = []int{1, 4, 2}, members
	return check.Must(m.Mixture(random.Source("prior")))
}

// Many inputs at once are answered as one after another, to the bit, by one and by several.
func TestBatchAnswers(t *testing.T) {
	var members []*tagi.Model
	for k := range 3 {
		m := check.Must(tagi.New(tagi.Config{Layers: []int{1, 5, 3}}, random.Source("batch", k)))
		for i := range 20 {
			check.OK(t, m.Observe([]float64{float64(i % 7)}, i%3))
		}
		members = append(members, m)
	}
	x := line(40)
	for _, several := range []bool{false, true} {
		t.Run(fmt.Sprint("several ", several), func(t *testing.T) {
			l, seen, want, q := NewClassifier(members[0], 3), 0, make([]float64, 3), make([]float64, 3)
			if several {
				l.others = []Learner{members[1], members[2]}
			}
			ok := l.PredictEach(x, func(i int, in []float64, a Prediction) error {
				seen++
				clear(want)
				for _, m := range l.all() {
					check.OK(t, m.Predict(q, in))
					floats.AddScaled(want, 1/float64(len(l.all())), q)
				}
				if !slices.Equal(a.P, want) || in[0] != float64(i)/50 {
					t.Errorf("input %d: %v, want %v", i, a.P, want)
				}
				var mean float64
				for k, layers := range a.Members {
					if of, err := members[k].PredictAll([][]float64{q}, [][]float64{in}); err != nil || !slices.Equal(layers[1].Variance, of[0][1].Variance) {
						t.Errorf("%v, input %d: the layers of member %d", err, i, k)
					}
					mean += kernel.Entropy(q, 1) / float64(len(a.Members))
				}
				if len(a.Members) > 1 {
					check.Near(t, "mutual information", a.MutualInformation, kernel.Entropy(want, 1)-mean, 1e-13)
				} else if !math.IsNaN(a.MutualInformation) {
					t.Errorf("one member has a mutual information of %g", a.MutualInformation)
				}
				return nil
			})
			check.Equal(t, "seen", []any{ok, seen}, []any{true, x.Len()})
			broken := x.Set(0, 40).X
			broken[17] = []float64{math.Inf(1)}
			check.Equal(t, "after a break-down", l.Probabilities(broken)[0][0], 1./3)
		})
	}
}
