package learner

import (
	"errors"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/check"
)

func mixture(t *testing.T, members int) *bnn.Ensemble {
	t.Helper()
	m := DefaultModel()
	m.Layers, m.Ensemble = []int{1, 4, 2}, members
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
		e, err := bnn.NewEnsemble(n)
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
	got := l.TestMutualInformation(line(x[0]))
	check.NearAll(t, "1 − I/log n", got, general.TestMutualInformation(line(x[0])), 1e-13)
	if !(0 < got[0] && got[0] < 0.9999) {
		t.Errorf("1 − I/log n = %g", got[0])
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
	check.Near(t, "exact variance", exact, want-floats.Dot(p, p), 1e-12)
}

// Mutual information is of members only: a network by itself and a batch method without them
// have none, one that breaks down is certain of nothing.
func TestMutualInformation(t *testing.T) {
	one, two := &Network{Ensemble: mixture(t, 1)}, &Network{Ensemble: mixture(t, 2)}
	fitted := func(p Predictor) *Batch { return &Batch{model: p} }
	for name, c := range map[string]struct {
		l    Learner
		want int
	}{
		"one": {one, 0}, "several": {two, 2}, "batch": {fitted(two), 2}, "plain batch": {fitted(&recorder{good: 9}), 0}, "not fitted": {&Batch{}, 0},
	} {
		if got := NewTolerant(c.l, 2).TestMutualInformation(line{1, 2}); len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	broken := &Ensemble{Members: []Learner{&recorder{good: 9}, &recorder{good: 1}}}
	check.NearAll(t, "broken", NewTolerant(broken, 2).TestMutualInformation(line{1, 2}), []float64{0, 0}, 0)
}
