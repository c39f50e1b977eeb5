package mixture

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// network returns a network with random prior means; the default one with a name for its random numbers.
func network(name any, layers ...int) *bnn.Network {
	return check.Must(bnn.New(bnn.Default(layers...), random.Source("mixture", name)))
}

// models returns two networks and an ensemble of different configurations.
func models() []bnn.Model {
	two := check.Must(bnn.NewEnsemble(bnn.Default(2, 4, 3), 2, random.Source("two")))
	return []bnn.Model{network(1, 2, 6, 3), two, network(2, 2, 3)}
}

func mixture(members ...bnn.Model) *Mixture { return check.Must(New(members...)) }

// wide returns a network that overflows on inputs of 1e9.
func wide() *bnn.Network {
	s := network("wide", 2, 4, 3).State()
	s.Layers[0].Mean.Set(0, 0, 1e150)
	return check.Must(bnn.Restore(s))
}

// stream returns three Gaussian classes in an order: shuffled, one after the other, or each in four parts.
func stream(n int, order string) (x [][]float64, class []int) {
	rnd := rand.New(random.Source("order", n))
	parts := rnd.Perm(12)
	for i := range n {
		c := rnd.IntN(3)
		switch order {
		case "sorted":
			c = 3 * i / n
		case "parts":
			c = parts[12*i/n] % 3
		}
		angle := 2 * math.Pi / 3 * float64(c)
		x = append(x, []float64{1.5*math.Cos(angle) + rnd.NormFloat64(), 1.5*math.Sin(angle) + rnd.NormFloat64()})
		class = append(class, c)
	}
	return x, class
}

// The weights are the means of those of quartets of members, in proportion to the products of the
// probabilities that the quartets gave the examples. Moments and LogP are those of the mixture with these
// weights, before calibration.
func TestWeights(t *testing.T) {
	m, alone := mixture(models()...), models()
	x, class := stream(30, "shuffled")
	var shares [][]float64
	for a := range 5 {
		for b := range 5 - a {
			shares = append(shares, []float64{float64(a) / 4, float64(b) / 4, float64(4-a-b) / 4})
		}
	}
	products := slices.Repeat([]float64{1}, len(shares))
	single, given := make([]bnn.Prediction, 3), make([]float64, 3)
	var p bnn.Prediction
	for i := range x {
		check.OK(t, m.Predict(&p, x[i]))
		weights, q := make([]float64, 3), make([]float64, 3)
		for k, share := range shares {
			floats.AddScaled(weights, products[k]/floats.Sum(products), share)
		}
		check.NearAll(t, "weights", m.Weights(), weights, 1e-9)
		for k, w := range weights {
			check.OK(t, alone[k].Predict(&single[k], x[i]))
			given[k] = single[k].P[class[i]]
			check.Must(alone[k].Observe(x[i], class[i]))
			floats.AddScaled(q, w, single[k].P)
		}
		variance := 0.0 // of the probability of class 0
		for k, w := range weights {
			d := single[k].P[0] - q[0]
			variance += w * (single[k].Cov.At(0, 0) + d*d)
		}
		check.NearAll(t, "p before calibration", p.Moments.P, q, 1e-9)
		check.Near(t, "variance", p.Cov.At(0, 0), variance, 1e-9)
		for k, share := range shares {
			products[k] *= floats.Dot(share, given)
		}
		u := check.Must(m.Observe(x[i], class[i]))
		check.Near(t, "log p", u.LogP, math.Log(q[class[i]]), 1e-8)
	}
	before := m.Weights()
	m.Weights()[0] = 0 // a copy
	m.Fix()
	if _, err := m.Observe(x[0], class[0]); err != nil || m.Weights()[0] != before[0] {
		t.Errorf("%v, fixed weights %v, before %v", err, m.Weights(), before)
	}
}

