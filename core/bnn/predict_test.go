package bnn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// networks are networks of all kinds of layers.
func networks() []spec {
	exact := softmax.Exact{Fast: true}
	return []spec{
		{Layers: []int{13, 7, 6, 3}},
		{Layers: []int{13, 7, 6, 3}, Hidden: Smooth},
		{Layers: []int{13, 7, 3}, Covariance: []Covariance{Full}, Hidden: Frozen},
		{
			Layers: []int{13, 9, 6, 3}, Covariance: []Covariance{Diagonal, Shared, Full}, Bias: true,
			Noise: []float64{1e-2, 0, 1e-3},
		},
		{Layers: []int{13, 9, 6, 3}, Covariance: []Covariance{Diagonal}, Hidden: Smooth, Bias: true},
		{Layers: []int{13, 9, 6, 3}, Covariance: []Covariance{Shared}, Hidden: Smooth, Bias: true},
		{Layers: []int{13, 4, 3}, Output: ADFExact, Softmax: exact, Covariance: []Covariance{Full}, Bias: true},
		{Layers: []int{13, 5}, Bias: true},
		{Layers: []int{13, 5, 3}, Output: Joint, OnIndefinite: Project, Hidden: Frozen},
		{
			Layers: []int{13, 2, 4}, Output: Total, OnIndefinite: Project, Covariance: []Covariance{Diagonal},
			Alpha: 0.1, Beta: 1.5, Replications: []float64{3, 0.5}, PriorScale: []float64{2, 3},
		},
	}
}

// trained returns an ensemble that has seen some examples, and inputs, of which some numbers are zero.
func trained(cfg spec, n int) (*Ensemble, [][]float64) {
	e := ensemble(members(cfg, n)...)
	rnd := rand.New(rand.NewPCG(5, 6))
	x := make([][]float64, 11)
	for k := range x {
		for range cfg.Layers[0] {
			x[k] = append(x[k], max(0, rnd.NormFloat64()))
		}
		check.Must(e.Observe(x[k], k%3))
	}
	return e, x
}

// samePrediction reports whether all numbers are the same, none of them NaN.
func samePrediction(a, b *Prediction) bool {
	public := func(p Prediction) Prediction {
		p.owner, p.flows = nil, nil
		return p
	}
	for k := range a.Members {
		if len(b.Members) != len(a.Members) || !samePrediction(&a.Members[k], &b.Members[k]) {
			return false
		}
	}
	x, y := public(*a), public(*b)
	x.Members, y.Members = nil, nil
	return len(a.Members) == len(b.Members) && reflect.DeepEqual(x, y)
}

// A brief prediction is the same without the moments of classes² numbers.
func TestBrief(t *testing.T) {
	corr := softmax.ProbitCorr{Lambda: 0.3, Corr: mat.NewSymDense(2, []float64{1, 0.2, 0.2, 1})}
	skips := spec{Layers: []int{13, 3}, Output: Joint, Softmax: corr, OnIndefinite: Skip}
	for _, cfg := range append(networks(), skips) {
		for _, members := range []int{1, 2} {
			e, x := trained(cfg, members)
			var p Prediction
			q := Prediction{Brief: true}
			check.OK(t, errors.Join(e.Predict(&p, x[0]), e.Predict(&q, x[0])))
			for i := range q.Members {
				check.True(t, q.Members[i].Brief && q.Members[i].Moments.E == nil, "member %d is not brief", i)
			}
			check.True(t, q.Cov == nil && q.Moments.E == nil, "moments of classes² numbers")
			values := func(p *Prediction) []float64 {
				a, b := p.LabelVariance()
				return slices.Concat(p.P, p.Mean, p.Variance, []float64{p.Confidence(), p.MutualInformation(), a, b})
			}
			check.NearAll(t, "brief prediction", values(&q), values(&p), 0)
			if cfg.Output != Joint { // softmax.ProbitCorr allocates
				check.NoAllocs(t, "a brief prediction", func() { _ = e.Before(&q, x[1]) })
				check.NoAllocs(t, "a step and a prediction", func() {
					check.Must(e.Observe(x[1], 1))
					check.OK(t, e.Predict(&q, x[1]))
				})
				check.OK(t, e.Predict(&p, x[0]))
			}
			check.True(t, e.Predict(&q, nil) != nil && math.IsNaN(q.P[0]), "after an error: %v", q.P)
			q.Brief = false
			check.OK(t, e.Predict(&q, x[0]))
			check.True(t, samePrediction(&q, &p), "no longer brief: %+v; want %+v", q, p)
		}
	}
}

