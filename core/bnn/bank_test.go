package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/check"
)

// bankMembers returns two networks and an ensemble of different configurations.
func bankMembers() []Model {
	return []Model{
		members(spec{Layers: []int{2, 6, 3}}, 1)[0],
		ensemble(members(spec{Layers: []int{2, 4, 3}, Bias: true}, 2)...),
		members(spec{Layers: []int{2, 3}, Bias: true}, 1)[0],
	}
}

func bank(w WeightRule, members ...Model) *Bank {
	return check.Must(NewBank(Weighing{Weights: w}, members...))
}

// hugeNetwork returns a network that overflows on inputs of 1e9.
func hugeNetwork() *Network {
	huge := members(spec{Layers: []int{2, 4, 3}}, 1)[0].State()
	huge.Layers[0].Mean.Set(0, 0, 1e150)
	return check.Must(Restore(huge))
}

// A bank predicts the mixture of what its members predict by themselves, in proportion to the
// probability that they gave the examples; LogP is that of the mixture.
func TestBank(t *testing.T) {
	b, alone := bank(Evidence, bankMembers()...), bankMembers()
	x, class := twoRings(30, rand.New(random.Source("rings")))
	evidence, of := []float64{1, 1, 1}, make([]Prediction, 3)
	var p Prediction
	for i := range x {
		check.OK(t, b.Predict(&p, x[i]))
		floats.Scale(1/floats.Sum(evidence), evidence)
		check.NearAll(t, "weights", b.Weights(), evidence, 1e-9)
		for k := range of {
			check.OK(t, alone[k].Predict(&of[k], x[i]))
			evidence[k] *= of[k].P[class[i]]
			check.Must(alone[k].Observe(x[i], class[i]))
		}
		checkMixture(t, &p, b.Weights(), of)
		u := check.Must(b.Observe(x[i], class[i]))
		check.Near(t, "log p", u.LogP, math.Log(p.P[class[i]]), 1e-8)
	}
	if len(b.Members()) != 4 || len(b.Models()) != 3 {
		t.Errorf("%d networks of %d members", len(b.Members()), len(b.Models()))
	}
	before := b.Weights()
	before[0]++ // a copy
	b.Fix()
	if _, err := b.Observe(x[0], class[0]); err != nil || b.Weights()[0] != before[0]-1 {
		t.Errorf("%v, fixed weights %v, before %v", err, b.Weights(), before)
	}
}

// A member that cannot predict an input has no weight there, and one that cannot learn it counts as
// surprised by it. The others go on. Where all fail, so does the bank, for this input.
func TestBankBreaksDown(t *testing.T) {
	good := func() []Model { return bankMembers()[:2] }
	b, without := bank(Evidence, append(good(), hugeNetwork())...), bank(Evidence, good()...)
	x := []float64{1e9, 1}
	var p, q Prediction
	if err := b.Predict(&p, x); err != nil || p.Weights[2] != 0 || !math.IsNaN(p.Members[2].P[0]) {
		t.Errorf("%v, weights %v", err, p.Weights)
	}
	check.OK(t, without.Predict(&q, x))
	check.NearAll(t, "p without a member that cannot predict", p.P, q.P, 1e-14)
	for _, model := range []Model{b, without} {
		if u, err := model.Observe(x, 1); err != nil || u.Action == Refused || u.LogP > 0 {
			t.Errorf("%+v, %v", u, err)
		}
	}
	check.NearAll(t, "weights after a member was surprised", b.Weights(), append(without.Weights(), 0), 1e-14)

	all := bank(Evidence, hugeNetwork(), hugeNetwork())
	u, err := all.Observe(x, 1)
	if err == nil || !strings.HasPrefix(err.Error(), "member 1: bnn: layer ") || u.Action != Refused {
		t.Errorf("%+v, %v", u, err)
	}
	check.NearAll(t, "weights after all have failed", all.Weights(), []float64{0.5, 0.5}, 0)
	if err := all.Predict(&p, x); err == nil || p.Decide(Probability, 0) != Unknown || !math.IsNaN(p.Mean[0]) || all.Predict(&p, []float64{1, 1}) != nil {
		t.Errorf("%v, predicts %v", err, p.P)
	}
}