// A member that cannot predict an input has no weight there, and one that cannot learn it gave its class the
// probability zero. The mixture fails where all fail.
func TestMemberFails(t *testing.T) {
	m, without := mixture(append(models()[:2], wide())...), mixture(models()[:2]...)
	x := []float64{1e9, 1}
	var p, q bnn.Prediction
	if err := m.Predict(&p, x); err != nil || p.Weights[2] != 0 || !math.IsNaN(p.Members[2].P[0]) {
		t.Errorf("%v, weights %v", err, p.Weights)
	}
	check.OK(t, without.Predict(&q, x))
	check.NearAll(t, "p without the member", p.P, q.P, 1e-14)
	for _, m := range []*Mixture{m, without} {
		if u, err := m.Observe(x, 1); err != nil || u.Action == bnn.Refused || u.LogP > 0 {
			t.Errorf("%+v, %v", u, err)
		}
	}
	if w := m.Weights(); !(w[2] < 0.2) || !(without.Weights()[0] > w[0]) {
		t.Errorf("weights after a member failed %v, without it %v", w, without.Weights())
	}

	all := mixture(wide(), wide())
	check.Must(all.Observe([]float64{1, 1}, 0))
	before := all.State()
	u, err := all.Observe(x, 1)
	if err == nil || !strings.HasPrefix(err.Error(), "member 0: bnn: layer ") || u.Action != bnn.Refused {
		t.Errorf("%+v, %v", u, err)
	}
	check.Refuses(t, "all", all.Predict(&p, x))
	check.Equal(t, "class", p.Class(), bnn.Unknown)
	check.OK(t, all.Predict(&p, []float64{1, 1}))
	check.Equal(t, "after an error of all", all.State(), before)
}

// What a caller gets wrong is an error of no member, changes nothing, and is predicted as unknown.
func TestBadInput(t *testing.T) {
	m := mixture(models()...)
	var p bnn.Prediction
	for _, x := range [][]float64{{math.NaN(), 0}, {0, math.Inf(1)}, {1}, {1, 2, 3}, nil} {
		check.OK(t, m.Predict(&p, []float64{1, 2}))
		for _, err := range []error{m.Predict(&p, x), check.Err(m.Observe(x, 0))} {
			check.True(t, err != nil && !strings.Contains(err.Error(), "member"), "%v: error %v", x, err)
		}
		check.True(t, p.Class() == bnn.Unknown && math.IsNaN(p.Mean[0]), "%v is of class %d", x, p.Class())
	}
	check.Refuses(t, "class", check.Err(m.Observe([]float64{1, 2}, 3)), "mixture: class 3")
	check.Equal(t, "after errors", m.State(), mixture(models()...).State())
	check.Refuses(t, "twice", check.Err(New(m, m)), "mixture: member 1 is a member twice")
	many := make([]bnn.Model, 17)
	check.Refuses(t, "many", check.Err(New(many...)), "mixture: 17 members; need 16 at most")
}

// A new class leaves the weights as they are. If a member cannot have it, none has.
func TestAddClass(t *testing.T) {
	m := mixture(append(models(), mixture(models()...))...)
	x, class := stream(30, "shuffled")
	for i := range x {
		check.Must(m.Observe(x[i], class[i]))
	}
	var p bnn.Prediction
	check.OK(t, m.Predict(&p, x[0]))
	weights := slices.Clone(p.Weights)
	check.OK(t, m.AddClass())
	check.OK(t, m.Predict(&p, x[0]))
	check.NearAll(t, "weights", p.Weights, weights, 0)
	check.Equal(t, "classes", []int{len(p.P), p.Cov.SymmetricDim(), len(p.Mean)}, []int{4, 4, 4})
	check.Near(t, "sum of probabilities", floats.Sum(p.P), 1, 1e-12)
	check.Must(m.Observe(x[0], 3))

	cfg, corr := bnn.Default(2, 3), mat.NewSymDense(2, []float64{1, 0, 0, 1})
	cfg.Output, cfg.Softmax = bnn.Joint, softmax.ProbitCorr{Lambda: 0.3, Corr: corr}
	first := network(4, 2, 3)
	m = mixture(first, mixture(check.Must(bnn.New(cfg, random.Source("fixed")))))
	check.Refuses(t, "a softmax of three classes", m.AddClass(), "3×3")
	_, classes := first.Shape()
	check.Equal(t, "classes after an error", classes, 3)
}

