package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// bankMembers returns two networks and an ensemble of different configurations.
func bankMembers() []Model {
	return []Model{
		members(spec{Layers: []int{2, 6, 3}}, 1)[0],
		ensemble(members(spec{Layers: []int{2, 4, 3}, Bias: true}, 2)...),
		members(spec{Layers: []int{2, 3}, Bias: true}, 1)[0],
	}
}

func bank(members ...Model) *Bank { return check.Must(NewBank(members...)) }

func models(networks []*Network) (all []Model) {
	for _, n := range networks {
		all = append(all, n)
	}
	return all
}

func defaultBank(cfg Config, src rand.Source) *Bank {
	return bank(models(check.Must(DefaultMembers(cfg, src)))...)
}

// hugeNetwork returns a network that overflows on inputs of 1e9.
func hugeNetwork() *Network {
	huge := members(spec{Layers: []int{2, 4, 3}}, 1)[0].State()
	huge.Layers[0].Mean.Set(0, 0, 1e150)
	return check.Must(Restore(huge))
}

// A bank predicts the mixture of its members, whose weights are the means of those of mixtures, in proportion
// to the products of the probabilities that these gave the examples; LogP is the bank's.
func TestBank(t *testing.T) {
	b, alone := bank(bankMembers()...), bankMembers()
	x, class := twoRings(30, rand.New(random.Source("rings")))
	var shares [][]float64
	for a := range 5 {
		for b := range 5 - a {
			shares = append(shares, []float64{float64(a) / 4, float64(b) / 4, float64(4-a-b) / 4})
		}
	}
	products := slices.Repeat([]float64{1}, len(shares))
	of, given := make([]Prediction, 3), make([]float64, 3)
	var p Prediction
	for i := range x {
		check.OK(t, b.Predict(&p, x[i]))
		weights := make([]float64, 3)
		for k, share := range shares {
			floats.AddScaled(weights, products[k]/floats.Sum(products), share)
		}
		check.NearAll(t, "weights", b.Weights(), weights, 1e-9)
		for k := range of {
			check.OK(t, alone[k].Predict(&of[k], x[i]))
			given[k] = of[k].P[class[i]]
			check.Must(alone[k].Observe(x[i], class[i]))
		}
		for k, share := range shares {
			products[k] *= floats.Dot(share, given)
		}
		checkMixture(t, &p, b.Weights(), of)
		u := check.Must(b.Observe(x[i], class[i]))
		check.Near(t, "log p", u.LogP, math.Log(p.Moments.P[class[i]]), 1e-8)
	}
	check.Equal(t, "networks and members", []int{len(b.Members()), len(b.Models())}, []int{4, 3})
	before := b.Weights()
	b.Weights()[0] = 0 // a copy
	b.Fix()
	if _, err := b.Observe(x[0], class[0]); err != nil || b.Weights()[0] != before[0] {
		t.Errorf("%v, fixed weights %v, before %v", err, b.Weights(), before)
	}
}

// A member that cannot predict an input has no weight there, and one that cannot learn it counts as surprised
// by it. The bank fails where all fail, for this input.
func TestBankBreaksDown(t *testing.T) {
	good := func() []Model { return bankMembers()[:2] }
	b, without := bank(append(good(), hugeNetwork())...), bank(good()...)
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
	if w := b.Weights(); !(w[2] < 0.2) || !(without.Weights()[0] > w[0]) {
		t.Errorf("weights after a member was surprised %v, without it %v", w, without.Weights())
	}

	all := bank(hugeNetwork(), hugeNetwork())
	check.Must(all.Observe([]float64{1, 1}, 0))
	before := all.State()
	u, err := all.Observe(x, 1)
	if err == nil || !strings.HasPrefix(err.Error(), "member 0: bnn: layer ") || u.Action != Refused {
		t.Errorf("%+v, %v", u, err)
	}
	check.Refuses(t, "all", all.Predict(&p, x))
	check.Equal(t, "class", p.Class(), Unknown)
	check.OK(t, all.Predict(&p, []float64{1, 1}))
	for _, n := range all.Members() { // cannot learn
		s := n.State()
		s.Layers[0].Mean.Set(0, 0, 1e300)
		*n = *check.Must(Restore(s))
	}
	check.Refuses(t, "all", check.Err(all.Observe([]float64{1, 1}, 1)))
	check.Equal(t, "after an error of all", all.State(), before)
}

// No weight is lost to underflow: a member that predicted the impossible comes back when the others do so.
func TestWeightsUnderflow(t *testing.T) {
	w := newWeighing(2)
	add := func(times int, a, b float64) []float64 {
		for range times {
			w.add([]float64{a, b}, 1, smallest)
			w.normalise()
		}
		return w.members
	}
	if w := add(5000, math.Inf(-1), -690); !(w[0] < 1e-9) || !(w[1] > 1-1e-9) {
		t.Errorf("weights %v", w)
	}
	if w := add(6000, -1, math.NaN()); !(w[0] > 0.2) {
		t.Errorf("weights %v after it went the other way", w)
	}
}

