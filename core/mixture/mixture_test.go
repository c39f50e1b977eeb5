package mixture

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
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

func snapshot(m *Mixture) *Snapshot { return m.Snapshot().(*Snapshot) }

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

// The weights of a snapshot are the means of those of quartets of members, in proportion to the products of
// the probabilities that the quartets gave the examples. For the next example a fixed share follows each
// step; moments and LogP are those of the mixture with these weights, before calibration.
func TestWeights(t *testing.T) {
	t.Run("the default", func(t *testing.T) { testWeights(t, mixture(models()...), 0.0002) })
	m := mixture(models()...)
	m.SetFixedShare(0.1)
	t.Run("a larger share", func(t *testing.T) { testWeights(t, m, 0.1) })
}

func testWeights(t *testing.T, m *Mixture, fixedShare float64) {
	alone := models()
	x, class := stream(30, "shuffled")
	var shares [][]float64
	for a := range 5 {
		for b := range 5 - a {
			shares = append(shares, []float64{float64(a) / 4, float64(b) / 4, float64(4-a-b) / 4})
		}
	}
	products, next := slices.Repeat([]float64{1}, len(shares)), slices.Repeat([]float64{1}, len(shares))
	mean := func(products []float64) []float64 {
		weights := make([]float64, 3)
		for k, share := range shares {
			floats.AddScaled(weights, products[k]/floats.Sum(products), share)
		}
		return weights
	}
	single, given := make([]bnn.Prediction, 3), make([]float64, 3)
	powers, nextPowers := newWeighting(3).powers, newWeighting(3).powers
	var p bnn.Prediction
	for i := range x {
		check.OK(t, m.Predict(&p, x[i]))
		weights, q, whole := mean(next), make([]float64, 3), make([]float64, 3)
		check.NearAll(t, "weights", m.Weights(), weights, 1e-9)
		for k, w := range weights {
			check.OK(t, alone[k].Predict(&single[k], x[i]))
			given[k] = single[k].P[class[i]]
			check.Must(alone[k].Observe(x[i], class[i]))
			floats.AddScaled(q, w, single[k].P)
			floats.AddScaled(whole, mean(products)[k], single[k].P)
		}
		powers.add(whole, class[i], 1)
		nextPowers.follow(slices.Clone(q), class[i], fixedShare)
		variance := 0.0 // of the probability of class 0
		for k, w := range weights {
			d := single[k].P[0] - q[0]
			variance += w * (single[k].Cov.At(0, 0) + d*d)
		}
		check.NearAll(t, "p before calibration", p.Moments.P, q, 1e-9)
		check.Near(t, "variance", p.Cov.At(0, 0), variance, 1e-9)
		aleatoric, epistemic := p.LabelVariance() // of P, after calibration
		check.Near(t, "variance of the label", aleatoric+epistemic, 1-floats.Dot(p.P, p.P), 1e-12)
		for k, share := range shares {
			products[k] *= floats.Dot(share, given)
			next[k] *= floats.Dot(share, given)
		}
		floats.Scale((1-fixedShare)/floats.Sum(next), next)
		floats.AddConst(fixedShare/15, next)
		u := check.Must(m.Observe(x[i], class[i]))
		check.Near(t, "log p", u.LogP, math.Log(q[class[i]]), 1e-8)
	}
	whole := snapshot(m).Weights()
	check.NearAll(t, "weights of the snapshot", whole, mean(products), 1e-9)
	powers.normalise()
	check.NearAll(t, "powers", m.next.powers.weight[:], nextPowers.weight[:], 1e-9)
	check.NearAll(t, "powers of the snapshot", m.whole.powers.weight[:], powers.weight[:], 1e-9)
	m.Weights()[0], snapshot(m).Weights()[0] = 0, 0 // copies
	m.Fix()
	check.Must(m.Observe(x[0], class[0]))
	check.NearAll(t, "fixed weights", m.Weights(), whole, 0)
	check.NearAll(t, "fixed weights of the snapshot", snapshot(m).Weights(), whole, 0)
}