// A step after Before is that without, to the bit, whatever happens between the two.
func TestObserveAfterBefore(t *testing.T) {
	for _, cfg := range networks() {
		for _, members := range []int{1, 2} {
			e, x := trained(cfg, members)
			want, _ := trained(cfg, members)
			var got, p Prediction
			for k, between := range []func(e *Ensemble) error{
				func(*Ensemble) error { return nil },
				func(e *Ensemble) error { return e.Before(new(Prediction), x[5]) },
				func(e *Ensemble) error { _, err := e.Observe(x[0], 1); return err },
				func(e *Ensemble) error {
					mean, cov := e.Members()[0].Weights(0)
					mean.Scale(0.5, mean)
					return e.Members()[0].SetWeights(0, mean, cov)
				},
				(*Ensemble).AddClass,
			} {
				check.OK(t, e.Before(&got, x[0]))
				check.OK(t, want.Predict(&p, x[0]))
				check.True(t, samePrediction(&got, &p), "%+v: before step %d %v, want %v", cfg, k, got, p)
				for _, e := range []*Ensemble{e, want} {
					check.OK(t, between(e))
					check.Must(e.Observe(x[0], 2))
				}
			}
			check.OK(t, e.Predict(&got, x[1]))
			check.OK(t, want.Predict(&p, x[1]))
			check.True(t, samePrediction(&got, &p), "%+v: after the steps %v, want %v", cfg, got, p)
		}
	}
}

// A snapshot predicts as its model did, also while the model learns on and after it has got a class.
func TestSnapshot(t *testing.T) {
	for _, cfg := range networks() {
		e, x := trained(cfg, 2)
		for _, m := range []Model{e, e.Members()[0]} {
			want := make([]Prediction, len(x))
			for k := range x {
				check.OK(t, m.Predict(&want[k], x[k]))
			}
			s := m.Snapshot()
			_, classes := m.Shape()
			same := func() {
				var got Prediction
				for k := range x {
					err := s.Predict(&got, x[k])
					check.True(t, err == nil && samePrediction(&got, &want[k]), "%T of %+v: %v, %v", m, cfg, got, err)
				}
			}
			var busy sync.WaitGroup
			busy.Go(same)
			busy.Go(same)
			for k := range x {
				check.Must(m.Observe(x[k], 1))
			}
			busy.Wait()
			check.OK(t, m.AddClass())
			same()
			_, still := s.Shape()
			check.Equal(t, "classes", still, classes)
		}
	}
}

