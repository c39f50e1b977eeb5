package bnn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// What a caller gets wrong is an error of no member, changes nothing, and is predicted as unknown, whatever
// was predicted before.
func TestBadInput(t *testing.T) {
	network := newNetwork(spec{Layers: []int{2, 3}, Output: Joint, paper: true})
	cfg := spec{Layers: []int{2, 8, 3}}
	atOnce := ensemble(members(cfg, 3)...)
	atOnce.parallel = true
	for _, m := range []Model{network, ensemble(members(cfg, 3)...), atOnce} {
		var before []State
		for _, n := range networksOf(m) {
			before = append(before, n.State())
		}
		var p, want Prediction
		check.OK(t, errors.Join(m.Predict(&p, []float64{1, 2}), m.Predict(&want, []float64{1, 2})))
		refuses := func(x []float64, class int) {
			u, err := m.Observe(x, class)
			refused := u.Action == Refused && err != nil && !strings.Contains(err.Error(), "member")
			check.True(t, refused, "%T: %v of class %d: %+v, error %v", m, x, class, u, err)
		}
		refuses([]float64{1, 2}, -1)
		refuses([]float64{1, 2}, 3)
		for _, x := range [][]float64{{math.NaN(), 0}, {0, math.Inf(1)}, {1}, {1, 2, 3}, nil} {
			refuses(x, 0)
			err := m.Predict(&p, x)
			check.True(t, err != nil && !strings.Contains(err.Error(), "member"), "%T: %v: error %v", m, x, err)
			check.True(t, p.Class() == Unknown && math.IsNaN(p.Mean[0]), "%T: %v is of class %d", m, x, p.Class())
		}
		for k, n := range networksOf(m) {
			check.True(t, sameState(n.State(), before[k]), "%T: member %d has changed", m, k)
		}
		check.OK(t, m.Predict(&p, []float64{1, 2}))
		check.True(t, samePrediction(&p, &want), "%T: after errors %v; want %v", m, p.P, want.P)
	}
	check.Refuses(t, "overflow", check.Err(network.Observe([]float64{1e200, 0}, 0)))
	check.Refuses(t, "overflow", network.Predict(new(Prediction), []float64{1e200, 0}))
	zero := new(Prediction)
	nothing := zero.Class() == Unknown && math.IsNaN(zero.Sum()) && math.IsNaN(zero.MutualInformation())
	check.True(t, nothing, "the zero prediction has a class, a sum or information")
	check.Panics(t, "bnn: ", "2×2 means", func() { network.SetWeights(0, mat.NewDense(2, 2, nil), nil) })
	check.Panics(t, "bnn: ", "0 covariances", func() { network.SetWeights(0, mat.NewDense(3, 2, nil), nil) })
}

func TestSetWeightsRefusesBadNumbers(t *testing.T) {
	n := newNetwork(spec{Layers: []int{2, 2}, Output: Joint, paper: true})
	good := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	nan := math.NaN()
	for _, s := range [][]float64{
		{1, 2, 2, 1},
		{-1, 0, 0, 1},
		{1, 0, 0, -1e-11},
		{1, nan, nan, 1},
		{nan, 0, 0, 1},
		{math.Inf(1), 0, 0, 1},
		{1e308, 0, 0, 1e308},
	} {
		err := n.SetWeights(0, mat.NewDense(2, 2, nil), []mat.Symmetric{good, mat.NewSymDense(2, s)})
		check.Refuses(t, fmt.Sprint("covariance ", s), err)
	}
	bad := mat.NewDense(2, 2, []float64{nan, 0, 0, 0})
	check.Refuses(t, "NaN mean", n.SetWeights(0, bad, []mat.Symmetric{good, good}))
	singular := mat.NewSymDense(2, []float64{1, 1, 1, 1})
	check.OK(t, n.SetWeights(0, mat.NewDense(2, 2, nil), []mat.Symmetric{good, singular}))
	n = newNetwork(spec{Layers: []int{2, 2}, Covariance: []Covariance{Shared}, paper: true})
	mean, cov := n.Weights(0)
	for _, other := range [][]float64{{1, 0, 0, 1.1}, {1, 1e-6, 1e-6, 1}, {1, 0, 0, math.NaN()}} {
		err := n.SetWeights(0, mean, []mat.Symmetric{cov[0], mat.NewSymDense(2, other)})
		check.Refuses(t, "a covariance that is not shared", err)
	}
}

