package learner

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

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

func bankOfUrns(w Weighing, urns ...*urn) *Bank {
	names, members := []string{"a", "b", "c"}[:len(urns)], make([]Learner, len(urns))
	for k, u := range urns {
		members[k] = u
	}
	return NewBank(w, 2, names, members)
}

// weightsByHand returns the weights of urns after the classes, as products.
func weightsByHand(w Weighing, classes []int, prior ...float64) []float64 {
	k := float64(len(prior))
	weights, p := slices.Repeat([]float64{1 / k}, len(prior)), make([]float64, len(prior))
	ones, forget := 0., 1.
	if w.Forgetting > 0 {
		forget = w.Forgetting
	}
	for t, class := range classes {
		for i, a := range prior {
			p[i] = (a + ones) / (2*a + float64(t))
			if class == 0 {
				p[i] = 1 - p[i]
			}
		}
		rate, mean := math.Sqrt(math.Log(k)/(2*k*float64(t+1))), floats.Dot(weights, p)
		for i := range weights {
			switch factor := p[i] / mean; w.Weights {
			case "evidence":
				weights[i] = math.Pow(weights[i], forget) * factor
			case "stacked":
				weights[i] = math.Pow(weights[i], forget) * (1 + rate*(factor-1))
			}
		}
		floats.Scale(1/floats.Sum(weights), weights)
		ones += float64(class)
		if t+1 == w.First {
			best := floats.MaxIdx(weights)
			clear(weights)
			weights[best] = 1
			return weights
		}
	}
	return weights
}

// The weights are the products of what was predicted before it was learned; the bank predicts
// by them, and by mutual information says what the members disagree about. Evidence is the
// posterior of the members: the product of the predictions of the mixture is the mean of theirs.
func TestBank(t *testing.T) {
	classes := []int{1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0}
	for _, w := range []Weighing{
		{Weights: "evidence"},
		{Weights: "evidence", Forgetting: 0.8},
		{Weights: "evidence", First: 5},
		{Weights: "stacked"},
		{Weights: "stacked", Forgetting: 0.9},
		{Weights: "equal"},
	} {
		l := NewTolerant(bankOfUrns(w, newUrn(0.3), newUrn(2), newUrn(40)), 2)
		marginal := 1.
		for _, class := range classes {
			marginal *= l.Probabilities([][]float64{{0}})[0][class]
			if err := l.Observe([]float64{0}, class); err != nil {
				t.Fatal(err)
			}
		}
		want := weightsByHand(w, classes, 0.3, 2, 40)
		var p, entropy float64
		h := func(p float64) float64 { return -p*math.Log(p) - (1-p)*math.Log(1-p) }
		for k, a := range []float64{0.3, 2, 40} {
			of := (a + 9) / (2*a + 12)
			p += want[k] * of
			entropy += want[k] * h(of)
		}
		check.Near(t, w.Weights+" p", l.Probabilities([][]float64{{0}})[0][1], p, 1e-13)
		check.Near(t, w.Weights+" I", answers(l, 0)[0], h(p)-entropy, 1e-13)
		if w == (Weighing{Weights: "evidence"}) {
			var mean float64
			for _, a := range []float64{0.3, 2, 40} {
				beta := func(x, y float64) float64 { return math.Gamma(x) * math.Gamma(y) / math.Gamma(x+y) }
				mean += beta(a+9, a+3) / beta(a, a) / 3
			}
			check.Near(t, "marginal likelihood", marginal, mean, 1e-12)
		}
	}
}

// Of two that are right half of the time each, evidence comes to be with one; stacked goes to
// half of both, which is better.
func TestStacked(t *testing.T) {
	rnd, n := rand.New(rand.NewPCG(1, 2)), 4000
	good := make([]bool, n) // whether the first is right
	for i := range good {
		good[i] = rnd.IntN(2) == 0
	}
	for weights, most := range map[string]float64{"evidence": 1, "stacked": 0.6} {
		a, b := &fixed{0.9}, &fixed{0.1}
		bank := NewBank(Weighing{Weights: weights}, 2, []string{"a", "b"}, []Learner{a, b})
		var loss float64
		for _, good := range good {
			if a.p, b.p = 0.9, 0.1; !good {
				a.p, b.p = 0.1, 0.9
			}
			p := make([]float64, 2)
			if err := errors.Join(bank.Predict(p, nil), bank.Observe(nil, 0)); err != nil {
				t.Fatal(err)
			}
			loss -= math.Log(p[0]) / float64(n)
		}
		if top := slices.Max(bank.weights); top > most || weights == "evidence" && top < 0.99 {
			t.Errorf("%s: largest weight %g", weights, top)
		}
		if weights == "stacked" {
			check.Near(t, "log loss", loss, math.Ln2, 0.01)
		}
	}
}