// A member that cannot predict an input has no weight there, and one that cannot learn it gave its class the
// probability zero. The mixture fails where all fail.
func TestMemberFails(t *testing.T) {
	m, without := mixture(append(models()[:2], wide())...), mixture(models()[:2]...)
	x := []float64{1e9, 1}
	var p, q bnn.Prediction
	check.OK(t, m.Predict(&p, x))
	check.True(t, p.Weights[2] == 0 && math.IsNaN(p.Members[2].P[0]), "weights %v", p.Weights)
	class, confidence := m.ByWholeStream(&p)
	check.True(t, class == p.Class() && confidence == p.Confidence(), "class %d of %g", class, confidence)
	check.OK(t, without.Predict(&q, x))
	check.NearAll(t, "p without the member", p.P, q.P, 1e-14)
	for _, m := range []*Mixture{m, without} {
		u := check.Must(m.Observe(x, 1))
		check.True(t, u.Action != bnn.Refused && u.LogP <= 0, "%+v", u)
	}
	w := m.Weights()
	check.True(t, w[2] < 0.2 && without.Weights()[0] > w[0], "weights %v, without the member %v", w, without.Weights())

	check.Must(m.Observe([]float64{1, 1}, 0))
	powers := m.State().Whole.Powers
	check.Must(m.Observe(x, 1))
	check.NearAll(t, "powers", m.State().Whole.Powers, powers, 0)

	all := mixture(wide(), wide())
	check.Must(all.Observe([]float64{1, 1}, 0))
	before := all.State()
	u, err := all.Observe(x, 1)
	check.Refuses(t, "all", err, "member 0: bnn: layer ")
	check.Equal(t, "action", u.Action, bnn.Refused)
	check.Refuses(t, "all", all.Predict(&p, x))
	class, confidence = all.ByWholeStream(&p)
	check.Equal(t, "classes", []int{p.Class(), class}, []int{bnn.Unknown, bnn.Unknown})
	check.True(t, math.IsNaN(confidence), "confidence %g", confidence)
	check.OK(t, all.Predict(&p, []float64{1, 1}))
	check.Equal(t, "after an error of all", all.State(), before)
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
	first := add(5000, math.Inf(-1), -690)
	check.True(t, first[0] < 1e-9 && first[1] > 1-1e-9, "weights %v", first)
	second := add(6000, -1, math.NaN())
	check.True(t, second[0] > 0.2, "weights %v after it went the other way", second)
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

// Members that do not make a mixture, and a state that is not of the mixture, are refused.
func TestRefuses(t *testing.T) {
	m := mixture(models()...)
	check.Refuses(t, "twice", check.Err(New(m, m)), "mixture: member 1 is a member twice")
	many := make([]bnn.Model, 17)
	check.Refuses(t, "many", check.Err(New(many...)), "mixture: 17 members; need 16 at most")
	for i := range 9 {
		check.Must(m.Observe([]float64{float64(i), 1}, i%3))
	}
	for name, change := range map[string]func(s *State){
		"class":    func(s *State) { s.Order.Last = 3 },
		"same":     func(s *State) { s.Order.Same = -1 },
		"counts":   func(s *State) { s.Order.Counts = s.Order.Counts[:2] },
		"latest":   func(s *State) { s.Order.Latest = nil },
		"away":     func(s *State) { s.Order.Away = append(s.Order.Away, 0) },
		"earlier":  func(s *State) { s.Order.Earlier.Same = 1 },
		"recent":   func(s *State) { s.Order.Recent.Same = -1 },
		"examples": func(s *State) { s.Order.Counts[1]++ },
		"input":    func(s *State) { s.Order.Kept[1][2].X = nil },
		"log p":    func(s *State) { s.Order.Kept[2][0].LogP = []float64{0, math.NaN(), 0} },
		"quartets": func(s *State) { s.Next.Quartets = []float64{0, 0} },
		"powers":   func(s *State) { s.Whole.Powers = nil },
		"finite":   func(s *State) { s.Whole.Quartets[0] = math.NaN() },
		"negative": func(s *State) { s.Next.Powers[1] = -1e-9 },
		"zero":     func(s *State) { clear(s.Next.Powers) },
		"seen":     func(s *State) { s.Seen = -1 },
		"share":    func(s *State) { s.Share = 2 },
	} {
		s := m.State()
		change(&s)
		check.Refuses(t, name, check.Err(Restore(s, models()...)), "not those of a mixture of 3")
	}
}

// The weights for the next example change as soon as another member, or another power, is better; those of a
// snapshot are by the whole stream. No member loses its share. P adds up to 1, unlike the members' P.
func TestFixedShare(t *testing.T) {
	a, b := &fixed{whole: 0.6}, &fixed{whole: 0.4}
	m := mixture(a, b)
	learn := func(examples int, pa, pb float64) { // the probabilities that the members give each class
		for i := range examples {
			a.next, b.next = pa, pb
			if i%2 == 1 {
				a.next, b.next = 1-pa, 1-pb
			}
			check.Must(m.Observe([]float64{float64(i), 0}, i%2))
		}
	}
	learn(500, 0.6, 0.4)
	w := m.Weights()[1]
	check.True(t, w >= FixedShare/2 && w < 0.002, "weight %g of the worse member", w)
	learn(60, 0.4, 0.6)
	w, whole := m.Weights()[1], snapshot(m).Weights()[1]
	check.True(t, w > 0.95 && whole < 1e-3, "weight %g of the better member, in a snapshot %g", w, whole)
	var p, q bnn.Prediction
	a.next, b.next = 0.6, 0.4
	check.OK(t, m.Predict(&p, []float64{0, 0}))
	class, confidence := m.ByWholeStream(&p)
	check.Equal(t, "classes by the present and by the whole stream", []int{p.Class(), class}, []int{1, 0})
	check.Near(t, "confidence by the whole stream", confidence, 0.6, 1e-3)

	a = &fixed{next: 0.7, whole: 0.7}
	m = mixture(a)
	learn(300, 0.7, 0)
	a.next = 0.7
	for i := range 100 { // wrong in each second
		check.Must(m.Observe([]float64{float64(i), 0}, i%2))
	}
	check.OK(t, errors.Join(m.Predict(&p, []float64{0, 0}), m.Snapshot().Predict(&q, []float64{0, 0})))
	check.Near(t, "P of the next example, τ = 0.7", p.P[0], 1/(1+math.Pow(0.3/0.7, 0.7)), 0.01)
	check.Near(t, "P of a snapshot, τ = 2", q.P[0], 1/(1+math.Pow(0.3/0.7, 2)), 0.01)
}
