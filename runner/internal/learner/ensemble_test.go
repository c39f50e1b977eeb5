package learner

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/tagi"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/check"
)

func mixture(t *testing.T, members int) *bnn.Ensemble {
	t.Helper()
	m := DefaultModel()
	m.Layers, m.Members = []int{1, 4, 2}, members
	e, err := m.Mixture(random.Source("prior"))
	if err != nil {
		t.Fatal(err)
	}
	return e
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
	if len(none) != 1 || len(one) != 1 || len(three) != 3 {
		t.Fatalf("%d, %d and %d members", len(none), len(one), len(three))
	}
	if !mat.Equal(one[0], none[0]) || !mat.Equal(three[0], one[0]) || !mat.Equal(three[1], two[1]) {
		t.Error("members depend on how many there are")
	}
	if mat.Equal(three[1], one[0]) || mat.Equal(three[2], one[0]) || mat.Equal(three[1], three[2]) {
		t.Error("members have the same prior means")
	}
}

// An ensemble of networks says what one of any learners says, whose members they are; the
// exact variance goes by the law of total variance, too.
func TestEnsemble(t *testing.T) {
	networks := mixture(t, 3)
	l, any := NewTolerant(&Network{Ensemble: networks}, 2), &Ensemble{}
	for _, n := range mixture(t, 3).Members() {
		e, err := bnn.Combine(n)
		if err != nil {
			t.Fatal(err)
		}
		any.Members = append(any.Members, &Network{Ensemble: e})
	}
	general := NewTolerant(any, 2)
	for k := range 9 {
		x := []float64{float64(k) - 4}
		if err := errors.Join(l.Observe(x, k%2), general.Observe(x, k%2)); err != nil {
			t.Fatal(err)
		}
	}
	x := [][]float64{{7}}
	check.NearAll(t, "p", l.Probabilities(x)[0], general.Probabilities(x)[0], 1e-14)
	got := answers(l, x[0]...)[0]
	check.Near(t, "I", got, answers(general, x[0]...)[0], 1e-13)
	if !(1e-4 < got && got < math.Ln2) {
		t.Errorf("I = %g", got)
	}
	var want float64
	p, moments, cov := make([]float64, 2), softmax.NewMoments(2), mat.NewSymDense(2, nil)
	for _, n := range networks.Members() {
		var of bnn.Prediction
		if err := n.Predict(&of, x[0]); err != nil {
			t.Fatal(err)
		}
		softmax.Exact{Fast: true}.Moments(moments, of.Mean, of.Variance)
		moments.Cov(cov)
		want += (mat.Trace(cov) + floats.Dot(moments.P, moments.P)) / 3
		floats.AddScaled(p, 1./3, moments.P)
	}
	_, exact, err := l.Learner.(*Network).Variances(x[0])
	if err != nil {
		t.Fatal(err)
	}
	check.Near(t, "exact variance", exact, want-floats.Dot(p, p), 1e-7)
}

// answers returns the mutual information at all inputs.
func answers(l *Tolerant, x ...float64) (all []float64) {
	l.Look(line(x), func(_ int, _ []float64, a Answer) error {
		all = append(all, a.MutualInformation)
		return nil
	})
	return all
}

