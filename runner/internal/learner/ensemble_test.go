package learner

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

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

// The first member is the network that there is without an ensemble; all have prior means of
// their own, and with more of them the first ones stay.
func TestMembers(t *testing.T) {
	means := func(members int) (all []*mat.Dense) {
		for _, n := range mixture(t, members).Members() {
			mean, _ := n.Weights(0)
			all = append(all, mean)
		}
		return all
	}
	none, one, two, three := means(0), means(1), means(2), means(3)
	check.Equal(t, "members", []int{len(none), len(one), len(three)}, []int{1, 1, 3})
	check.Equal(t, "members of more or fewer", []*mat.Dense{one[0], three[0], three[1]}, []*mat.Dense{none[0], one[0], two[1]})
	if mat.Equal(three[1], one[0]) || mat.Equal(three[2], one[0]) || mat.Equal(three[1], three[2]) {
		t.Error("members have the same prior means")
	}
}

// answers returns the mutual information at all inputs.
func answers(l *Tolerant, x ...float64) (all []float64) {
	l.Look(line(x), func(_ int, _ []float64, a Answer) error {
		all = append(all, a.MutualInformation)
		return nil
	})
	return all
}

// Mutual information is of members only.
func TestMutualInformation(t *testing.T) {
	for name, c := range map[string]struct {
		l    Learner
		want bool
	}{
		"one": {&Network{Model: mixture(t, 1)}, false}, "several": {&Network{Model: mixture(t, 2)}, true},
		"plain": {&recorder{good: 9}, false}, "members": {&Ensemble{Members: []Learner{&recorder{good: 9}, &recorder{good: 9}}}, true},
	} {
		got := answers(NewTolerant(c.l, 2), 1, 2)
		check.Equal(t, name, []any{len(got), math.IsNaN(got[0]), math.IsNaN(got[1])}, []any{2, !c.want, !c.want})
	}
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
	x, inputs := make(line, 40), make([][]float64, 40)
	for i := range x {
		x[i] = float64(i)/5 - 2
		inputs[i] = []float64{x[i]}
	}
	for name, l := range map[string]Learner{"one": members[0], "three": &Ensemble{Members: []Learner{members[0], members[1], members[2]}}} {
		t.Run(name, func(t *testing.T) {
			l, seen, want, q := NewTolerant(l, 3), 0, make([]float64, 3), make([]float64, 3)
			ok := l.Look(x, func(i int, in []float64, a Answer) error {
				seen++
				if err := l.Learner.Predict(want, in); err != nil || !slices.Equal(a.P, want) || in[0] != x[i] {
					t.Errorf("%v, input %d: %v, want %v", err, i, a.P, want)
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
			if p := l.Probabilities(inputs); !ok || seen != len(x) || l.Learner.Predict(want, inputs[33]) != nil || !slices.Equal(p[33], want) {
				t.Errorf("seen %d", seen)
			}
			broken := slices.Clone(inputs)
			broken[17] = []float64{math.Inf(1)}
			check.Equal(t, "after a break-down", l.Probabilities(broken)[0][0], 1./3)
		})
	}
}