// In one step, what the covariances of a layer lose is multiplied, and nothing else changes. However often an
// example counts, a variance keeps its floor.
func TestReplications(t *testing.T) {
	times := []float64{2.5, 1, 0.4}
	for _, kind := range allKinds {
		cfg := spec{Layers: []int{3, 5, 4, 2}, Bias: true, Hidden: Smooth, PriorVar: 0.2, paper: true}
		cfg.Covariance = []Covariance{kind}
		plain := newNetwork(cfg)
		cfg.Replications = times
		counted := newNetwork(cfg)
		for _, n := range []*Network{plain, counted} {
			check.Must(n.Observe([]float64{1, -0.5, 2}, 1))
		}
		for l, k := range times {
			mean, cov := plain.Weights(l)
			checkLayer(t, string(kind), counted, l, mean, addIdentity(cov, k, 0.2*(1-k)), 1e-14)
		}
		many := spec{Layers: []int{1, 2}, Covariance: cfg.Covariance, Replications: []float64{1e300}, paper: true}
		n := newNetwork(many)
		for k := range 3 {
			check.Equal(t, "floored", check.Must(n.Observe([]float64{2}, 0)).Floored, 2)
			_, cov := n.Weights(0)
			check.Near(t, "variance", cov[0].At(0, 0), math.Pow(1e-3, float64(k+1)), 1e-12)
		}
	}
}

// A hidden variance at most doubles, however much the logits grow.
func TestHiddenGrowthIsCapped(t *testing.T) {
	cfg := Default(1, 1, 3)
	cfg.Bias = false
	n := check.Must(New(cfg, random.Source("growth")))
	oneInput(t, n, 0, []float64{1}, []float64{1})
	oneInput(t, n, 1, []float64{-30, 0, 0}, []float64{1e-3, 1e-3, 1e-3})
	for k := range 4 {
		update := check.Must(n.Observe([]float64{1}, 1))
		_, cov := n.Weights(0)
		check.Near(t, "variance", cov[0].At(0, 0), math.Pow(2, float64(k+1)), 1e-12)
		check.Equal(t, "counts", [2]int{update.Floored, update.Capped}, [2]int{0, 1})
	}
}

// members returns networks that differ by what their prior means are drawn from.
func members(cfg spec, n int) (all []*Network) {
	for k := range n {
		all = append(all, check.Must(New(cfg.config(), random.Source("member", k))))
	}
	return all
}

func ensemble(members ...*Network) *Ensemble { return check.Must(Combine(members...)) }

func networksOf(m Model) []*Network {
	if n, ok := m.(*Network); ok {
		return []*Network{n}
	}
	return m.(*Ensemble).Members()
}

// twoRings returns examples of two rings and what is outside of them.
func twoRings(n int, rnd *rand.Rand) (x [][]float64, class []int) {
	for range n {
		p := []float64{2 * rnd.NormFloat64(), 2 * rnd.NormFloat64()}
		r := math.Hypot(p[0], p[1]) + 0.4*rnd.NormFloat64()
		x, class = append(x, p), append(class, min(2, int(math.Abs(r)/1.5)))
	}
	return x, class
}

// An ensemble of one is its network, to the bit. A prediction may go from a network to an ensemble and back.
func TestEnsembleOfOne(t *testing.T) {
	cfg := spec{Layers: []int{2, 6, 3}}
	n, e := members(cfg, 1)[0], ensemble(members(cfg, 1)...)
	x, class := twoRings(40, rand.New(random.Source("rings")))
	var p, q Prediction
	for i := range x {
		want, got := check.Must(n.Observe(x[i], class[i])), check.Must(e.Observe(x[i], class[i]))
		check.OK(t, errors.Join(n.Predict(&p, x[0]), e.Predict(&q, x[0])))
		got.MinEigenvalue, got.MinVariance = want.MinEigenvalue, want.MinVariance // NaN
		check.Equal(t, fmt.Sprint("step ", i), fmt.Sprint(got), fmt.Sprint(want))
		check.True(t, samePrediction(&q, &p), "step %d: %v, of the network %v", i, q.P, p.P)
	}
	two := ensemble(members(cfg, 2)...)
	check.OK(t, two.Predict(&q, x[0]))
	check.NoAllocs(t, "a prediction", func() { _ = two.Predict(&p, x[0]) })
	check.NoAllocs(t, "a step", func() { _, _ = two.Observe(x[0], 1) })
	check.OK(t, n.Predict(&q, x[0]))
	check.True(t, q.Members == nil && q.MutualInformation() == 0, "members %v of a network", q.Members)
}