// Mutual information is of members only: a network by itself and a batch method without them
// have none.
func TestMutualInformation(t *testing.T) {
	one, two := &Network{Ensemble: mixture(t, 1)}, &Network{Ensemble: mixture(t, 2)}
	fit := func(p Predictor) *Batch {
		return &Batch{Fit: func([][]float64, []int) (Predictor, error) { return p, nil }}
	}
	for name, c := range map[string]struct {
		l    Learner
		want bool
	}{
		"one": {one, false}, "several": {two, true},
		"batch": {fit(two), true}, "plain batch": {fit(&recorder{good: 9}), false},
	} {
		got := answers(NewTolerant(c.l, 2), 1, 2)
		if len(got) != 2 || math.IsNaN(got[0]) == c.want || math.IsNaN(got[1]) == c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	broken := &Ensemble{Members: []Learner{&recorder{good: 9}, &recorder{good: 1}}}
	if got := answers(NewTolerant(broken, 2), 1, 2); len(got) != 1 {
		t.Errorf("broken: %v", got)
	}
}

// The layers are those of all members, of networks and of ensembles of any learners.
func TestLayers(t *testing.T) {
	two := &Network{Ensemble: mixture(t, 2)}
	m, err := tagi.New(tagi.Config{Layers: []int{1, 3, 2}}, random.Source("layers"))
	if err != nil {
		t.Fatal(err)
	}
	l := NewTolerant(&Ensemble{Members: []Learner{two, m}}, 2)
	l.Look(line{0.5}, func(_ int, _ []float64, a Answer) error {
		if len(a.Members) != 3 {
			t.Fatalf("%d members", len(a.Members))
		}
		for k, layers := range a.Members {
			if in := layers[0].Input; len(in) != 1 || in[0] != 0.5 {
				t.Errorf("member %d: input %v", k, in)
			}
		}
		if last := a.Members[2][1]; len(last.Input) != 3 {
			t.Errorf("%d hidden units", len(last.Input))
		}
		return nil
	})
}

// single hides that a learner predicts several inputs at once.
type single struct{ Learner }

func (s single) Layers() []bnn.Layer { return s.Learner.(Layered).Layers() }

// Many inputs at once are answered as one after another, to the bit, by one and by several.
func TestBatchAnswers(t *testing.T) {
	for _, n := range []int{1, 3} {
		var one, all []Learner
		for k := range n {
			m, err := tagi.New(tagi.Config{Layers: []int{1, 5, 3}}, random.Source("batch", k))
			if err != nil {
				t.Fatal(err)
			}
			for i := range 20 {
				if err := m.Observe([]float64{float64(i % 7)}, i%3); err != nil {
					t.Fatal(err)
				}
			}
			one, all = append(one, single{m}), append(all, m)
		}
		slow, fast := NewTolerant(&Ensemble{Members: one}, 3), NewTolerant(&Ensemble{Members: all}, 3)
		if n == 1 {
			slow, fast = NewTolerant(one[0], 3), NewTolerant(all[0], 3)
		}
		var x line
		for i := range 40 {
			x = append(x, float64(i)/5-2)
		}
		var want []Answer
		slow.Look(x, func(_ int, _ []float64, a Answer) error {
			a.P = slices.Clone(a.P)
			for k, layers := range a.Members {
				a.Members[k] = slices.Clone(layers)
				a.Members[k][1].Variance = slices.Clone(layers[1].Variance)
			}
			want = append(want, a)
			return nil
		})
		seen := 0
		ok := fast.Look(x, func(i int, in []float64, a Answer) error {
			seen++
			same := floats.Equal(a.P, want[i].P) && (a.MutualInformation == want[i].MutualInformation || n == 1 && math.IsNaN(a.MutualInformation)) && in[0] == x[i]
			for k, layers := range a.Members {
				same = same && floats.Equal(layers[1].Variance, want[i].Members[k][1].Variance)
			}
			if !same || len(a.Members) != n {
				t.Errorf("%d members, input %d: %v, want %v", n, i, a, want[i])
			}
			return nil
		})
		inputs := make([][]float64, len(x))
		for i := range x {
			inputs[i] = []float64{x[i]}
		}
		if p := fast.Probabilities(inputs); !ok || seen != len(x) || !floats.Equal(p[33], want[33].P) {
			t.Errorf("%d members: seen %d", n, seen)
		}
		inputs[17][0] = math.Inf(1)
		if p := fast.Probabilities(inputs); p[0][0] != 1./3 {
			t.Errorf("%d members after a break-down: %v", n, p[0])
		}
	}
}