// fixed always predicts the same.
type fixed struct{ p float64 }

func (f *fixed) Observe([]float64, int) error { return nil }
func (f *fixed) Predict(p, _ []float64) error { p[0], p[1] = f.p, 1-f.p; return nil }

// No weight is lost to underflow: what predicted the impossible comes back when others do so.
func TestBankUnderflow(t *testing.T) {
	a, b := &fixed{0}, &fixed{1e-300}
	for _, weights := range []string{"evidence", "stacked"} {
		bank := NewBank(Weighing{Weights: weights}, 2, []string{"a", "b"}, []Learner{a, b})
		show := func(times, class int) {
			for range times {
				if err := bank.Observe(nil, class); err != nil {
					t.Fatal(err)
				}
			}
		}
		for a.p, b.p = 0, 1e-300; bank.seen < 5000; show(1, 0) {
		}
		if w := bank.weights; !(w[0] < 1e-9) || !(w[1] > 1-1e-9) {
			t.Errorf("%s: weights %v", weights, w)
		}
		if a.p, b.p = 1e-300, 0; weights == "evidence" {
			show(6000, 0)
			if w := bank.weights; !(w[0] > 1-1e-9) {
				t.Errorf("%s: weights %v after it went the other way", weights, w)
			}
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
	alone := NewTolerant(bankOfUrns(Weighing{Weights: "evidence"}, newUrn(0.3), newUrn(2)), 2)
	for name, broken := range map[string]*urn{"learning": with(4, 99), "predicting": with(99, 5), "tested": with(99, 10)} {
		l := NewTolerant(bankOfUrns(Weighing{Weights: "evidence"}, newUrn(0.3), broken, newUrn(2)), 2)
		for _, l := range []*Tolerant{l, alone} {
			if err := (Course{Examples: classes}).Train(context.Background(), l); err != nil {
				t.Fatal(err)
			}
		}
		check.NearAll(t, name, l.Probabilities([][]float64{{0}})[0], alone.Probabilities([][]float64{{0}})[0], 1e-14)
		if l.Steps().Failed || !strings.HasSuffix(l.Chosen(), ", 1 of 3 broke down") || strings.Contains(alone.Chosen(), "broke") {
			t.Errorf("%s: %+v, %q", name, l.Steps(), l.Chosen())
		}
		alone = NewTolerant(bankOfUrns(Weighing{Weights: "evidence"}, newUrn(0.3), newUrn(2)), 2)
	}
	if n := alone.Steps().Skipped; n != 0 {
		t.Errorf("%d steps skipped", n)
	}
	all := NewTolerant(bankOfUrns(Weighing{Weights: "stacked"}, with(4, 99), with(2, 99)), 2)
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
		"all": {Weighing{Weights: "evidence"}, 3}, "first": {Weighing{Weights: "evidence", First: 3}, 1},
		"few": {Weighing{Weights: "stacked", First: 99}, 1},
	} {
		one, three := bankOfUrns(c.w, newUrn(0.3), newUrn(2), newUrn(9)), bankOfUrns(c.w, newUrn(0.3), newUrn(2), newUrn(9))
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
	bank, p := bankOfUrns(Weighing{Weights: "stacked"}, newUrn(1), newUrn(2)), make([]float64, 2)
	check.NoAllocs(t, "bank", func() {
		if bank.Observe(nil, 1) != nil || bank.Predict(p, nil) != nil {
			t.Error("broke down")
		}
	})
}

// A bank all of whose members broke down returns errors from then on.
func TestBankAllBreakDown(t *testing.T) {
	for _, weights := range []string{"evidence", "stacked", "equal"} {
		bank := NewBank(Weighing{Weights: weights}, 2, []string{"a", "b"}, []Learner{failing{}, failing{}})
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