// checkMixture checks p against the weighted mean of the predictions of members, of three classes.
func checkMixture(t *testing.T, p *Prediction, weights []float64, of []Prediction) {
	t.Helper()
	information := 0.0
	p1, cov := make([]float64, 3), mat.NewSymDense(3, nil)
	mean, square := make([]float64, 3), make([]float64, 3) // moments of the logits
	for k, w := range weights {
		floats.AddScaled(p1, w, of[k].P)
		floats.AddScaled(mean, w, of[k].Mean)
		for j, m := range of[k].Mean {
			square[j] += w * (of[k].Variance[j] + m*m)
		}
	}
	for k, w := range weights {
		m := of[k]
		for i := range 3 {
			for j := range i + 1 {
				cov.SetSym(i, j, cov.At(i, j)+w*(m.Cov.At(i, j)+(m.P[i]-p1[i])*(m.P[j]-p1[j])))
			}
			information += w * m.P[i] * math.Log(m.P[i]/p1[i])
		}
	}
	check.NearAll(t, "p", p.Moments.P, p1, 1e-14)
	check.NearAll(t, "means", p.Mean, mean, 1e-12)
	for j := range 3 {
		check.Near(t, "variance", p.Variance[j], square[j]-mean[j]*mean[j], 1e-9*square[j])
	}
	check.NearMatrix(t, "covariance", p.Cov, cov, 1e-13)
	check.Near(t, "mutual information", p.MutualInformation(), information, 1e-12)
}

// Covariances go by the law of total variance. The log probability of a step is that of p.
func TestMixture(t *testing.T) {
	const k = 3
	for _, cfg := range []spec{
		{Layers: []int{2, 6, 3}},
		{Layers: []int{2, 6, 3}, Output: ADFExact, Bias: true, Hidden: Smooth},
		{Layers: []int{2, 6, 3}, Output: Total, OnIndefinite: Project, Hidden: Smooth},
	} {
		e, alone := ensemble(members(cfg, k)...), members(cfg, k)
		e.parallel = true
		x, class := twoRings(8, rand.New(random.Source("rings")))
		var p Prediction
		predictions := make([]Prediction, k)
		for i := range x {
			check.OK(t, e.Predict(&p, x[i]))
			u, floored := check.Must(e.Observe(x[i], class[i])), 0
			for m, n := range alone {
				check.OK(t, n.Predict(&predictions[m], x[i]))
				floored += check.Must(n.Observe(x[i], class[i])).Floored
			}
			checkMixture(t, &p, []float64{1. / k, 1. / k, 1. / k}, predictions)
			check.Near(t, "log p", u.LogP, math.Log(p.P[class[i]]), 1e-8)
			check.Equal(t, "floored", u.Floored, floored)
		}
	}
}

// If one member cannot learn an example all stay as they were, and the error says which.
func TestEnsembleRefuses(t *testing.T) {
	networks := members(spec{Layers: []int{2, 4, 3}, Output: Joint}, 3)
	huge := networks[1].State()
	huge.Layers[0].Mean.Set(0, 0, 1e300)
	broken := check.Must(Restore(huge))
	e := ensemble(networks[0], networks[2], broken)
	before := []*Network{copied(networks[0]), copied(networks[2]), copied(broken)}
	u, err := e.Observe([]float64{1e9, 1}, 1)
	check.Refuses(t, "overflow", err, "member 2: bnn: ")
	check.Equal(t, "action", u.Action, Refused)
	for k, n := range e.Members() {
		check.Equal(t, "the same after an error", sameState(n.State(), before[k].State()), true)
	}
	var p Prediction
	check.Refuses(t, "overflow", e.Predict(&p, []float64{1e9, 1}), "member 2: ")
	for want, networks := range map[string][]*Network{
		"no members":                                nil,
		"member 1 is a member twice":                {networks[0], networks[0]},
		"member 1 has 2 inputs and 2 classes, and ": {networks[0], members(spec{Layers: []int{2, 2}}, 1)[0]},
	} {
		check.Refuses(t, want, check.Err(Combine(networks...)), "bnn: "+want)
	}
}

// The first member is the network that New makes of the same source, and more members change no other.
func TestNewEnsemble(t *testing.T) {
	cfg := Default(2, 5, 3)
	three := check.Must(NewEnsemble(cfg, 3, random.Source("new")))
	four := check.Must(NewEnsemble(cfg, 4, random.Source("new")))
	single := check.Must(New(cfg, random.Source("new")))
	for k, n := range three.Members() {
		check.True(t, sameState(n.State(), four.Members()[k].State()), "member %d of 3 is another one of 4", k)
		check.True(t, sameState(n.State(), single.State()) == (k == 0), "member %d and a single network", k)
	}
	check.Refuses(t, "no members", check.Err(NewEnsemble(cfg, 0, random.Source())))
	cfg.Layers = nil
	check.Refuses(t, "no layers", check.Err(NewEnsemble(cfg, 2, random.Source())))
}