// The parts of the label's variance are Σ_j Var s_j, which is 0 for certain logits, and what it leaves of the
// variance of P. They are NaN after errors.
func TestLabelVariance(t *testing.T) {
	var p Prediction
	cfg := spec{Layers: []int{2, 4, 3}, Bias: true}
	exact := spec{Layers: []int{2, 3}, Output: ADFExact, Softmax: softmax.Exact{}}
	certain := newNetwork(exact)
	makeCertain(t, certain, 0)
	for _, m := range []Model{newNetwork(cfg), ensemble(members(cfg, 2)...), newNetwork(exact), certain} {
		check.Must(m.Observe([]float64{1, 2}, 1))
		check.OK(t, m.Predict(&p, []float64{1, 1}))
		total, sum := 0.0, p.Sum()
		for _, x := range p.P {
			total += x / sum * (1 - x/sum)
		}
		aleatoric, epistemic := p.LabelVariance()
		check.Near(t, "the variance of the label", aleatoric+epistemic, total, 1e-12)
		check.True(t, aleatoric > 0 && epistemic >= 0, "%T: aleatoric %g, epistemic %g", m, aleatoric, epistemic)
		if n, ok := m.(*Network); ok && n.cfg.Output.exact() {
			check.Near(t, "epistemic", epistemic, mat.Trace(p.Cov), 1e-10)
		}
		for _, p := range []*Prediction{&p, {}} {
			check.Refuses(t, "one input", m.Predict(p, []float64{1}))
			aleatoric, epistemic = p.LabelVariance()
			for _, x := range []float64{aleatoric, epistemic, p.MutualInformation(), p.Sum()} {
				check.True(t, math.IsNaN(x), "%T: %g after an error", m, x)
			}
		}
	}
}

// The confidence of an ensemble is that of one error in the geometric mean of the members.
func TestConfidence(t *testing.T) {
	var p Prediction
	check.OK(t, ensemble(members(spec{Layers: []int{2, 4}}, 2)...).Predict(&p, []float64{3, -1}))
	one, two, best := &p.Members[0], &p.Members[1], p.Class()
	wrong := math.Sqrt((1 - one.P[best]/one.Sum()) * (1 - two.P[best]/two.Sum()))
	check.Near(t, "confidence", p.Confidence(), 1-wrong, 1e-15)
	check.Near(t, "confidence of a member", one.Confidence(), floats.Max(one.P)/one.Sum(), 0)
}

// A restored network learns to the last bit as the original does. Network and state are copies of each other.
func TestRestore(t *testing.T) {
	for _, cfg := range networks() {
		e, x := trained(cfg, 1)
		n := e.Members()[0]
		s := n.State()
		restored, still := check.Must(Restore(s)), check.Must(Restore(s))
		for k, x := range slices.Repeat(x, 3) {
			want, got := check.Must(n.Observe(x, k%3)), check.Must(restored.Observe(x, k%3))
			check.Equal(t, fmt.Sprint("step ", k), fmt.Sprint(got), fmt.Sprint(want))
		}
		check.Equal(t, "state of before", still.State(), s)
		check.True(t, !reflect.DeepEqual(n.State(), s), "nothing was learned")
		check.Equal(t, "restored, after learning", restored.State(), n.State())
		want := fmt.Sprint(n.State().Config)
		s.Config.Layers[0]++
		s.Config.Covariance[0], s.Config.Replications[0], s.Config.PriorVar[0] = "9", 9, 9
		if len(s.Config.ProcessNoise) > 0 {
			s.Config.ProcessNoise[0] = 0.9
		}
		check.Equal(t, "configuration after changes of the state's", fmt.Sprint(n.State().Config), want)
	}
}

func TestRestoreRefuses(t *testing.T) {
	for want, alter := range map[string]func(*State){
		"Layers: []":                          func(s *State) { s.Config.Layers = nil },
		"need 2":                              func(s *State) { s.Layers = s.Layers[:1] },
		"layer 0: need means of 3×3":          func(s *State) { s.Layers[0].Mean = nil },
		"need means of 2×4 and spread of 2×4": func(s *State) { s.Layers[1].Mean = mat.NewDense(2, 3, nil) },
		"layer 1: row 1 of the means":         func(s *State) { s.Layers[1].Mean.Set(1, 2, math.NaN()) },
		"and spread of 9×3":                   func(s *State) { s.Layers[0].Spread = mat.NewDense(3, 3, nil) },
		"layer 0: row 8 of the spread":        func(s *State) { s.Layers[0].Spread.Set(8, 0, math.Inf(1)) },
		"layer 0: row 7 of the spread":        func(s *State) { s.Layers[0].Spread.Set(7, 0, 1e200) },
		"and spread of 3×3":                   func(s *State) { s.Config.Covariance[0] = Shared },
		"layer 1: row 1 of the spread":        func(s *State) { s.Layers[1].Spread.Set(1, 0, -1e-300) },
		"state of -1 learned examples":        func(s *State) { s.Learned = -1 },
	} {
		s := newNetwork(spec{Layers: []int{2, 3, 2}, Bias: true, Covariance: []Covariance{Full, Diagonal}}).State()
		alter(&s)
		check.Refuses(t, want, check.Err(Restore(s)), want)
	}
}

