package learner

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"closedform/core/bnn"
	"closedform/internal/check"
)

// urn predicts the second of two classes as often as it was seen, having been seen a times in
// two before; it breaks down after some examples, or predictions.
type urn struct{ a, seen, ones, examples, predictions float64 }

func newUrn(a float64) *urn { return &urn{a: a, examples: math.Inf(1), predictions: math.Inf(1)} }

func (u *urn) Observe(_ []float64, class int) error {
	u.seen++
	u.ones += float64(class)
	if u.seen > u.examples {
		return errors.New("enough examples")
	}
	return nil
}

func (u *urn) Predict(p, _ []float64) error {
	p[1] = (u.a + u.ones) / (2*u.a + u.seen)
	p[0] = 1 - p[1]
	if u.predictions--; u.predictions < 0 {
		return errors.New("enough predictions")
	}
	return nil
}

func (u *urn) Steps() Steps { return Steps{Skipped: int(u.seen)} }

var (
	evidence = Weighing{Weighing: bnn.Weighing{Weights: bnn.Evidence}}
	universal  = Weighing{Weighing: bnn.Weighing{Weights: bnn.Universal}}
)

func bankOfLearners(t *testing.T, w Weighing, members ...Learner) *Bank {
	t.Helper()
	b, err := NewBank(w, 2, []string{"a", "b", "c"}[:len(members)], members)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A bank predicts the weighted mean of its members, and by mutual information says how much
// they disagree. Evidence is the posterior of the members: the product of the predictions of the
// mixture is the mean of theirs.
func TestBank(t *testing.T) {
	classes, prior := []int{1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0}, []float64{0.3, 2, 40}
	for _, w := range []bnn.Weighing{{Weights: bnn.Evidence}, {Weights: bnn.Universal, Forgetting: 0.9}, {Weights: bnn.Equal}} {
		bank := bankOfLearners(t, Weighing{Weighing: w}, newUrn(prior[0]), newUrn(prior[1]), newUrn(prior[2]))
		l, marginal := NewTolerant(bank, 2), 1.
		for _, class := range classes {
			marginal *= l.Probabilities([][]float64{{0}})[0][class]
			if err := l.Observe([]float64{0}, class); err != nil {
				t.Fatal(err)
			}
		}
		var p, entropy, mean float64
		h := func(p float64) float64 { return -p*math.Log(p) - (1-p)*math.Log(1-p) }
		beta := func(x, y float64) float64 { return math.Gamma(x) * math.Gamma(y) / math.Gamma(x+y) }
		for k, a := range prior {
			of := (a + 9) / (2*a + 12)
			p += bank.weights[k] * of
			entropy += bank.weights[k] * h(of)
			mean += beta(a+9, a+3) / beta(a, a) / 3
		}
		check.Near(t, string(w.Weights)+" p", l.Probabilities([][]float64{{0}})[0][1], p, 1e-13)
		check.Near(t, string(w.Weights)+" I", answers(l, 0)[0], h(p)-entropy, 1e-13)
		switch w.Weights {
		case bnn.Evidence:
			check.Near(t, "marginal likelihood", marginal, mean, 1e-12)
		case bnn.Equal:
			check.NearAll(t, "equal weights", bank.weights, []float64{1. / 3, 1. / 3, 1. / 3}, 1e-15)
		}
	}
}

// A member that breaks down, as it learns or as it predicts, has no weight from then on, and is
// counted; the others predict as if it had not been. All of them are a learner that broke down.
func TestBankBreaksDown(t *testing.T) {
	classes := line(make([]float64, 10)) // in turn
	with := func(examples, predictions float64) *urn {
		u := newUrn(1)
		u.examples, u.predictions = examples, predictions
		return u
	}
	alone := NewTolerant(bankOfLearners(t, evidence, newUrn(0.3), newUrn(2)), 2)
	for name, broken := range map[string]*urn{"learning": with(4, 99), "predicting": with(99, 5), "tested": with(99, 10)} {
		l := NewTolerant(bankOfLearners(t, evidence, newUrn(0.3), broken, newUrn(2)), 2)
		for _, l := range []*Tolerant{l, alone} {
			if err := (Course{Examples: classes}).Train(context.Background(), l); err != nil {
				t.Fatal(err)
			}
		}
		check.NearAll(t, name, l.Probabilities([][]float64{{0}})[0], alone.Probabilities([][]float64{{0}})[0], 1e-14)
		if l.Steps().Failed || !strings.HasSuffix(l.Chosen(), ", 1 of 3 broke down") || strings.Contains(alone.Chosen(), "broke") {
			t.Errorf("%s: %+v, %q", name, l.Steps(), l.Chosen())
		}
		alone = NewTolerant(bankOfLearners(t, evidence, newUrn(0.3), newUrn(2)), 2)
	}
	if n := alone.Steps().Skipped; n != 0 {
		t.Errorf("%d steps skipped", n)
	}
	all := NewTolerant(bankOfLearners(t, universal, with(4, 99), with(2, 99)), 2)
	if err := (Course{Examples: classes}).Train(context.Background(), all); err != nil {
		t.Fatal(err)
	}
	if p := all.Probabilities([][]float64{{0}})[0]; p[0] != 0.5 || !all.Steps().Failed || !strings.HasSuffix(all.Chosen(), "2 of 2 broke down") {
		t.Errorf("%v, %+v, %q", p, all.Steps(), all.Chosen())
	}
	if n := all.Steps().Skipped; n != 5+3 {
		t.Errorf("%d steps skipped", n)
	}
}

// Evidence is counted in the first pass alone, and after First examples, or the first pass, one
// member goes on alone.
func TestBankPasses(t *testing.T) {
	classes := line(make([]float64, 6))
	for name, c := range map[string]struct {
		w        Weighing
		learning int // members in the second pass
	}{
		"all": {evidence, 3}, "first": {Weighing{evidence.Weighing, 3}, 1},
		"few": {Weighing{universal.Weighing, 99}, 1},
	} {
		one, three := bankOfLearners(t, c.w, newUrn(0.3), newUrn(2), newUrn(9)), bankOfLearners(t, c.w, newUrn(0.3), newUrn(2), newUrn(9))
		if err := errors.Join((Course{Examples: classes}).Train(context.Background(), one),
			(Course{Examples: classes, Passes: 3}).Train(context.Background(), NewTolerant(three, 2))); err != nil {
			t.Fatal(err)
		}
		if name != "few" {
			check.NearAll(t, name, three.weights, one.weights, 0)
		}
		check.Near(t, name+": largest weight", slices.Max(three.weights), map[bool]float64{true: 1, false: slices.Max(one.weights)}[c.learning == 1], 0)
		learned := 0
		for _, m := range three.Members {
			if m.(*urn).seen == 18 {
				learned++
			}
		}
		if learned != c.learning {
			t.Errorf("%s: %d learned in the last pass", name, learned)
		}
	}
}

// A bank learns without allocating.
func TestBankAllocates(t *testing.T) {
	bank, p := bankOfLearners(t, universal, newUrn(1), newUrn(2)), make([]float64, 2)
	check.NoAllocs(t, "bank", func() {
		if bank.Observe(nil, 1) != nil || bank.Predict(p, nil) != nil {
			t.Error("broke down")
		}
	})
}

// A bank all of whose members broke down returns errors from then on.
func TestBankAllBreakDown(t *testing.T) {
	for _, weights := range []bnn.WeightRule{bnn.Evidence, bnn.Universal, bnn.Equal} {
		bank := bankOfLearners(t, Weighing{Weighing: bnn.Weighing{Weights: weights}}, failing{}, failing{})
		for range 3 {
			p := []float64{0, 0}
			if bank.Observe(nil, 0) == nil || bank.Predict(p, nil) == nil {
				t.Errorf("%s: no error, and predicts %v", weights, p)
			}
		}
		if bank.broken < 2 {
			t.Errorf("%s: %d broke down", weights, bank.broken)
		}
	}
}

// failing is a learner that returns errors only.
type failing struct{}

func (failing) Observe([]float64, int) error       { return errors.New("observe") }
func (failing) Predict([]float64, []float64) error { return errors.New("predict") }