func TestBankRefuses(t *testing.T) {
	one := newNetwork(spec{Layers: []int{2, 3}})
	for want, of := range map[string][]Model{
		"weights of 0 members":                      {},
		"a network of member 1 is there twice":      {one, ensemble(one)},
		"member 1 has 2 inputs and 2 classes, and ": {one, members(spec{Layers: []int{2, 2}}, 1)[0]},
	} {
		check.Refuses(t, want, check.Err(NewBank(Weighing{Weights: Evidence}, of...)), want)
	}
	check.Refuses(t, "no weights", check.Err(NewBank(Weighing{}, one)), "bnn: weights: ")
	check.Refuses(t, "a weight that is no number", check.Err(RestoreBank(MixtureWeights{Weighing: Weighing{Weights: Equal}, Members: 1, Log: []float64{math.NaN()}}, one)), "Log = [NaN]")
}

// Predictions may be made at the same time; they and steps allocate nothing.
func TestBankConcurrent(t *testing.T) {
	b := bank(Universal, append(bankMembers(), hugeNetwork())...)
	var want Prediction
	x := []float64{1, 2}
	predict := func() {
		if _, err := b.Observe(x, 1); err != nil || b.Predict(&want, x) != nil {
			t.Error(err)
		}
	}
	predict()
	check.NoAllocs(t, "a step and a prediction", predict)
	b.Models()[1].(*Ensemble).atOnce = true
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			var p Prediction
			for range 20 {
				if err := b.Predict(&p, x); err != nil || !floats.Equal(p.P, want.P) {
					t.Errorf("%v, %v; alone %v", p.P, err, want.P)
				}
			}
		})
	}
	group.Wait()
}

// The default bank has the members that its comment says, with the rule and softmax of the
// configuration.
func TestNewDefaultBank(t *testing.T) {
	cfg := Default(4, 50, 3)
	b := check.Must(NewDefaultBank(cfg, random.Source("default bank")))
	hidden, output, linear := cfg.PriorVar[0], cfg.PriorVar[1], Default(4, 3).PriorVar[0]
	for k, want := range [][]float64{{hidden, 3 * output}, {hidden / 10, 10 * output}, {hidden / 10, 0.3 * output}, {linear}, {linear / 10}, {linear / 1000}} {
		check.NearAll(t, fmt.Sprint("prior variances of member ", k), b.Members()[k].Config().PriorVar, want, 1e-12)
	}
	cfg.SetCovariance(Diagonal)
	cfg.PriorVar = []float64{1, 2 * cfg.PriorVar[1]}
	b = check.Must(NewDefaultBank(cfg, random.Source("default bank")))
	check.Near(t, "prior variance of a wider prior", b.Members()[3].Config().PriorVar[0], 2*linear, 1e-12)
	if b = check.Must(NewDefaultBank(Default(4, 3), random.Source("default bank"))); len(b.Members()) != 3 {
		t.Errorf("%d members without hidden layers", len(b.Members()))
	}
	cfg.PriorVar = nil
	check.Refuses(t, "no prior variances", check.Err(NewDefaultBank(cfg, random.Source("default bank"))), "prior_var")
}

// P of a bank is the distribution of the label: it adds up to 1 where those of the members do not.
func TestBankAddsUp(t *testing.T) {
	rule := spec{Layers: []int{2, 4}, Output: Joint, Softmax: softmax.Probit{Lambda: 0.3, Rho: 0.2}}
	b := bank(Equal, members(rule, 2)[0], members(rule, 2)[1])
	var p Prediction
	check.OK(t, b.Predict(&p, []float64{3, -1}))
	want := make([]float64, 4)
	for _, m := range p.Members {
		floats.AddScaled(want, 0.5/m.Sum(), m.P)
	}
	check.NearAll(t, "P", p.P, want, 1e-15)
	clone := p.Clone()
	if check.Near(t, "ΣP", floats.Sum(p.P), 1, 1e-15); p.Sum() != 1 || clone.Sum() != 1 || math.Abs(p.Members[0].Sum()-1) < 1e-4 {
		t.Errorf("sums %g, %g, of a member %g", p.Sum(), clone.Sum(), p.Members[0].Sum())
	}
}

// What a stream does with each example: it is predicted, and then learned.
func BenchmarkBank(b *testing.B) {
	bank := check.Must(NewDefaultBank(Default(20, 50, 3), random.Source("stream")))
	x, rnd := make([]float64, 20), rand.New(random.Source("stream", "inputs"))
	var p Prediction
	for b.Loop() {
		for i := range x {
			x[i] = rnd.NormFloat64()
		}
		check.OK(b, bank.Before(&p, x))
		check.Must(bank.Observe(x, rnd.IntN(3)))
	}
}