// A new class leaves all weights as they were, and has means of zero and the prior covariance,
// where covariances are shared that of its layer. Predictions made into the same memory have it.
func TestAddClass(t *testing.T) {
	covariance, probit := []Covariance{Full, Shared}, softmax.Probit{Lambda: 0.3, Rho: 0.5}
	network := newNetwork(spec{Layers: []int{2, 4, 3}, Softmax: probit, Covariance: covariance})
	for _, m := range []Model{
		network,
		ensemble(members(spec{Layers: []int{2, 3}, Bias: true, Covariance: []Covariance{Diagonal}}, 2)...),
	} {
		x, class := twoRings(30, rand.New(random.Source("rings")))
		var p Prediction
		for i := range x {
			check.Must(m.Observe(x[i], class[i]))
		}
		check.OK(t, m.Predict(&p, x[0]))
		var before []*Network
		for _, n := range networksOf(m) {
			before = append(before, copied(n))
		}
		weights := slices.Clone(p.Weights)
		check.OK(t, m.AddClass())
		for k, n := range networksOf(m) {
			old, last := before[k], len(n.layers)-1
			check.Equal(t, "learned", n.State().Learned, len(x))
			now, former := n.Config(), old.Config()
			want := former.Softmax
			if n != network {
				want = softmax.Probit{Lambda: softmax.SlopeLambda(4, 0.5), Rho: 0.5}
			}
			check.Equal(t, "softmax", now.Softmax, want)
			former.Layers[last+1], former.Softmax = 4, now.Softmax
			check.Equal(t, "configuration", now, former)
			for l := range old.layers {
				want, cov := old.Weights(l)
				wantCov := addIdentity(cov, 1, 0)
				if l == last {
					added := wantCov[:1]
					if now.Covariance[l] != Shared {
						added = addIdentity(cov[:1], 0, now.PriorVar[l])
					}
					want, wantCov = want.Grow(1, 0).(*mat.Dense), append(wantCov, added...)
				}
				checkLayer(t, "one more class", n, l, want, wantCov, 1e-15)
			}
		}
		check.OK(t, m.Predict(&p, x[0]))
		check.Equal(t, "sizes", [3]int{len(p.P), p.Cov.SymmetricDim(), len(p.Mean)}, [3]int{4, 4, 4})
		check.NearAll(t, "weights", p.Weights, weights, 0)
		check.Near(t, "sum of probabilities", floats.Sum(p.P), p.Sum(), 1e-12)
		check.Must(m.Observe(x[0], 3))
	}
}

// A member that cannot have one more class leaves all as they were.
func TestAddClassRefuses(t *testing.T) {
	two := softmax.ProbitCorr{Lambda: 0.3, Corr: mat.NewSymDense(2, []float64{1, 0, 0, 1})}
	fixed := newNetwork(spec{Layers: []int{2, 3}, Output: Joint, Softmax: two})
	for want, m := range map[string]Model{
		"2 to 4096 classes": check.Must(New(Default(1, MostClasses), random.Source("many"))),
		"3×3":               ensemble(newNetwork(spec{Layers: []int{2, 3}}), fixed),
	} {
		classes := networksOf(m)[0].cfg.classes()
		check.Refuses(t, want, m.AddClass(), want)
		check.Equal(t, "classes", networksOf(m)[0].cfg.classes(), classes)
	}
}