// No weight is lost to underflow: a member that predicted the impossible comes back when the others do so.
func TestWeightsUnderflow(t *testing.T) {
	w := newWeighting(2)
	add := func(times int, a, b float64) []float64 {
		for range times {
			w.members.add([]float64{a, b}, 1, smallest)
			w.normalise()
		}
		return w.members.weight
	}
	if w := add(5000, math.Inf(-1), -690); !(w[0] < 1e-9) || !(w[1] > 1-1e-9) {
		t.Errorf("weights %v", w)
	}
	if w := add(6000, -1, math.NaN()); !(w[0] > 0.2) {
		t.Errorf("weights %v after it went the other way", w)
	}
}

// The weights of the powers are their evidence. Predictions that are no probabilities are ignored.
func TestCalibrationIsEvidence(t *testing.T) {
	var c calibration
	c.add([]float64{0.5, 0.3, 0.2}, 1, 1)
	c.add([]float64{0.1, 0.7, 0.2}, 1, 1)
	c.add([]float64{0.1, math.NaN(), 0.2}, 0, 1)
	c.add([]float64{0, 0, 0}, 0, 1)
	c.normalise()
	power := func(tau float64, p ...float64) []float64 {
		for j := range p {
			p[j] = math.Pow(p[j], tau)
		}
		floats.Scale(1/floats.Sum(p), p)
		return p
	}
	want, total := make([]float64, 2), 0.
	for _, tau := range powers {
		u := power(tau, 0.5, 0.3, 0.2)[1] * power(tau, 0.1, 0.7, 0.2)[1]
		total += u
		floats.AddScaled(want, u, power(tau, 0.4, 0.6))
	}
	floats.Scale(0.9/total, want) // an approximation's sum
	got := []float64{0.36, 0, 0.54}
	c.calibrate(got)
	check.NearAll(t, "probabilities", got, []float64{want[0], 0, want[1]}, 1e-12)
}

// Predictions may be made at the same time; they and steps allocate nothing.
func TestConcurrent(t *testing.T) {
	m := mixture(append(models(), wide())...)
	var want bnn.Prediction
	x := []float64{1, 2}
	predict := func() {
		if _, err := m.Observe(x, 1); err != nil || m.Predict(&want, x) != nil {
			t.Error(err)
		}
	}
	for range 10*mostKept + 1 { // after which a step seldom keeps its example
		predict()
	}
	check.NoAllocs(t, "a step", func() { _, _ = m.Observe(x, 1) })
	predict()
	check.NoAllocs(t, "a prediction", func() { _ = m.Predict(&want, x) })
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			var p bnn.Prediction
			for range 20 {
				if err := m.Predict(&p, x); err != nil || !floats.Equal(p.P, want.P) {
					t.Errorf("%v, %v; alone %v", p.P, err, want.P)
				}
			}
		})
	}
	group.Wait()
}

// P adds up to 1 where the probabilities of the members do not. The parts of the variance of the label add up
// to that of P, also after calibration.
func TestAddsUp(t *testing.T) {
	cfg := bnn.Default(2, 4)
	cfg.Output, cfg.Softmax = bnn.Joint, softmax.Probit{Lambda: 0.3, Rho: 0.2}
	cfg.Paper.OnIndefinite = bnn.Skip
	one, two := check.Must(bnn.New(cfg, random.Source("a"))), check.Must(bnn.New(cfg, random.Source("b")))
	m := mixture(one, two)
	var p bnn.Prediction
	m.stream.powers.weight = [len(powers)]float64{2: 1} // no calibration
	check.Must(one.Observe([]float64{3, -1}, 0))
	check.OK(t, m.Predict(&p, []float64{3, -1}))
	want := make([]float64, 4)
	for _, member := range p.Members {
		floats.AddScaled(want, 0.5/member.Sum(), member.P)
	}
	check.NearAll(t, "P", p.P, want, 1e-15)
	if p.Sum() != 1 || math.Abs(p.Members[0].Sum()-1) < 1e-4 {
		t.Errorf("sum %g, of a member %g", p.Sum(), p.Members[0].Sum())
	}
	for range 300 { // of one class: the mixture becomes surer than its members
		check.Must(m.Observe([]float64{1, 1}, 1))
	}
	check.OK(t, m.Predict(&p, []float64{1, 1}))
	aleatoric, epistemic := p.LabelVariance()
	check.Near(t, "the variance of the label", aleatoric+epistemic, 1-floats.Dot(p.P, p.P), 1e-12)
}

