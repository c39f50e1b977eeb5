package bnn

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

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
		for _, c := range []struct {
			x     []float64
			class int
		}{
			{[]float64{math.NaN(), 0}, 0},
			{[]float64{0, math.Inf(1)}, 0},
			{[]float64{1}, 0},
			{[]float64{1, 2, 3}, 0},
			{nil, 0},
			{[]float64{1, 2}, -1},
			{[]float64{1, 2}, 3},
		} {
			u, err := m.Observe(c.x, c.class)
			refused := u.Action == Refused && err != nil && !strings.Contains(err.Error(), "member")
			check.True(t, refused, "%T: %v of class %d: %+v, error %v", m, c.x, c.class, u, err)
			if c.class != 0 {
				continue
			}
			err = m.Predict(&p, c.x)
			check.True(t, err != nil && !strings.Contains(err.Error(), "member"), "%T: %v: error %v", m, c.x, err)
			check.True(t, p.Class() == Unknown && math.IsNaN(p.Mean[0]), "%T: %v is of class %d", m, c.x, p.Class())
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
	n := network
	for name, f := range map[string]func(){
		"2×2 means":     func() { n.SetWeights(0, mat.NewDense(2, 2, nil), nil) },
		"0 covariances": func() { n.SetWeights(0, mat.NewDense(3, 2, nil), nil) },
	} {
		check.Panics(t, "bnn: ", name, f)
	}
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