// The weights of the powers are their evidence. Predictions that are no probabilities are none.
func TestCalibrationIsEvidence(t *testing.T) {
	b := newWeighing(1)
	b.judge([]float64{0.5, 0.3, 0.2}, 1, 1)
	b.judge([]float64{0.1, 0.7, 0.2}, 1, 1)
	b.judge([]float64{0.1, math.NaN(), 0.2}, 0, 1)
	b.judge([]float64{0, 0, 0}, 0, 1)
	b.normalise()
	power := func(tau float64, p ...float64) []float64 {
		for j := range p {
			p[j] = math.Pow(p[j], tau)
		}
		floats.Scale(1/floats.Sum(p), p)
		return p
	}
	want, total := make([]float64, 2), 0.
	for _, tau := range []float64{0.7, 0.85, 1, 1.2, 1.5, 2} {
		u := power(tau, 0.5, 0.3, 0.2)[1] * power(tau, 0.1, 0.7, 0.2)[1]
		total += u
		floats.AddScaled(want, u, power(tau, 0.4, 0.6))
	}
	floats.Scale(0.9/total, want) // an approximation's sum
	got := []float64{0.36, 0, 0.54}
	b.temper(got)
	check.NearAll(t, "probabilities", got, []float64{want[0], 0, want[1]}, 1e-12)
}

// Predictions may be made at the same time; they and steps allocate nothing.
func TestBankConcurrent(t *testing.T) {
	b := bank(append(bankMembers(), hugeNetwork())...)
	var want Prediction
	x := []float64{1, 2}
	predict := func() {
		if _, err := b.Observe(x, 1); err != nil || b.Predict(&want, x) != nil {
			t.Error(err)
		}
	}
	predict()
	for range 10 * mostKept { // after which a step seldom keeps its example
		predict()
	}
	check.NoAllocs(t, "a step", func() { _, _ = b.Observe(x, 1) })
	predict()
	check.NoAllocs(t, "a prediction", func() { _ = b.Predict(&want, x) })
	b.Models()[1].(*Ensemble).parallel = true
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

// The default has the members that its comment says.
func TestDefaultMembers(t *testing.T) {
	cfg := Default(4, 50, 3)
	members := check.Must(DefaultMembers(cfg, random.Source("default bank")))
	hidden, output, linear := cfg.PriorVar[0], cfg.PriorVar[1], Default(4, 3).PriorVar[0]
	for k, want := range [][]float64{
		{hidden, 3 * output}, {hidden / 10, 10 * output}, {hidden / 10, 0.3 * output}, {linear}, {linear / 1000},
	} {
		check.NearAll(t, fmt.Sprint("prior variances of member ", k), members[k].Config().PriorVar, want, 1e-12)
	}
	cfg.SetCovariance(Diagonal)
	cfg.PriorVar = []float64{1, 2 * cfg.PriorVar[1]}
	members = check.Must(DefaultMembers(cfg, random.Source("default bank")))
	check.Near(t, "prior variance of a wider prior", members[3].Config().PriorVar[0], 2*linear, 1e-12)
	members = check.Must(DefaultMembers(Default(4, 3), random.Source("default bank")))
	check.Equal(t, "members without hidden layers", len(members), 2)
	cfg.PriorVar = nil
	check.Refuses(t, "no prior variances", check.Err(DefaultMembers(cfg, random.Source("none"))), "PriorVar")
}

// P of a bank is the distribution of the label: it adds up to 1 where those of the members do not. The
// confidence is that of one error in the geometric mean of the members.
func TestBankAddsUp(t *testing.T) {
	rule := spec{Layers: []int{2, 4}, Output: Joint, Softmax: softmax.Probit{Lambda: 0.3, Rho: 0.2}}
	b := bank(members(rule, 2)[0], members(rule, 2)[1])
	var p Prediction
	b.along.power = [6]float64{2: 1} // no calibration
	check.OK(t, b.Predict(&p, []float64{3, -1}))
	want := make([]float64, 4)
	for _, m := range p.Members {
		floats.AddScaled(want, 0.5/m.Sum(), m.P)
	}
	one, two, best := &p.Members[0], &p.Members[1], p.Class()
	wrong := math.Sqrt((1 - one.P[best]/one.Sum()) * (1 - two.P[best]/two.Sum()))
	check.Near(t, "confidence", p.Confidence(), 1-wrong, 1e-15)
	check.Near(t, "confidence of a member", one.Confidence(), floats.Max(one.P)/one.Sum(), 0)
	check.NearAll(t, "P", p.P, want, 1e-15)
	if check.Near(t, "ΣP", floats.Sum(p.P), 1, 1e-15); p.Sum() != 1 || math.Abs(p.Members[0].Sum()-1) < 1e-4 {
		t.Errorf("sum %g, of a member %g", p.Sum(), p.Members[0].Sum())
	}
}