// A stream in two parts leaves the same state as in one, whether it is predicted between or not, and whether
// members learn side by side or not.
func TestTwoParts(t *testing.T) {
	x, class := stream(400, "sorted")
	whole, parts := mixture(models()...), mixture(models()...)
	whole.parallel = true // with the same bits
	var p, q bnn.Prediction
	for i := range x {
		check.Must(whole.Observe(x[i], class[i]))
		if i%150 == 77 {
			var state State
			check.OK(t, parts.Predict(&p, x[0]))
			check.OK(t, json.Unmarshal(check.Must(json.Marshal(parts.State())), &state))
			parts = check.Must(Restore(state, parts.Members()...))
		}
		check.Must(parts.Observe(x[i], class[i]))
	}
	check.Equal(t, "state", parts.State(), whole.State())
	check.OK(t, errors.Join(parts.Predict(&p, x[3]), whole.Predict(&q, x[3])))
	check.NearAll(t, "P", p.P, q.P, 0)
}

// A state that is none of the mixture is refused.
func TestRestoreRefuses(t *testing.T) {
	m := mixture(models()...)
	for i := range 9 {
		check.Must(m.Observe([]float64{float64(i), 1}, i%3))
	}
	for name, change := range map[string]func(s *State){
		"class":    func(s *State) { s.Order.Last = 3 },
		"same":     func(s *State) { s.Order.Same = -1 },
		"counts":   func(s *State) { s.Order.Counts = s.Order.Counts[:2] },
		"examples": func(s *State) { s.Order.Counts[1]++ },
		"input":    func(s *State) { s.Order.Kept[1][2].X = nil },
		"log p":    func(s *State) { s.Order.Kept[2][0].LogP[1] = math.NaN() },
		"mixtures": func(s *State) { s.Mixtures = []float64{0, 0} },
		"powers":   func(s *State) { s.Powers = nil },
		"finite":   func(s *State) { s.Mixtures[0] = math.NaN() },
		"seen":     func(s *State) { s.Seen = -1 },
	} {
		s := m.State()
		change(&s)
		check.Refuses(t, name, check.Err(Restore(s, models()...)), "not those of a mixture of 3")
	}
}

// With forgetting the latest examples count most, and the order of the classes does not.
func TestForget(t *testing.T) {
	m := mixture(&fixed{0.9, 0.2, 0}, &fixed{0.1, 0.2, 0})
	check.OK(t, m.Forget(0.5))
	for i := range 200 {
		check.Must(m.Observe([]float64{0, 0}, i/100))
	}
	s := m.State()
	check.Near(t, "log weight", s.Mixtures[0], 2*math.Log(0.1/0.9), 1e-9)
	check.NearAll(t, "weights", m.Weights(), m.stream.members.weight, 0)
	again := check.Must(Restore(s, &fixed{0.9, 0.2, 0}, &fixed{0.1, 0.2, 0}))
	check.Must(again.Observe([]float64{0, 0}, 0))
	check.Must(m.Observe([]float64{0, 0}, 0))
	check.NearAll(t, "restored", again.Weights(), m.Weights(), 0)
	for _, bad := range []float64{1.5, math.NaN()} {
		check.Refuses(t, fmt.Sprint(bad), m.Forget(bad), "need 0 to 1")
	}
}
